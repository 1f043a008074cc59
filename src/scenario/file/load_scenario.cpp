#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ergon/core/sha256.hpp"
#include "ergon/scenario/events/read_events.hpp"
#include "ergon/scenario/expand/templates.hpp"
#include "ergon/scenario/file/check_scenario.hpp"
#include "ergon/scenario/file/overrides.hpp"
#include "ergon/scenario/file/plugins.hpp"
#include "ergon/scenario/file/scenario_text.hpp"
#include "ergon/scenario/problem_order.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/scenario/systems/propose_bonds.hpp"
#include "ergon/scenario/systems/system_document.hpp"
#include "ergon/scenario/tables/tables.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return std::nullopt;
  return text.str();
}

void add_file(Scenario& scenario, const std::string& path) {
  const bool known = std::any_of(scenario.inputs.begin(), scenario.inputs.end(),
                                 [&](const InputFile& f) { return f.path == path; });
  const auto content = known ? std::nullopt : read_file(path);
  if (content) scenario.inputs.push_back({path, sha256(*content)});
}

/// The run also depends on its FMUs and on the files that parameters name.
void add_parameter_files(Scenario& scenario) {
  for (const SubsystemEntry& subsystem : scenario.subsystems) {
    if (!subsystem.info) continue;
    if (subsystem.source == "fmu") add_file(scenario, outermost_file(fmu_path(subsystem, scenario)));
    for (const ParameterInfo& info : subsystem.info->parameters) {
      const auto given = subsystem.parameters.find(info.name);
      if (given == subsystem.parameters.end()) continue;
      const auto path = file_named_by(info, given->second.value, scenario.base_directory);
      if (!path) continue;
      add_file(scenario, *path);
    }
  }
}

/// The document, of a TOML scenario with its text. Nothing after reporting why.
std::optional<SystemDocument> open_system(const std::string& path,
                                          const std::vector<ConstantSetting>& constants,
                                          std::optional<std::string>& text, ProblemList& problems) {
  if (is_foreign_system(path)) {
    for (const ConstantSetting& setting : constants)
      problems.error(setting.value.where, "A system of another format has no [constants].", "Remove this.");
    return read_system(path, problems);
  }
  text = read_scenario_file(path, problems);
  auto document = text ? parse_document(*text, path, problems) : std::nullopt;
  if (!document) return std::nullopt;
  SystemDocument system{std::move(*document), {path}, {}, {}, {}};
  system.constants = expand_document(system.document, path, constants, system.files, problems);
  return system;
}

/// A default step that nobody takes would be an option without effect.
void check_step_size_option(const Scenario& scenario, const ScenarioOverrides& overrides,
                            ProblemList& problems) {
  if (!overrides.step_size || scenario.subsystems.empty()) return;
  std::vector<std::string> own;
  for (const SubsystemEntry& s : scenario.subsystems) {
    if (s.step_size_s) own.push_back(s.name.value);
  }
  const SourceLocation where{"--step-size " + *overrides.step_size, 0, 0};
  if (own.size() == scenario.subsystems.size()) {
    problems.error(where, "This has no effect: every subsystem has its own step_size in the file.",
                   fmt::format("Write --set {}.step_size={}.", own.front(), *overrides.step_size));
  } else if (!own.empty()) {
    problems.note(where, fmt::format("The file gives '{}' a step_size of their own, which stay.",
                                     fmt::join(own, "', '")));
  }
}

}  // namespace

std::optional<SystemDocument> load_document(const std::string& path, ProblemList& problems) {
  std::optional<std::string> text;
  return open_system(path, {}, text, problems);
}

Scenario load_scenario(const std::string& path, const ScenarioOverrides& overrides, ProblemList& problems,
                       const ModelSources& sources) {
  Scenario scenario;
  scenario.file = path;
  scenario.base_directory = base_directory_of(path);
  ProblemList found;
  const auto finish = [&] {
    const ProblemList sorted = sorted_by_line(found);
    for (const Problem& p : sorted.all()) append(p, problems);
  };
  std::optional<std::string> text;  // of a TOML scenario
  auto system = open_system(path, constant_settings(overrides), text, found);
  if (!system) {
    scenario.complete = false;
    finish();
    return scenario;
  }
  if (overrides.events) add_events(*system, *overrides.events, scenario.base_directory, found);
  if (overrides.bonds) take_proposed_bonds(*system, scenario.base_directory, found);
  load_plugins(system->document, overrides, scenario.base_directory, found);
  const auto plugins = plugin_names(system->document);
  apply_overrides(system->document, overrides, sources, scenario.base_directory, found);
  if (plugin_names(system->document) != plugins)
    found.error({path, 0, 0},
                "Plug-ins are loaded before settings are applied: 'simulation.plugins' cannot be set.",
                "Give --plugin FILE instead.");
  attach_constants(system->document, system->constants);
  read_tables(system->document, sources, scenario, found);
  check_scenario(scenario, found);
  check_step_size_option(scenario, overrides, found);

  scenario.overrides = overrides.settings;
  const auto option = [&](const char* key, const std::optional<std::string>& value) {
    if (value) scenario.overrides.push_back(fmt::format("{}={}", key, *value));
  };
  option("simulation.start_time", overrides.start_time);
  option("simulation.stop_time", overrides.stop_time);
  option("simulation.step_size", overrides.step_size);
  option("duration", overrides.duration);
  option("scenario", overrides.events);
  for (const std::string& file : overrides.parameter_files) option("parameters", file);
  for (const std::string& file : overrides.plugins) {
    scenario.overrides.push_back(fmt::format("plugin={}", file));
    scenario.simulation.plugins.push_back({plugin_path(file, fs::current_path().string()), {}});
  }
  if (overrides.bonds) scenario.overrides.emplace_back("bonds");
  if (overrides.threads) option("simulation.threads", std::to_string(*overrides.threads));
  option("simulation.check", overrides.check);
  option("output.accuracy.default", overrides.accuracy);
  scenario.inputs.clear();
  for (const std::string& file : system->files) add_file(scenario, file);
  for (const std::string& file : overrides.parameter_files) add_file(scenario, file);
  for (const auto& plugin : scenario.simulation.plugins)
    add_file(scenario, plugin_path(plugin.value, scenario.base_directory));
  add_parameter_files(scenario);
  if (scenario.start_state) add_file(scenario, start_state_path(scenario));
  for (const InputFile& input : scenario.inputs) scenario.files_read.push_back(input.path);
  if (scenario.overrides.empty() && text) keep_provenance(*text, system->document, scenario);
  finish();
  return scenario;
}

}  // namespace ergon

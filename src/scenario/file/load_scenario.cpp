#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ergon/core/sha256.hpp"
#include "ergon/core/utf8.hpp"
#include "ergon/scenario/events/read_events.hpp"
#include "ergon/scenario/file/check_scenario.hpp"
#include "ergon/scenario/file/overrides.hpp"
#include "ergon/scenario/problem_order.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/scenario/systems/propose_bonds.hpp"
#include "ergon/scenario/systems/system_document.hpp"
#include "ergon/scenario/tables/tables.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// Other encodings would be read as wrong quotes or names.
bool is_text(std::string_view text, const std::string& path, ProblemList& problems) {
  // A zero byte is UTF-8, but nothing that belongs into a file of text.
  const std::size_t foreign = std::min(first_byte_that_is_no_utf8(text).value_or(text.size()),
                                       std::min(text.find('\0'), text.size()));
  if (foreign == text.size()) return true;
  const std::string_view before = text.substr(0, foreign);
  const auto line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const bool wide = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text[foreign] == '\0';
  problems.error({path, line, static_cast<int>(foreign - line_begin) + 1},
                 wide ? "This is not UTF-8 text, but UTF-16 or no text at all."
                      : fmt::format("Byte {:#04x} is not UTF-8 (the file may be Latin-1).",
                                    static_cast<unsigned char>(text[foreign])),
                 "Save the file as UTF-8.");
  return false;
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return std::nullopt;
  return text.str();
}

/// The text of a scenario file, or nothing after reporting why there is none.
std::optional<std::string> read_scenario_file(const std::string& path, ProblemList& problems) {
  const SourceLocation where{path, 0, 0};
  std::error_code error;
  const std::string extension = fs::path(path).extension().string();
  if (!fs::exists(path, error)) {
    std::vector<std::string> names;
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".toml") names.push_back(it->path().filename().string());
    }
    const auto near = nearest_name(fs::path(path).filename().string(), names);
    problems.error(where, "There is no such file.",
                   near.empty() ? "Check the name and the folder." : fmt::format("Did you mean '{}'?", near));
    return std::nullopt;
  }
  if (fs::is_directory(path, error)) {
    problems.error(where, "This is a folder without an OspSystemStructure.xml or SystemStructure.ssd.",
                   "Name the scenario file (.toml) in it.");
    return std::nullopt;
  }
  if (extension == ".fmu") {
    problems.error(where, "This is an FMU, not a system.", "Run it by itself: ergon run-single FILE.");
    return std::nullopt;
  }
  // It may be a device without end, or some results.csv of gigabytes.
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> part;
  while (text.size() <= most_bytes && (stream.read(part.data(), part.size()), stream.gcount() > 0)) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad() || (!stream.eof() && text.size() <= most_bytes)) {
    problems.error(where, "The file cannot be read.", "Check its permissions.");
    return std::nullopt;
  }
  if (text.size() > most_bytes) {
    problems.error(where, fmt::format("The file is longer than {} MB.", most_bytes >> 20U),
                   "Name a scenario file (.toml).");
    return std::nullopt;
  }
  text.shrink_to_fit();
  return is_text(text, path, problems) ? std::optional(std::move(text)) : std::nullopt;
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
std::optional<SystemDocument> open_system(const std::string& path, std::optional<std::string>& text,
                                          ProblemList& problems) {
  if (is_foreign_system(path)) return read_system(path, problems);
  text = read_scenario_file(path, problems);
  auto document = text ? parse_document(*text, path, problems) : std::nullopt;
  if (!document) return std::nullopt;
  return SystemDocument{std::move(*document), {path}, {}, {}};
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
  return open_system(path, text, problems);
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
  auto system = open_system(path, text, found);
  if (!system) {
    scenario.complete = false;
    finish();
    return scenario;
  }
  if (overrides.events) add_events(*system, *overrides.events, scenario.base_directory, found);
  if (overrides.bonds) take_proposed_bonds(*system, scenario.base_directory, found);
  apply_overrides(system->document, overrides, sources, scenario.base_directory, found);
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
  if (overrides.bonds) scenario.overrides.emplace_back("bonds");
  if (overrides.threads) option("simulation.threads", std::to_string(*overrides.threads));
  option("simulation.check", overrides.check);
  option("output.accuracy.default", overrides.accuracy);
  scenario.inputs.clear();
  for (const std::string& file : system->files) add_file(scenario, file);
  add_parameter_files(scenario);
  for (const InputFile& input : scenario.inputs) scenario.files_read.push_back(input.path);
  if (scenario.overrides.empty() && text) keep_provenance(*text, system->document, scenario);
  finish();
  return scenario;
}

}  // namespace ergon

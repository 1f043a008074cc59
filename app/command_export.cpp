#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/export/export_fmu.hpp"
#include "ergon/models/law_model.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/file/overrides.hpp"
#include "ergon/scenario/tables/tables.hpp"

namespace ergon::app {
namespace {

constexpr const char* alone = "model";  ///< name of an instance that is in no scenario

/// "--set model.m=2" is what the reader of scenarios was told; the user said "--set m=2".
ProblemList as_said(const ProblemList& problems) {
  ProblemList told;
  const std::string prefix = fmt::format("--set {}.", alone);
  for (Problem p : problems.all()) {
    if (p.where.file.starts_with(prefix)) p.where.file = "--set " + p.where.file.substr(prefix.size());
    if (p.severity == Severity::error) told.error(p.where, p.what, p.remedy);
    if (p.severity == Severity::warning) told.warning(p.where, p.what, p.remedy);
  }
  return told;
}

struct ExportEntry {
  SubsystemEntry subsystem;
  std::string base_directory = ".";
  std::optional<double> stop_time_s;
  std::optional<double> step_size_s;
};

/// An [[element]]: its law as a model without state.
SubsystemEntry as_subsystem(const ElementEntry& element) {
  SubsystemEntry entry;
  entry.name = element.name;
  entry.model = element.law;
  entry.where = element.where;
  entry.parameters = element.parameters;
  // Those of the registry live as long as the program.
  if (const ModelInfo* law = find_model_or_law(element.law.value))
    entry.info = {std::shared_ptr<const void>{}, law};
  return entry;
}

/// Of a joint the bodies at its ends decide whether it is one in the plane, and a form may have a body evaluate it.
SubsystemEntry of_scenario(const ElementEntry& element, ProblemList& problems) {
  if (!element.markers.empty()) {
    problems.error(
        element.where,
        fmt::format("'{}' is a joint, whose ports depend on the bodies at its ends.", element.name.value),
        fmt::format("Export its law by name: ergon export {0} --set planar=true, or without "
                    "planar between bodies in space.",
                    element.law.value));
  }
  return as_subsystem(element);
}

ExportEntry from_scenario(const ExportArguments& arguments, ProblemList& problems) {
  ScenarioOverrides overrides;
  overrides.settings = arguments.settings;
  const Scenario scenario = load_scenario(arguments.model, overrides, problems);
  std::vector<std::string> names;
  for (const SubsystemEntry& subsystem : scenario.subsystems) names.push_back(subsystem.name.value);
  const std::string wanted = arguments.subsystem.value_or(names.size() == 1 ? names.front() : "");
  for (const ElementEntry& element : scenario.elements) {
    names.push_back(element.name.value);
    if (element.name.value == wanted)
      return {of_scenario(element, problems), scenario.base_directory, std::nullopt, std::nullopt};
  }
  for (const SubsystemEntry& subsystem : scenario.subsystems) {
    if (subsystem.name.value != wanted) continue;
    ExportEntry entry{subsystem, scenario.base_directory, std::nullopt, std::nullopt};
    if (scenario.simulation.stop_time_s) entry.stop_time_s = scenario.simulation.stop_time_s->value.value();
    const auto& step = subsystem.step_size_s ? subsystem.step_size_s : scenario.simulation.step_size_s;
    if (step) entry.step_size_s = step->value.value();
    return entry;
  }
  if (problems.has_errors()) return {};
  if (wanted.empty()) {
    problems.error({arguments.model, 0, 0}, "The scenario has several subsystems.",
                   fmt::format("Choose one: --subsystem {}", fmt::join(names, " or --subsystem ")));
  } else {
    problems.error({"--subsystem " + wanted, 0, 0}, fmt::format("There is no subsystem '{}'.", wanted),
                   did_you_mean(wanted, names));
  }
  return {};
}

ExportEntry from_name(const ExportArguments& arguments, ProblemList& problems) {
  if (arguments.subsystem)
    problems.error({"--subsystem " + *arguments.subsystem, 0, 0}, "A model by its name has no subsystems.",
                   "Name a scenario file, or take the option out.");
  std::vector<std::string> names;
  for (const ModelInfo& info : models()) names.push_back(info.name);
  for (const ElementInfo& info : elements()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), arguments.model) == names.end()) {
    problems.error({}, fmt::format("There is no model '{}'.", arguments.model),
                   did_you_mean(arguments.model, names));
    return {};
  }
  const bool is_law = find_element(arguments.model) != nullptr;
  const char* kind = is_law ? "element" : "subsystem";
  Value document = table_value(
      {{kind,
        {},
        list_value({table_value({{"name", {}, text_value(alone)},
                                 {is_law ? "law" : "model", {}, text_value(arguments.model)}})})}});
  ScenarioOverrides overrides;
  for (const std::string& setting : arguments.settings)
    overrides.settings.push_back(fmt::format("{}.{}", alone, setting));
  apply_overrides(document, overrides, native_sources(), ".", problems);
  const Value& entry = document.find(kind)->value.items[0];
  if (is_law) return {as_subsystem(read_element(entry, 1, problems)), ".", std::nullopt, std::nullopt};
  return {read_subsystem(entry, 1, native_sources(), ".", problems), ".", std::nullopt, std::nullopt};
}

}  // namespace

int export_command(const ExportArguments& arguments) {
  ProblemList problems;
  const std::size_t own_models = models().size();  // plug-ins of the scenario add others behind them
  const ExportEntry entry = arguments.model.ends_with(".toml") ? from_scenario(arguments, problems)
                                                               : from_name(arguments, problems);
  if (problems.has_errors() || !entry.subsystem.info) throw InputError(as_said(problems));
  if (entry.subsystem.source != "model") {
    throw InputError(entry.subsystem.where,
                     fmt::format("'{}' is not a native model.", entry.subsystem.name.value),
                     "Only native models and laws are exported ('ergon models' lists them).");
  }
  const ModelInfo* model = find_model(entry.subsystem.info->name);
  if (model != nullptr && model >= models().data() + own_models) {
    throw InputError(entry.subsystem.where,
                     fmt::format("'{}' is a model of a plug-in, which an FMU would not hold.", model->name),
                     "Only models and laws of Ergon itself are exported.");
  }
  FmuExport request;
  request.model = exported_model(*entry.subsystem.info, entry.subsystem.parameters, entry.subsystem.initial,
                                 entry.subsystem.integrator, problems);
  if (problems.has_errors()) throw InputError(as_said(problems));
  request.base_directory = entry.base_directory;
  request.version = arguments.fmi == 2 ? ergon::ExportFormat::fmi2 : ergon::ExportFormat::fmi3;
  request.file = arguments.file;
  request.library = fmu_library();
  request.generator = fmt::format("Ergon {}", version());
  request.stop_time_s = entry.stop_time_s;
  request.step_size_s = entry.step_size_s;
  const ExportedFmu fmu = export_fmu(request);
  const auto count = [&](ExportedVariable::Role role) {
    return std::count_if(fmu.variables.begin(), fmu.variables.end(),
                         [role](const auto& v) { return v.role == role; });
  };
  emit("{}: {} as FMU for co-simulation, FMI {}.0: {} inputs, {} outputs{}, {} parameters\n", arguments.file,
       request.model.model, arguments.fmi, count(ExportedVariable::Role::input),
       count(ExportedVariable::Role::output),
       count(ExportedVariable::Role::energy) > 0 ? " and the energy account" : "",
       count(ExportedVariable::Role::parameter));
  if (!fmu.fixed.empty())
    emit("Fixed, because they decide which variables there are: {}\n", fmt::join(fmu.fixed, ", "));
  for (const std::string& file : fmu.files) emit("Inside: {}\n", file);
  return exit_done;
}

}  // namespace ergon::app

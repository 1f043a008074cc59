#include "ergon/scenario/ssp/read_ssp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/core/rational.hpp"
#include "ergon/scenario/ssp/flatten.hpp"
#include "ergon/scenario/ssp/ssd_parser.hpp"
#include "ergon/scenario/systems/merge_documents.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

void shift_lines(Value& value, int lines) {
  value.where.line += lines;
  for (Value& item : value.items) shift_lines(item, lines);
  for (Entry& entry : value.entries) {
    entry.where.line += lines;
    shift_lines(entry.value, lines);
  }
}

/// Times of the experiment. SSP has no step size: where no annotation gives one, the FMUs are asked.
void read_experiment(const SspStructure& structure,
                     const std::vector<std::shared_ptr<const fmi::FmuModel>>& fmus, Value& document,
                     ProblemList& problems) {
  const SspExperiment& e = structure.experiment;
  Value& simulation = table_at(document, "simulation", e.where);
  if (e.start_s) set_entry(simulation, "start_time", located(number_value(*e.start_s), e.where));
  if (e.stop_s) set_entry(simulation, "stop_time", located(number_value(*e.stop_s), e.where));
  std::optional<double> step_s = e.step_s ? e.step_s : structure.system->step_s;
  if (!step_s) {
    for (const auto& fmu : fmus) {
      const std::optional<double> own = fmu->description().experiment.step_s;
      if (own && *own > 0.0 && std::isfinite(*own)) step_s = step_s ? std::min(*step_s, *own) : own;
    }
    if (step_s)
      problems.note(
          e.where,
          fmt::format("The system gives no step size; {} s is the smallest default of its FMUs.", *step_s));
  }
  if (step_s) set_entry(simulation, "step_size", located(number_value(*step_s), e.where));
}

}  // namespace

std::optional<SystemDocument> read_ssp(const std::string& path, ProblemList& problems) {
  const std::string outer = outermost_file(path);
  const std::string variant = outer.size() < path.size() ? path.substr(outer.size() + 1) : std::string{};
  std::error_code ignored;
  if (!fs::is_regular_file(outer, ignored)) {
    problems.error({outer, 0, 0}, "There is no such file.", "Check the name and the folder.");
    return std::nullopt;
  }
  const fs::path folder = fs::path(outer).has_parent_path() ? fs::path(outer).parent_path() : fs::path(".");
  const std::string file = fs::path(outer).filename().string();
  SsdParser parser(problems);
  std::optional<SspStructure> structure;
  std::shared_ptr<const fmi::UnpackedFmu> archive;
  std::string extension = fs::path(outer).extension().string();
  if (extension == ".ssd") {
    structure = parser.parse({folder, {}, {}, fs::path(outer).parent_path().string()}, file);
  } else {
    archive = fmi::UnpackedFmu::open(outer, problems);
    if (!archive) return std::nullopt;
    const std::string wanted = variant.empty() ? "SystemStructure.ssd" : variant;
    const SspPlace place{archive->folder(), file + "#", {}, outer};
    const auto found = place.locate(wanted);
    if (!found || !fs::is_regular_file(found->path, ignored)) {
      std::vector<std::string> names;
      for (fs::directory_iterator it(archive->folder(), ignored), end; !ignored && it != end;
           it.increment(ignored)) {
        if (it->path().extension() == ".ssd") names.push_back(it->path().filename().string());
      }
      problems.error({outer, 0, 0}, fmt::format("The archive has no '{}' at its top.", wanted),
                     names.empty() ? "Pack it so that SystemStructure.ssd is not in a folder."
                                   : fmt::format("Name one: {}#{}", outer, names.front()));
      return std::nullopt;
    }
    structure = parser.parse(place, wanted);
  }
  if (!structure) return std::nullopt;
  SystemDocument system;
  system.files = {outer};
  for (const std::string& read : structure->files) {
    if (std::find(system.files.begin(), system.files.end(), read) == system.files.end())
      system.files.push_back(read);
  }
  system.document.where = structure->system->where;
  SspFlattener flattener(*structure, system.document, problems);
  flattener.flatten();
  system.fmus = flattener.take_fmus();
  read_experiment(*structure, system.fmus, system.document, problems);
  for (const auto& [text, where] : structure->scenarios) {
    ProblemList of_text;
    auto added = parse_document(text, where.file, of_text);
    for (Problem problem : of_text.all()) {
      problem.where.line += where.line - 1;
      problems.error(problem.where, problem.what, problem.remedy);
    }
    if (!added) continue;
    shift_lines(*added, where.line - 1);
    merge_documents(system.document, std::move(*added));
  }
  const Entry* subsystems = system.document.find("subsystem");
  if (subsystems == nullptr) {
    problems.error(structure->system->where, "The system has no component.",
                   "Add at least one <Component> with an FMU.");
    return std::nullopt;
  }
  bool is_complete = true;
  for (const Value& item : subsystems->value.items) {
    if (item.find("fmu") != nullptr || item.find("model") != nullptr) continue;
    is_complete = false;
    if (!problems.has_errors())
      problems.error(item.where, fmt::format("Component '{}' has no source.", item.find("name")->value.text),
                     "Name its FMU.");
  }
  if (!is_complete) return std::nullopt;
  drop_values_of_fed_inputs(system.document);
  return system;
}

}  // namespace ergon

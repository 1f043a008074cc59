#include "ergon/run/record/run_files.hpp"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>
#include <utility>

#include "ergon/run/record/replace_file.hpp"
#include "ergon/run/record/system_file.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

/// Of summary.json, generously.
std::size_t summary_bytes(const CoupledSystem& system) {
  return 16'384 + 512 * (system.nodes.size() + system.bonds.size());
}

/// motion.csv: `time`, then the error bars of all variables under their names.
std::string motion_text(const Motion& motion) {
  std::string text = "time";
  for (const VariableMotion& variable : motion.variables) text += "," + csv_field(variable.name);
  text += "\n";
  const std::size_t columns = motion.variables.size();
  const std::size_t rows = motion.times_s.size();
  // The end of the run is the last row, whether it is an instant of the others or not. Where it is, it was kept twice.
  const double slack_s = rows > 1 ? 1e-6 * (motion.times_s[1] - motion.times_s[0]) : 0.0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row + 1 < rows && motion.times_s[row + 1] - motion.times_s[row] <= slack_s) continue;
    fmt::format_to(std::back_inserter(text), "{}", motion.times_s[row]);
    for (std::size_t v = 0; v < columns; ++v)
      fmt::format_to(std::back_inserter(text), ",{}", motion.errors[row * columns + v]);
    text += "\n";
  }
  return text;
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& directory, Results results, const Engine& engine,
                   const BuiltScenario& built, IntervalGate gate, const Scenario* scenario)
    : directory_(directory, scenario != nullptr ? scenario->files_read : std::vector<std::string>{}, results),
      results_({directory_ / "results.csv", results}, *built.system, built.recorded, gate),
      bonds_({directory_ / "bonds.csv", results}, *built.system, gate,
             {engine.corrected_bonds(), built.coupling.step_control.has_value(),
              engine.record().implicit_steps() != nullptr, built.recorded_bonds}) {
  if (!EnergyRecorder::accounts(engine).empty())
    observers_.push_back(&energy_.emplace(ResultFile{directory_ / "energy.csv", results}, engine));
  SystemPicture picture(*built.system, built.shapes);
  system_json_ = system_json(engine, built, scenario, picture);
  if (scenario != nullptr) scenario_toml_ = resolved_toml(*scenario, version());
  if (!picture.empty())
    observers_.push_back(
        &geometry_.emplace(ResultFile{directory_ / "geometry.csv", results}, engine, std::move(picture)));
  directory_.reserve(summary_bytes(*built.system));
  if (results == Results::anew) describe();
}

void RunFiles::describe() const {
  const auto write = [&](const char* name, const std::string& text) {
    if (const auto error = replace_file(directory_ / name, text)) throw std::runtime_error(*error);
  };
  write("system.json", system_json_);
  if (scenario_toml_) write("scenario.toml", *scenario_toml_);
}

std::vector<std::string> RunFiles::finish(Summary& summary) {
  std::vector<std::string> errors;
  const auto look_at = [&](const CsvRecorder& file) {
    if (file.error()) errors.push_back(*file.error());
  };
  look_at(results_);
  look_at(bonds_);
  if (energy_) look_at(*energy_);
  if (geometry_) look_at(*geometry_);
  summary.files_complete = errors.empty();
  summary.warnings.insert(summary.warnings.end(), errors.begin(), errors.end());
  directory_.free_reserve();
  if (summary.motion.checked) {
    if (auto error = replace_file(directory_ / "motion.csv", motion_text(summary.motion)))
      errors.push_back(std::move(*error));
  }
  if (auto error = replace_file(directory_ / "summary.json", to_json(summary))) {
    errors.push_back(std::move(*error));
  }
  directory_.release();
  return errors;
}

}  // namespace ergon

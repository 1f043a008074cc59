#include "ergon/run/record/run_files.hpp"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>

#include "ergon/run/record/replace_file.hpp"
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
  for (std::size_t row = 0; row < motion.times_s.size(); ++row) {
    fmt::format_to(std::back_inserter(text), "{}", motion.times_s[row]);
    for (std::size_t v = 0; v < columns; ++v)
      fmt::format_to(std::back_inserter(text), ",{}", motion.errors[row * columns + v]);
    text += "\n";
  }
  return text;
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& directory, const Engine& engine, const BuiltScenario& built,
                   IntervalGate gate, const Scenario* scenario)
    : directory_(directory, scenario != nullptr ? scenario->files_read : std::vector<std::string>{}),
      results_(directory_ / "results.csv", *built.system, built.recorded, gate),
      bonds_(directory_ / "bonds.csv", *built.system, gate,
             {engine.corrected_bonds(), built.coupling.step_control.has_value(),
              engine.record().implicit_steps() != nullptr, built.recorded_bonds}) {
  directory_.reserve(summary_bytes(*built.system));
  if (scenario == nullptr) return;
  if (const auto error = replace_file(directory_ / "scenario.toml", resolved_toml(*scenario, version()))) {
    throw std::runtime_error(*error);
  }
}

std::vector<std::string> RunFiles::finish(Summary& summary) {
  std::vector<std::string> errors;
  for (const auto* error : {&results_.error(), &bonds_.error()}) {
    if (*error) errors.push_back(**error);
  }
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

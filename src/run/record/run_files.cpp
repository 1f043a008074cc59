#include "ergon/run/record/run_files.hpp"

#include <fmt/format.h>

#include <fstream>

#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

/// The directory, ready to be written to.
std::filesystem::path prepared(const std::filesystem::path& directory, const Scenario* scenario) {
  prepare_output_directory(directory);
  if (scenario == nullptr) return directory;
  const std::filesystem::path file = directory / "scenario.toml";
  std::ofstream stream(file);
  stream << resolved_toml(*scenario, version());
  if (!stream.flush()) throw std::runtime_error(fmt::format("could not write '{}'", file.string()));
  return directory;
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& directory, const Engine& engine, const BuiltScenario& built,
                   IntervalGate gate, const Scenario* scenario)
    : directory_(prepared(directory, scenario)),
      results_(directory_ / "results.csv", *built.system, built.recorded, gate),
      bonds_(directory_ / "bonds.csv", *built.system, gate,
             {engine.corrected_bonds(), built.coupling.step_control.has_value(),
              engine.record().implicit_steps() != nullptr}) {}

std::vector<std::string> RunFiles::finish(const Summary& summary) const {
  std::vector<std::string> errors;
  for (const auto* error : {&results_.error(), &bonds_.error()}) {
    if (*error) errors.push_back(**error);
  }
  if (auto error = write_summary(directory_ / "summary.json", summary)) errors.push_back(std::move(*error));
  return errors;
}

}  // namespace ergon

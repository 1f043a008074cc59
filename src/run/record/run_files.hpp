#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/run/record/bonds_recorder.hpp"
#include "ergon/run/record/energy_recorder.hpp"
#include "ergon/run/record/geometry_recorder.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/record/results_recorder.hpp"
#include "ergon/run/summary/summary.hpp"
#include "ergon/scenario/build/build_graph.hpp"

namespace ergon {

/// The files of one run: results.csv, bonds.csv, system.json, energy.csv where accounts are kept, geometry.csv where there is
/// something to see, scenario.toml where there is a scenario, and at the end summary.json and, where the motion was checked,
/// motion.csv.
class RunFiles {
 public:
  /// Makes the directory and opens the files in it; throws InputError where that fails. What a run goes on in waits to be cut back
  /// to where it was.
  RunFiles(const std::filesystem::path& directory, Results results, const Engine& engine,
           const BuiltScenario& built, IntervalGate gate, const Scenario* scenario);

  /// Writes system.json and scenario.toml anew, where a run that goes on has another end than before.
  void describe() const;
  [[nodiscard]] std::span<Observer* const> observers() const { return observers_; }
  /// After the end of the run: tells the summary which files are incomplete, and writes it. Returns what went wrong, now
  /// or on the way.
  [[nodiscard]] std::vector<std::string> finish(Summary& summary);

 private:
  OutputDirectory directory_;
  std::string system_json_;
  std::optional<std::string> scenario_toml_;
  ResultsRecorder results_;
  BondsRecorder bonds_;
  std::optional<EnergyRecorder> energy_;
  std::optional<GeometryRecorder> geometry_;
  std::vector<Observer*> observers_{&results_, &bonds_};
};

}  // namespace ergon

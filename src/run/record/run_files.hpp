#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/run/record/bonds_recorder.hpp"
#include "ergon/run/record/energy_recorder.hpp"
#include "ergon/run/record/geometry_recorder.hpp"
#include "ergon/run/record/hdf5_results.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/record/results_files.hpp"
#include "ergon/run/summary/summary.hpp"
#include "ergon/scenario/build/build_graph.hpp"

namespace ergon {

/// What a run knows beside its system and its scenario.
struct RunFilesOptions {
  IntervalGate gate{};
  bool checked = false;  ///< its motion is, so that there will be error bars
};

/// The files of one run: results.csv and files of slower subsystems, variables.csv, bonds.csv, system.json, energy.csv where accounts
/// are kept, geometry.csv where there is something to see, scenario.toml where there is a scenario, and at the end summary.json and,
/// where the motion was checked, motion.csv. Or all of these tables and texts in results.h5.
class RunFiles {
 public:
  /// Makes the directory and opens the files in it; throws InputError where that fails. What a run goes on in waits to be cut back
  /// to where it was.
  RunFiles(const std::filesystem::path& directory, Results results, const Engine& engine,
           const BuiltScenario& built, const RunFilesOptions& options, const Scenario* scenario);

  /// Writes system.json, variables.csv and scenario.toml anew, where a run that goes on has another end than before.
  void describe();

  [[nodiscard]] std::span<Observer* const> observers() const { return observers_; }
  /// After the end of the run: tells the summary which files are incomplete, and writes it. Returns what went wrong, now
  /// or on the way.
  [[nodiscard]] std::vector<std::string> finish(Summary& summary);

 private:
  RunFiles(const std::filesystem::path& directory, Results how, const Engine& engine,
           const BuiltScenario& built, const RunFilesOptions& options, const Scenario* scenario,
           const std::vector<ResultsFile>& files);
  void add_motion_table(const BuiltScenario& built);
  void write_motion(const Motion& motion);
  void write(const char* name, const std::string& text) const;

  ResultFormats formats_;
  bool units_;
  OutputDirectory directory_;
  std::unique_ptr<Hdf5Results> hdf5_;
  std::vector<std::string> motion_columns_;  ///< of `hdf5_`
  std::string system_json_;
  std::optional<std::string> scenario_toml_;
  std::string variables_;  ///< text of variables.csv
  std::vector<std::unique_ptr<ResultsRecorder>> results_;
  std::optional<BondsRecorder> bonds_;
  std::optional<EnergyRecorder> energy_;
  std::optional<GeometryRecorder> geometry_;
  std::vector<RowRecorder*> recorders_;
  std::vector<Observer*> observers_;
};

}  // namespace ergon

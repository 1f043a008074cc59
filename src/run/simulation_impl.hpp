#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ergon/run/blueprint.hpp"
#include "ergon/run/motion/advice.hpp"
#include "ergon/run/motion/motion_checker.hpp"
#include "ergon/run/motion/sampling_watch.hpp"
#include "ergon/run/record/run_files.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/run/summary/summary_observer.hpp"
#include "ergon/run/summary/verdict_observer.hpp"

namespace ergon {

/// One run: engine, observers, check runs and files, in the stages of Simulation. Hidden, although the class around it is shown.
class __attribute__((visibility("hidden"))) Simulation::Impl {
 public:
  /// A companion has its outcome, and what its observer saw; nobody asks for its summary or its verdict.
  enum class Role { run, companion };
  Impl(std::shared_ptr<const Blueprint> blueprint, ProblemList found, Role role = Role::run);

  void check_motion(MotionCheck check);
  const std::optional<Failure>& start();
  void write_to(const std::filesystem::path& directory, Results results);
  [[nodiscard]] std::optional<std::string> why_no_checkpoints();
  void keep_checkpoints(CheckpointOptions options);
  [[nodiscard]] const std::vector<std::string>& checkpoint_errors() const;
  void require_fits(const Checkpoint& checkpoint) const;
  void go_on(const Simulation& self, const Checkpoint& checkpoint);
  void observe(Observer& observer);
  void observe(std::function<void(const StepRecord&)> at_point);
  bool advance();
  void run(const StopRequest& stop_requested);
  void set_parameter(const std::string& parameter, const TypedValue& value);

  void save(SimulationSnapshot& snapshot);
  void restore(const SimulationSnapshot& snapshot);
  [[nodiscard]] SimulationSnapshot make_snapshot() const;

  [[nodiscard]] double expected_file_bytes() const;
  [[nodiscard]] const Summary& summary() const;

  std::shared_ptr<const Blueprint> blueprint_;
  ProblemList problems_;
  std::optional<BuiltScenario> built_;
  std::unique_ptr<Engine> engine_;
  RunOutcome outcome_;
  std::vector<std::string> write_errors_;
  std::optional<Summary> summary_;  ///< once the run is over

 private:
  /// The same system at other steps; what goes wrong with it is its report's alone.
  static CompanionReport run_companion(const Blueprint& blueprint, const Rational& factor, Observer& observer,
                                       const StopRequest& stop_requested);
  /// Some methods take their memory when they first need it.
  [[nodiscard]] std::optional<Failure> next_point();
  void refuse_late(const char* what) const;
  [[nodiscard]] Changeable changeable() const;
  /// Shows the observers t₀.
  void get_under_way();
  void archive_observers(Archive& archive);
  void inspect();
  void keep_checkpoint(bool at_end);
  [[nodiscard]] std::vector<std::string> warnings_of_start() const;
  /// What must be as it was where a run goes on.
  [[nodiscard]] std::string scenario_sha256() const;
  [[nodiscard]] std::optional<StopReason> reason_to_stop(const StopRequest& stop_requested) const;
  void end(RunStatus status, std::optional<Failure> failure);

  Role role_;
  IntervalGate gate_;
  std::optional<SummaryObserver> summary_observer_;
  std::optional<VerdictObserver> verdict_observer_;
  SamplingWatch sampling_watch_;
  std::optional<MotionChecker> checker_;
  StopRequest stop_requested_;
  std::unique_ptr<RunFiles> files_;
  std::filesystem::path directory_;  ///< of `files_`
  std::unique_ptr<CheckpointKeeper> checkpoints_;
  std::optional<SimulationSnapshot> checkpoint_;  ///< room for the next one
  std::string scenario_sha256_;
  std::vector<std::string> checkpoint_errors_;
  std::optional<std::vector<std::string>>
      warnings_of_first_start_;  ///< where the run goes on from a checkpoint
  std::vector<std::unique_ptr<Observer>> own_observers_;
  std::vector<Observer*> observers_;
  bool started_ = false;
  bool under_way_ = false;
  std::optional<Failure> start_failure_;
};

}  // namespace ergon

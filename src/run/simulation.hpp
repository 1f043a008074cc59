#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/state/start_states.hpp"
#include "ergon/run/checkpoint/checkpoint_keeper.hpp"
#include "ergon/run/record/result_file.hpp"
#include "ergon/run/run.hpp"
#include "ergon/run/simulation_snapshot.hpp"
#include "ergon/run/summary/summary.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// What a scenario file says beside the system, for a system that is built in C++.
struct SimulationOptions {
  Rational start_time_s;
  Rational stop_time_s{1, 1};
  CouplingOptions coupling;
  std::vector<std::string> recorded{"*"};        ///< outputs of results.csv: patterns with * and ?
  std::vector<std::string> recorded_inputs;      ///< inputs behind them, likewise
  std::vector<std::string> recorded_bonds{"*"};  ///< of bonds.csv, likewise
  bool by_rate = false;                          ///< outputs of slower subsystems have files of their own
  bool units = false;                            ///< CSV files have a second line with units
  ResultFormats formats;                         ///< in which results are written
  std::optional<Rational> output_interval_s;     ///< nothing: every communication point
  OnUnreliable on_unreliable = OnUnreliable::carry_on;
  /// A check run scales communication steps and the tolerance of step control: steps and tolerances inside of subsystems are known to
  /// `build` only.
  MotionCheck check = MotionCheck::off;
  std::vector<std::string> sampled;  ///< subsystems whose step size is part of their law: check runs keep it
  Accuracy accuracy;                 ///< of outputs that none of `accuracies` fits
  std::vector<std::pair<std::string, Accuracy>> accuracies;  ///< by patterns with * and ?
};

/// One run of a coupled system, from the file or the graph to the verdict: what the command, the benchmarks, the tests and
/// programs of others use alike (docs/library.md).
///   Simulation simulation("machine.toml", {"left.m=3"});
///   simulation.run();
///   simulation.verdict();
/// It goes through these stages, each of which enters those before it where they are still to come:
///   made → started (t₀ is known) → under way (observers have seen t₀) → over
class ERGON_API Simulation {
 public:
  /// A scenario file, with settings as `--set` takes them. Throws InputError with everything that is wrong.
  explicit Simulation(const std::filesystem::path& scenario, const std::vector<std::string>& settings = {});
  /// `sources` tells where the models of the file come from.
  Simulation(const std::filesystem::path& scenario, const ScenarioOverrides& overrides,
             const ModelSources& sources = standard_sources());
  /// A system built in C++. `build` makes a graph with new subsystems whenever it is called: once for this run, and once
  /// for every further one.
  Simulation(std::function<SystemGraph()> build, SimulationOptions options);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// The same system once more from t₀, with subsystems of its own: the runs know nothing of each other.
  [[nodiscard]] Simulation another() const;
  /// The same with all step sizes multiplied by `factor` (but of what is sampled); where steps follow from tolerances, with a tenth of
  /// those, or ten times as much.
  [[nodiscard]] Simulation with_steps(const Rational& factor) const;

  /// Warnings and notes so far; errors are thrown.
  [[nodiscard]] const ProblemList& problems() const;
  /// Throws the warnings so far as errors, where there are any.
  void refuse_warnings() const;
  [[nodiscard]] const CoupledSystem& system() const;
  [[nodiscard]] const Engine& engine() const;
  [[nodiscard]] Engine& engine();
  /// Index of an output, "instance.port"; throws InputError if there is none.
  [[nodiscard]] Index output(const std::string& name) const;

  /// Told about every point from t₀ on; to be added before the run is under way. A reference must outlive the run.
  void observe(Observer& observer);
  void observe(std::function<void(const StepRecord&)> at_point);
  /// Checks the motion by companions at other steps (docs/theory/verdict.md), unless the scenario says how; to be asked for
  /// before the run is under way. Without it nothing is checked that the scenario does not ask for.
  void check_motion(MotionCheck unless_said);
  /// Writes results.csv, bonds.csv and, of a scenario, scenario.toml, while the run goes on, and summary.json
  /// and motion.csv, where the motion was checked, at its end.
  /// Starts the run first, so that nothing is written for bad input. Throws InputError if that cannot be written.
  /// `continued`: in a folder of an earlier run, which `go_on` is to follow.
  void write_to(const std::filesystem::path& directory, Results results = Results::anew);
  /// Why no checkpoints can be kept of this run; nothing where they can. Starts it first.
  [[nodiscard]] std::optional<std::string> why_no_checkpoints();
  /// Keeps checkpoints in `checkpoints/` of the folder of `write_to`, now and then (docs/long-runs.md). Throws InputError where that
  /// cannot be.
  void keep_checkpoints(CheckpointOptions options);
  /// Which checkpoints could not be written, and why; when the run is over.
  [[nodiscard]] const std::vector<std::string>& checkpoint_errors() const;
  /// Goes on from where `checkpoint` was kept: what follows is, bit for bit, what followed there. The stop time may be another; all
  /// else must be as it was, or InputError tells what is not. Files of `write_to` are cut back to that point.
  void go_on(const Checkpoint& checkpoint);
  /// The states of the subsystems alone as `checkpoint` has them, by their names: what [initialization] from starts with. Throws
  /// InputError where it does not fit.
  [[nodiscard]] StartStates states_of(const Checkpoint& checkpoint) const;
  /// Throws what `go_on` would, as far as that can be told before any file is touched.
  void require_fits(const Checkpoint& checkpoint) const;

  /// Computes t₀. Throws InputError where the start finds something wrong with the input; returns the failure of a model.
  const std::optional<Failure>& start();
  /// Goes on to the next communication point; false where there is none, as the run is over.
  bool advance();
  /// Goes on to the end, or until it is asked to stop: the one time loop.
  const RunOutcome& run(const StopRequest& stop_requested = {});
  /// The same, with a function that is called at t₀ and at every communication point. Returns why the run failed.
  std::optional<Failure> for_each_point(std::function<void(const StepRecord&)> at_point);

  /// From the next steps of its subsystem on, a parameter that may change during a run ("instance.parameter") has this value; the
  /// run gets under way first. Throws InputError where there is no such parameter, or where it cannot have the value.
  void set_parameter(const std::string& parameter, const TypedValue& value);

  /// Saves the run as it is now, with what its observers know; it gets under way first where it is not yet. What follows a
  /// restore is, bit for bit, what followed the save: results, summary and verdict (but for wall times), and files, which are cut
  /// back to where they were. A run that is over can be set back, but no longer be saved (std::logic_error). Throws ArchiveError
  /// where a subsystem cannot be set back. Observers of others take part by Observer::archive.
  [[nodiscard]] SimulationSnapshot save();
  void save(SimulationSnapshot& snapshot);
  void restore(const SimulationSnapshot& snapshot);
  /// The same as bytes, for a run of the same system with the same observers. Throws ArchiveError where a subsystem cannot be
  /// written down, or where the bytes are of something else.
  [[nodiscard]] std::vector<std::byte> to_bytes(const SimulationSnapshot& snapshot) const;
  [[nodiscard]] SimulationSnapshot from_bytes(std::span<const std::byte> bytes) const;

  /// Of results.csv and bonds.csv at the end of a run that finishes, within a factor of two. With step control: as if the
  /// steps stayed those that are given.
  [[nodiscard]] double expected_file_bytes() const;

  /// From the start on.
  [[nodiscard]] const StepRecord& record() const;
  /// Newest value of an output.
  [[nodiscard]] double value(const std::string& name) const;
  /// … of an integer, boolean or enumeration, with all its digits.
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  /// … of a text or bytes.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] bool over() const;

  /// When the run is over; std::logic_error before.
  [[nodiscard]] const RunOutcome& outcome() const;
  [[nodiscard]] const Summary& summary() const;
  [[nodiscard]] const Verdict& verdict() const;
  /// Error bars, where the motion was checked.
  [[nodiscard]] const Motion& motion() const;
  /// Why files of write_to() are incomplete.
  [[nodiscard]] const std::vector<std::string>& write_errors() const;

 private:
  class Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergon

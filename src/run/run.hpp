#pragma once

#include <functional>
#include <optional>

#include "ergon/core/api.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/coupling/state/archive.hpp"

namespace ergon {

/// Receives every communication point, in order. The record is valid during the call only.
class ERGON_API Observer {
 public:
  virtual ~Observer() = default;
  /// Called once, before the first point, when the system is frozen and initialised.
  virtual void begin(const Engine& engine) = 0;
  virtual void inspect(const StepRecord& record) = 0;
  /// The run is over; `failure` is set if it failed.
  virtual void end(const std::optional<Failure>& failure) = 0;
  /// After the end: the run waits for a companion that checks its motion, which has come this far; 1 once it has ended.
  virtual void checking(double /*part*/) {}
  /// Lists all that changes from point to point, for Simulation::save and restore; between begin and end, and after the end where
  /// the run is set back. Reading brings a file back to where it was, too.
  virtual void archive(Archive& /*archive*/) {}
};

/// Why a run is asked to end before its time.
enum class StopReason {
  interrupted,  ///< somebody outside wants it to (Ctrl-C)
  unreliable,   ///< its results are known to be unreliable
};
/// Asked at every point, before the next step; nothing: go on.
using StopRequest = std::function<std::optional<StopReason>()>;

enum class RunStatus {
  finished,
  failed,
  interrupted,
  stopped,  ///< its results were found unreliable
  ended,    ///< a subsystem asked for it; its name and the time are those of the failure, which is none
};

struct RunOutcome {
  RunStatus status = RunStatus::finished;
  std::optional<Failure> failure;
  double reached_time_s = 0.0;
};

}  // namespace ergon

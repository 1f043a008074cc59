#pragma once

#include <functional>
#include <optional>
#include <span>

#include "ergon/coupling/engine.hpp"

namespace ergon {

/// Receives every communication point, in order. The record is valid during the call only.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called once, before the first point, when the system is frozen and initialised.
  virtual void begin(const Engine& engine) = 0;
  virtual void inspect(const StepRecord& record) = 0;
  /// The run is over; `failure` is set if it failed.
  virtual void end(const std::optional<Failure>& failure) = 0;
};

enum class RunStatus {
  finished,
  failed,
  interrupted,
  stopped,  ///< by the caller, who found its results unreliable
};

struct RunOutcome {
  RunStatus status = RunStatus::finished;
  std::optional<Failure> failure;
  double reached_time_s = 0.0;
};

/// The one time loop, from an initialised engine. `start_failure` is what initialize() returned; `stop_requested` is
/// asked at every point (Ctrl-C).
RunOutcome run_from_start(Engine& engine, const std::optional<Failure>& start_failure,
                          std::span<Observer* const> observers,
                          const std::function<bool()>& stop_requested = {});

/// Initialises and runs; throws InputError where the start finds something wrong with the user's input.
RunOutcome run(Engine& engine, std::span<Observer* const> observers, ProblemList& problems,
               const std::function<bool()>& stop_requested = {});

}  // namespace ergon

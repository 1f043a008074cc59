#pragma once

#include <functional>
#include <optional>
#include <string>

#include "coupling/engine.hpp"

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

enum class RunStatus { finished, failed, interrupted };

struct RunOutcome {
  RunStatus status = RunStatus::finished;
  std::optional<Failure> failure;
  double reached_time_s = 0.0;
};

/// The one time loop. `stop_requested` is asked at every point (Ctrl-C).
RunOutcome run(Engine& engine, std::span<Observer* const> observers, ProblemList& problems,
               const std::function<bool()>& stop_requested = {});

}  // namespace ergon

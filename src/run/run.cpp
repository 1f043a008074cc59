#include "ergon/run/run.hpp"

namespace ergon {

RunOutcome run_from_start(Engine& engine, const std::optional<Failure>& start_failure,
                          std::span<Observer* const> observers, const std::function<bool()>& stop_requested) {
  RunOutcome outcome;
  outcome.failure = start_failure;
  for (Observer* o : observers) o->begin(engine);
  if (!outcome.failure) {
    for (Observer* o : observers) o->inspect(engine.record());
  }
  while (!outcome.failure && !engine.done()) {
    if (stop_requested && stop_requested()) {
      outcome.status = RunStatus::interrupted;
      break;
    }
    outcome.failure = engine.advance();
    if (outcome.failure) break;
    for (Observer* o : observers) o->inspect(engine.record());
  }
  if (outcome.failure) outcome.status = RunStatus::failed;
  outcome.reached_time_s = engine.record().time_s();
  for (Observer* o : observers) o->end(outcome.failure);
  return outcome;
}

RunOutcome run(Engine& engine, std::span<Observer* const> observers, ProblemList& problems,
               const std::function<bool()>& stop_requested) {
  const auto failure = engine.initialize(problems);
  if (problems.has_errors()) throw InputError(problems);
  return run_from_start(engine, failure, observers, stop_requested);
}

}  // namespace ergon

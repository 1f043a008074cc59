#include "benchmarks/framework/simulation.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "ergon/run/function_observer.hpp"
#include "ergon/run/run.hpp"
#include "ergon/scenario/build/build_graph.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon::bench {

struct Simulation::Parts {
  BuiltScenario built;
  Engine engine;
  ProblemList problems;
};

Simulation::Simulation(const std::filesystem::path& scenario, const std::vector<std::string>& overrides) {
  ProblemList problems;
  ScenarioOverrides set;
  set.settings = overrides;
  const Scenario loaded = load_scenario(scenario.string(), set, problems);
  auto built = build_graph(loaded, problems);
  if (problems.has_errors() || !built) throw InputError(problems);
  CoupledSystem& system = *built->system;
  const TimeGrid grid = built->grid;
  const CouplingOptions options = built->coupling;
  parts_.reset(new Parts{std::move(*built), Engine(system, grid, options, problems), {}});
  if (problems.has_errors()) throw InputError(problems);
}

Simulation::~Simulation() = default;

const CoupledSystem& Simulation::system() const {
  return *parts_->built.system;
}
const Engine& Simulation::engine() const {
  return parts_->engine;
}

Index Simulation::output(const std::string& name) const {
  const auto index = system().find_output(name);
  if (!index) throw std::runtime_error(fmt::format("no output '{}'", name));
  return *index;
}

Engine& Simulation::start() {
  const auto failure = parts_->engine.initialize(parts_->problems);
  if (parts_->problems.has_errors()) throw InputError(parts_->problems);
  if (failure)
    throw std::runtime_error(fmt::format("'{}' cannot start: {}", failure->subsystem, failure->what));
  return parts_->engine;
}

std::optional<Failure> Simulation::run(const std::function<void(const StepRecord&)>& at_point) {
  FunctionObserver observer(at_point);
  Observer* const observers[] = {&observer};
  return ergon::run(parts_->engine, observers, parts_->problems).failure;
}

}  // namespace ergon::bench

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ergon/run/simulation.hpp"
#include "ergon/scenario/build/build_graph.hpp"

namespace ergon {

/// A system that is built in C++.
struct GraphBlueprint {
  std::function<SystemGraph()> build;
  SimulationOptions options;
  Rational step_factor{1, 1};  ///< of all communication steps
};
/// What a system is built from, as often as it is asked for.
using Blueprint = std::variant<Scenario, GraphBlueprint>;

/// What [initialization] from names; nothing where it names nothing, or where `problems` tell why.
[[nodiscard]] std::shared_ptr<const StartStates> start_states(const Blueprint& blueprint,
                                                              ProblemList& problems);
/// Nothing where `problems` tell why.
[[nodiscard]] std::optional<BuiltScenario> build(const Blueprint& blueprint, ProblemList& problems);

[[nodiscard]] OnUnreliable on_unreliable(const Blueprint& blueprint);
/// How the motion is to be checked, where that was said.
[[nodiscard]] std::optional<MotionCheck> said_check(const Blueprint& blueprint);
/// The default step size where all step sizes follow from it; none where subsystems have their own, or a tolerance.
[[nodiscard]] std::optional<double> default_step_s(const Blueprint& blueprint);
/// The same system with all step sizes times `factor`.
[[nodiscard]] Blueprint with_steps_times(const Blueprint& blueprint, const Rational& factor);
/// These subsystems get processes of their own. False, and nothing is done, where some of them cannot have one.
[[nodiscard]] bool isolate(Blueprint& blueprint, const std::vector<std::string>& subsystems);
/// Of a companion: on one thread, unwatched.
[[nodiscard]] Blueprint with_other_steps(const Blueprint& blueprint, const Rational& factor);

}  // namespace ergon

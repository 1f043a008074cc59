#include <fmt/format.h>

#include <algorithm>

#include "coupling/engine_impl.hpp"

namespace ergon {
namespace {

bool is_position(const Unit& unit) {
  return unit.text == "m" || unit.text == "rad";
}

}  // namespace

void Engine::Impl::plan_implicit(ProblemList& problems) {
  if (!scheme->implicit) return;
  for (const Node& node : system.nodes) {
    if (node.description.algebraic || node.subsystem->rewindable() != nullptr) continue;
    problems.error(node.where,
                   fmt::format("Scheme '{}' takes steps several times, but '{}' cannot be set back.",
                               scheme->name, node.name),
                   "Use scheme = \"jacobi\", with a correction on its bonds.");
  }
  if (stepping_stages > 1) {
    problems.error({},
                   fmt::format("Scheme '{}' needs one communication step for all subsystems.", scheme->name),
                   "Give all the same step_size; a subsystem may still take smaller internal steps.");
  }
  if (!jacobian_policy(options.implicit.jacobian)) {
    problems.error({}, fmt::format("There is no way '{}' to get a Jacobian.", options.implicit.jacobian),
                   did_you_mean(options.implicit.jacobian, jacobian_policy_names()));
  }
  if (!options.corrections.empty() || options.step_control) {
    problems.error({},
                   fmt::format("Scheme '{}' has no energy correction and no step control yet.", scheme->name),
                   "Remove them, or use scheme = \"jacobi\".");
  }
  if (!system.loops.empty()) {
    problems.error({}, fmt::format("Scheme '{}' cannot have feed-through loops yet.", scheme->name),
                   "Use scheme = \"jacobi\".");
  }
  const bool positions = std::any_of(system.links.begin(), system.links.end(), [&](const auto& link) {
    if (!link) return false;
    const SignalName& input = system.inputs[link->input];
    const Node& node = system.nodes[input.node];
    return !node.description.algebraic && is_position(node.description.inputs[input.port].unit);
  });
  if (options.degree == 0 && positions && !options.implicit.accept_unstable) {
    problems.error(
        {},
        fmt::format("Scheme '{}' with degree 0 holds displacements at the value of the end of the step: they "
                    "lead, which adds negative damping of about stiffness × step/2.",
                    scheme->name),
        "Use degree = 1, exchange forces (an element between both), or say accept_unstable = true.");
  }
  if (problems.has_errors()) return;
  std::vector<InterfaceProblem::Level> levels;
  for (const Evaluation& evaluation : start_evaluations)
    levels.push_back({evaluation.stage, evaluation.members});
  implicit = std::make_unique<ImplicitStepper>(
      InterfaceProblem(system, stages, rings, std::move(levels), options.degree), options.implicit,
      scheme->iterates);
}

std::optional<Failure> Engine::Impl::advance_implicit() {
  Stage& stage = stages.front();
  stage.start = now;
  stage.next = std::min(now + stage.period, grid.end());
  clamped = clamped || stage.next - stage.start < stage.period;
  if (const auto failure = implicit->step(grid, stage.start, stage.next)) {
    if (failure->subsystem)
      return failure_of(stage, failure->subsystem->member, grid.time_s(now), failure->what);
    return Failure{system.nodes[stage.members.front().node].name, "", grid.time_s(now), failure->what};
  }
  for (Index s = 0; s < stages.size(); ++s) {
    if (auto failure = find_non_finite(stages[s], implicit->problem().outputs(s), grid.time_s(stage.next)))
      return failure;
    ++stages[s].steps;
  }
  now = stage.next;
  learn();
  return std::nullopt;
}

}  // namespace ergon

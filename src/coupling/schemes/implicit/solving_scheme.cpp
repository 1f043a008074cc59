#include "ergon/coupling/schemes/implicit/solving_scheme.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/core/displacement.hpp"
#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/schemes/implicit/implicit_stepper.hpp"

namespace ergon {
namespace {

void note_what_has_no_effect(const Scheme& scheme, const CouplingPlan& plan,
                             const InputPredictors& predictors, ProblemList& problems) {
  const CoupledSystem& system = plan.system();
  const CouplingOptions& options = plan.options();
  const auto note = [&](const char* what) {
    problems.note(options.implicit.where, fmt::format("{} no effect on '{}'.", what, scheme.name()));
  };
  if (options.starter == Starter::repeat) note("'starter' has");
  const UpdateRuleInfo* rule = find_update_rule(options.implicit.update);
  if (!options.order.empty() && (rule == nullptr || !rule->sweeps)) {
    problems.note(options.implicit.where,
                  fmt::format("'order' has no effect on '{}' but with acceleration = \"gauss-seidel\".",
                              scheme.name()));
  }
  if (!options.initial_history.empty()) note("'initial_history' has");
  if (options.feedthrough) note("'feedthrough' has");
  const auto any_link = [&](auto property) {
    return std::any_of(system.links.begin(), system.links.end(),
                       [&](const std::optional<Link>& link) { return link && property(*link); });
  };
  if (any_link([](const Link& link) { return link.degree.has_value(); })) {
    note("'extrapolation' of bonds and connections has");
  }
  if (any_link([](const Link& link) { return link.feedthrough.has_value(); })) {
    note("'feedthrough' of bonds has");
  }
  if (options.implicit.hermite &&
      !any_link([&](const Link& link) { return predictors.producer(link.input) == hermite_predictor; })) {
    note("interpolation = \"hermite\" finds no displacement that arrives with its velocity, and has");
  }
}

void check_system(const Scheme& scheme, const CouplingPlan& plan, const InputPredictors& predictors,
                  ProblemList& problems) {
  const CoupledSystem& system = plan.system();
  const CouplingOptions& options = plan.options();
  for (const Node& node : system.nodes) {
    if (node.description->algebraic) continue;
    if (live(node)->rewindable() == nullptr) {
      problems.error(
          node.where,
          fmt::format("Scheme '{}' repeats steps, but '{}' cannot roll back.", scheme.name(), node.name),
          "Use scheme = \"jacobi\", with a correction on its bonds.");
    }
    const bool connected =
        std::any_of(system.links.begin(), system.links.end(), [&](const std::optional<Link>& link) {
          return link && &system.nodes[system.inputs[link->input].node] == &node;
        });
    const bool in_one_step = plan.grid().ticks(node.step_s) == plan.longest_period();
    if (connected && options.degree > 0 && in_one_step &&
        node.description->samples_input == InputSampling::start) {
      problems.warning(node.where,
                       fmt::format("'{}' looks at its inputs at the start of a step only: what scheme '{}' "
                                   "finds for the end of the step does not reach it.",
                                   node.name, scheme.name()),
                       "Give it a smaller internal step, or integrator = \"rk4\" or \"cvode-adams\".");
    }
  }
  const auto corrected =
      std::find_if(options.corrections.begin(), options.corrections.end(),
                   [](const CorrectionRequest& request) { return request.method != "none"; });
  if (corrected != options.corrections.end()) {
    problems.error(corrected->where,
                   fmt::format("Scheme '{}' takes no energy correction: it finds the efforts that fit the "
                               "motion, so there is nothing to correct.",
                               scheme.name()),
                   "Remove the correction, or use scheme = \"jacobi\".");
  }
  if (!system.loops.empty()) {
    problems.error(
        system.nodes[system.outputs[system.loops.front().front()].node].where,
        fmt::format("Scheme '{}' cannot solve algebraic loops of feed-through outputs.", scheme.name()),
        "Give one of the subsystems a state at the interface, or use scheme = \"jacobi\".");
  }
  note_what_has_no_effect(scheme, plan, predictors, problems);
  // A motion that nothing acts upon, such as that of the ground, cannot be made unstable.
  const auto answers = [&](Index node) {
    return std::any_of(system.links.begin(), system.links.end(), [&](const std::optional<Link>& link) {
      return link && system.inputs[link->input].node == node;
    });
  };
  const auto displacement = std::find_if(system.links.begin(), system.links.end(), [&](const auto& link) {
    // Geometry turns the force of a multiplier; it stretches no spring.
    if (!link || link->geometry || predictors.producer(link->input) == hermite_predictor) return false;
    const SignalName& input = system.inputs[link->input];
    const Node& node = system.nodes[input.node];
    return !node.description->algebraic && is_displacement(node.description->inputs[input.port].unit) &&
           std::any_of(link->terms.begin(), link->terms.end(),
                       [&](const LinkTerm& term) { return answers(system.outputs[term.output].node); });
  });
  if (options.degree == 0 && displacement != system.links.end() && !options.implicit.accept_unstable) {
    const SignalName& input = system.inputs[(*displacement)->input];
    problems.error(
        system.nodes[input.node].where,
        fmt::format("Scheme '{}' with degree 0 holds '{}' at its value of the end of the step: the "
                    "displacement is ahead in time, which adds negative damping of about stiffness × step/2.",
                    scheme.name(), input.text),
        "Use degree = 1, exchange forces (an element between both), or set accept_unstable = true.");
  }
}

void check_update_rule(const UpdateRuleInfo& rule, const Scheme& scheme, bool iterates,
                       const CouplingPlan& plan, ProblemList& problems) {
  const CoupledSystem& system = plan.system();
  const CouplingOptions& options = plan.options();
  if (!rule.is_jacobian && !iterates) {
    problems.error(options.implicit.where,
                   fmt::format("acceleration = \"{}\" needs more than the one trial of scheme '{}'.",
                               rule.name, scheme.name()),
                   "Use scheme = \"implicit\", or jacobian = \"broyden\" at the same cost.");
  }
  for (const Member& m : plan.stage(0).members) {
    const Node& node = system.nodes[m.node];
    if (node.input_count == 0) continue;
    const bool derivatives = !rule.needs_derivatives || m.subsystem->directional_derivatives() != nullptr;
    const bool inertia = !rule.needs_inertia || m.subsystem->interface_inertia() != nullptr;
    if (derivatives && inertia) continue;
    problems.error(node.where,
                   fmt::format("jacobian = \"{}\" needs {} of '{}', which does not provide it.", rule.name,
                               derivatives ? "the effective inertia" : "directional derivatives", node.name),
                   "Use jacobian = \"broyden\" or \"finite-difference\".");
  }
}

}  // namespace

/// One stage for all, which steps as the slowest does: the coupling variables are those of its points. A faster subsystem takes a whole
/// number of its steps in one of them.
SchemeLayout SolvingScheme::layout(const SchemeRequest& request, ProblemList& problems) const {
  SchemeLayout layout;
  layout.scheme = name();
  const CoupledSystem& system = request.system;
  const UpdateRuleInfo* rule = find_update_rule(request.options.implicit.update);
  StageGroup all;
  if (rule != nullptr && rule->sweeps) {
    all.nodes = order_of(request, problems);
  } else {
    for (Index n = 0; n < system.nodes.size(); ++n) {
      if (!system.nodes[n].description->algebraic) all.nodes.push_back(n);
    }
  }
  Index slowest = 0;
  for (const Index n : all.nodes) {
    const Tick period = request.grid.ticks(system.nodes[n].step_s);
    if (period > all.period) slowest = n;
    all.period = std::max(all.period, period);
  }
  for (const Index n : all.nodes) {
    const Node& node = system.nodes[n];
    if (all.period % request.grid.ticks(node.step_s) == 0) continue;
    problems.error(node.where,
                   fmt::format("Scheme '{}' couples at the points of the slowest subsystem, '{}' with steps "
                               "of {} s; they are not a whole number of steps of '{}', of {} s.",
                               name(), system.nodes[slowest].name, system.nodes[slowest].step_s.value(),
                               node.name, node.step_s.value()),
                   "Choose a step_size that divides the largest one.");
  }
  if (!all.nodes.empty()) layout.groups.push_back(std::move(all));
  layout.knows_the_end = true;
  layout.pairs_rates = request.options.implicit.hermite;
  return layout;
}

std::unique_ptr<Stepper> SolvingScheme::make_stepper(const SteppingContext& context,
                                                     ProblemList& problems) const {
  const CouplingPlan& plan = context.plan;
  const ImplicitOptions& options = plan.options().implicit;
  check_system(*this, plan, context.predictors, problems);
  const UpdateRuleInfo* rule = find_update_rule(options.update);
  if (rule == nullptr) {
    std::vector<std::string> names;
    for (const UpdateRuleInfo& r : update_rules()) names.emplace_back(r.name);
    problems.error(options.where, fmt::format("There is no jacobian or acceleration '{}'.", options.update),
                   did_you_mean(options.update, names));
  }
  if (problems.has_errors()) return nullptr;
  check_update_rule(*rule, *this, iterates(), plan, problems);
  if (problems.has_errors()) return nullptr;
  return std::make_unique<ImplicitStepper>(context, *rule, iterates());
}

}  // namespace ergon

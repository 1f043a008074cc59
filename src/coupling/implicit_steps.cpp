#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/coupling/engine_impl.hpp"

// The semi-implicit and implicit schemes: what they need of the system, and their steps.

namespace ergon {
namespace {

/// Lengths and angles: what a spring answers with a force.
bool is_displacement(const Unit& unit) {
  static const Unit metre = Unit::of("m");
  return !unit.is_unspecified() && (unit.same_dimension(metre) || unit.text == "rad" || unit.text == "deg");
}

}  // namespace

void Engine::Impl::check_implicit(ProblemList& problems) const {
  for (const Node& node : system.nodes) {
    if (node.description.algebraic) continue;
    if (node.subsystem->rewindable() == nullptr) {
      problems.error(node.where,
                     fmt::format("Scheme '{}' takes steps several times, but '{}' cannot be set back.",
                                 scheme->name, node.name),
                     "Use scheme = \"jacobi\", with a correction on its bonds.");
    }
    const bool connected =
        std::any_of(system.links.begin(), system.links.end(), [&](const std::optional<Link>& link) {
          return link && &system.nodes[system.inputs[link->input].node] == &node;
        });
    if (connected && options.degree > 0 && node.description.samples_input == InputSampling::start) {
      problems.warning(node.where,
                       fmt::format("'{}' looks at its inputs at the start of a step only: what scheme '{}' "
                                   "finds for the end of the step does not reach it.",
                                   node.name, scheme->name),
                       "Give it a smaller internal step, or integrator = \"rk4\" or \"cvode-adams\".");
    }
  }
  if (stepping_stages > 1) {
    problems.error(system.nodes[stages[1].members.front().node].where,
                   fmt::format("Scheme '{}' needs one communication step for all subsystems.", scheme->name),
                   "Give all the same step_size; a subsystem may still take smaller internal steps.");
  }
  if (!options.corrections.empty()) {
    problems.error(options.corrections.front().where,
                   fmt::format("Scheme '{}' takes no energy correction: it finds the efforts that fit the "
                               "motion, so there is nothing to correct.",
                               scheme->name),
                   "Remove the correction, or use scheme = \"jacobi\".");
  }
  if (!system.loops.empty()) {
    problems.error(
        system.nodes[system.outputs[system.loops.front().front()].node].where,
        fmt::format("Scheme '{}' cannot solve algebraic loops of feed-through outputs.", scheme->name),
        "Give one of the subsystems a state at the interface, or use scheme = \"jacobi\".");
  }
  note_what_has_no_effect(problems);
  // A motion that nothing acts upon, such as that of the ground, cannot be made unstable.
  const auto answers = [&](Index node) {
    return std::any_of(system.links.begin(), system.links.end(), [&](const std::optional<Link>& link) {
      return link && system.inputs[link->input].node == node;
    });
  };
  const auto displacement = std::find_if(system.links.begin(), system.links.end(), [&](const auto& link) {
    // Geometry turns the force of a multiplier; it stretches no spring.
    if (!link || link->geometry || is_hermite[link->input]) return false;
    const SignalName& input = system.inputs[link->input];
    const Node& node = system.nodes[input.node];
    return !node.description.algebraic && is_displacement(node.description.inputs[input.port].unit) &&
           std::any_of(link->terms.begin(), link->terms.end(),
                       [&](const LinkTerm& term) { return answers(system.outputs[term.output].node); });
  });
  if (options.degree == 0 && displacement != system.links.end() && !options.implicit.accept_unstable) {
    const SignalName& input = system.inputs[(*displacement)->input];
    problems.error(
        system.nodes[input.node].where,
        fmt::format("Scheme '{}' with degree 0 holds '{}' at its value of the end of the step: the "
                    "displacement leads, which adds negative damping of about stiffness × step/2.",
                    scheme->name, input.text),
        "Use degree = 1, exchange forces (an element between both), or say accept_unstable = true.");
  }
}

void Engine::Impl::note_what_has_no_effect(ProblemList& problems) const {
  const auto note = [&](const char* what) {
    problems.note(options.implicit.where, fmt::format("{} no effect on '{}'.", what, scheme->name));
  };
  if (options.starter == Starter::repeat) note("'starter' has");
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
  if (options.implicit.hermite && std::find(is_hermite.begin(), is_hermite.end(), true) == is_hermite.end()) {
    note("interpolation = \"hermite\" finds no displacement that arrives with its velocity, and has");
  }
}

void Engine::Impl::check_update_rule(const UpdateRuleInfo& rule, ProblemList& problems) const {
  if (!rule.is_jacobian && !scheme->iterates) {
    problems.error(options.implicit.where,
                   fmt::format("acceleration = \"{}\" needs more than the one trial of scheme '{}'.",
                               rule.name, scheme->name),
                   "Use scheme = \"implicit\", or jacobian = \"broyden\" at the same cost.");
  }
  for (const Member& m : stages.front().members) {
    const Node& node = system.nodes[m.node];
    if (node.input_count == 0) continue;
    const bool derivatives = !rule.needs_derivatives || m.subsystem->directional_derivatives() != nullptr;
    const bool inertia = !rule.needs_inertia || m.subsystem->effective_inertia() != nullptr;
    if (derivatives && inertia) continue;
    problems.error(node.where,
                   fmt::format("jacobian = \"{}\" needs {} of '{}', which does not tell.", rule.name,
                               derivatives ? "the effective inertia" : "directional derivatives", node.name),
                   "Use jacobian = \"broyden\" or \"finite-difference\".");
  }
}

void Engine::Impl::plan_implicit(ProblemList& problems) {
  if (!scheme->implicit) return;
  check_implicit(problems);
  const UpdateRuleInfo* rule = find_update_rule(options.implicit.update);
  if (rule == nullptr) {
    std::vector<std::string> names;
    for (const UpdateRuleInfo& r : update_rules()) names.emplace_back(r.name);
    problems.error(options.implicit.where,
                   fmt::format("There is no jacobian or acceleration '{}'.", options.implicit.update),
                   did_you_mean(options.implicit.update, names));
  }
  if (problems.has_errors()) return;
  check_update_rule(*rule, problems);
  if (problems.has_errors()) return;
  std::vector<FeedthroughLevel> levels;
  for (const Evaluation& evaluation : start_evaluations) {
    levels.push_back({evaluation.stage, evaluation.members});
  }
  implicit = std::make_unique<ImplicitStepper>(
      InterfaceProblem(system, stages, rings, std::move(levels), options.degree, pool.get()), rule->make(),
      options.implicit, scheme->iterates);
}

/// Finds inputs of one subsystem that get an output and its rate from one other subsystem.
void Engine::Impl::plan_hermite() {
  is_hermite.assign(system.inputs.size(), false);
  if (!scheme->implicit || !options.implicit.hermite) return;
  const auto single_term = [&](Index input) -> const LinkTerm* {
    const auto& link = system.links[input];
    return link && link->terms.size() == 1 && !link->terms.front().differentiate ? &link->terms.front()
                                                                                 : nullptr;
  };
  for (const Node& node : system.nodes) {
    if (node.description.algebraic) continue;
    for (Index v = node.first_input; v < node.first_input + node.input_count; ++v) {
      const LinkTerm* rate = single_term(v);
      if (rate == nullptr) continue;
      const SignalName& rate_output = system.outputs[rate->output];
      const Node& source = system.nodes[rate_output.node];
      const std::string& of = source.description.outputs[rate_output.port].rate_of;
      if (of.empty()) continue;
      for (Index x = node.first_input; x < node.first_input + node.input_count; ++x) {
        const LinkTerm* value = single_term(x);
        if (value == nullptr) continue;
        const SignalName& output = system.outputs[value->output];
        if (output.node != rate_output.node || output.element != rate_output.element ||
            source.description.outputs[output.port].name != of) {
          continue;
        }
        const Unit& displacement_unit = node.description.inputs[system.inputs[x].port].unit;
        const Unit& velocity_unit = node.description.inputs[system.inputs[v].port].unit;
        Exchange::HermitePair pair{input_address[x].offset,
                                   input_address[v].offset,
                                   output_address[value->output].stage,
                                   output_address[value->output].offset,
                                   output_address[rate->output].offset,
                                   value->gain,
                                   value->offset,
                                   rate->gain,
                                   rate->offset,
                                   1.0};
        const auto rate_factor = [](const Unit& rate_unit, const Unit& value_unit) {
          return rate_unit.is_unspecified() || value_unit.is_unspecified()
                     ? 1.0
                     : rate_unit.factor / value_unit.factor;
        };
        pair.velocity_to_rate = rate_factor(velocity_unit, displacement_unit);
        // What arrives must still be a value and its rate: gains may have made something else of them.
        const double gain_of_rate =
            value->gain * rate_factor(source.description.outputs[rate_output.port].unit,
                                      source.description.outputs[output.port].unit);
        const double told = pair.velocity_to_rate * rate->gain;
        if (rate->offset != 0.0 || !(std::abs(told - gain_of_rate) <= 1e-12 * std::abs(gain_of_rate)))
          continue;
        is_hermite[x] = is_hermite[v] = true;
        stages[input_address[x].stage].exchange.add_hermite(pair);
      }
    }
  }
}

std::optional<Failure> Engine::Impl::advance_implicit() {
  Stage& stage = stages.front();
  stage.start = now;
  stage.next = std::min(now + stage.period, grid.end());
  clamped = clamped || stage.next - stage.start < stage.period;
  if (const auto failure = implicit->step(grid, stage.start, stage.next)) {
    if (failure->member) return failure_of(stage, failure->member->member, grid.time_s(now), failure->what);
    const SignalName& worst = system.outputs[failure->output];
    const Node& node = system.nodes[worst.node];
    return Failure{node.name, node.description.outputs[worst.port].name, grid.time_s(now), failure->what};
  }
  for (Index s = 0; s < stages.size(); ++s) {
    const double* outputs = implicit->problem().trial_outputs(s);
    if (auto failure = find_non_finite(stages[s], outputs, grid.time_s(stage.next))) return failure;
    ++stages[s].steps;
  }
  implicit->accept();
  now = stage.next;
  learn();
  return std::nullopt;
}

std::vector<double> Engine::Impl::interface_jacobian(Tick length) {
  if (implicit == nullptr) return {};
  Snapshot present;
  save(present);
  Eigen::MatrixXd matrix;
  const bool failed = implicit->jacobian(grid, now, now + length, matrix).has_value();
  restore(present);
  if (failed) return {};
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix;
  return {rows.data(), rows.data() + rows.size()};
}

}  // namespace ergon

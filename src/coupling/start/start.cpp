#include "ergon/coupling/start/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/core/ends_initialization.hpp"
#include "ergon/coupling/start/static_equilibrium.hpp"
#include "ergon/coupling/state/member_calls.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {

std::optional<Failure> Start::run(TrialRun& trial) {
  state_.reset();
  if (auto failure = initialize_subsystems()) return failure;
  const bool from_saved_states = saved_ != nullptr;
  if (from_saved_states) {
    check_saved_states();
    restore_saved_states(false);
  }
  if (plan_.options().equilibrium) solve_equilibrium(plan_, state_, *plan_.options().equilibrium, problems_);
  if (problems_.has_errors()) return std::nullopt;
  if (auto failure = StartEvaluation(plan_, state_, parts_).evaluate(problems_)) return failure;
  if (problems_.has_errors()) return std::nullopt;
  check_stated_inputs();
  check_start_conditions();
  report_loops();
  if (problems_.has_errors()) return std::nullopt;
  if (auto failure = end_initialization()) return failure;
  if (from_saved_states) {
    restore_saved_states(true);
    if (problems_.has_errors()) return std::nullopt;
    if (auto failure = StartEvaluation(plan_, state_, parts_).evaluate(problems_)) return failure;
  }
  if (problems_.has_errors() || !scheme_.uses_history()) return std::nullopt;
  if (plan_.options().starter == Starter::repeat) {
    if (auto failure = repeat_first_steps(trial)) return failure;
  }
  if (!plan_.options().initial_history.empty()) seed_initial_history();
  return std::nullopt;
}

std::optional<Failure> Start::initialize_subsystems() {
  const double t = plan_.grid().time_s(0);
  Experiment experiment{t, plan_.grid().time_s(plan_.grid().end()), std::nullopt};
  if (plan_.options().step_control) experiment.tolerance = plan_.options().step_control->rtol;
  for (const StagePlan& stage : plan_.stages()) {
    for (const Member& m : stage.members) {
      try {
        const StepStatus status = m.subsystem->initialize(experiment);
        if (!status.ok) return failure_of(plan_, m, t, status.reason);
      } catch (...) {
        return failure_of(plan_, m, t, current_exception_text());
      }
    }
  }
  return std::nullopt;
}

std::optional<Failure> Start::end_initialization() {
  const double t = plan_.grid().time_s(0);
  bool changed = false;
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    for (const Member& m : plan_.stage(s).members) {
      EndsInitialization* const ends = m.subsystem->ends_initialization();
      if (ends == nullptr) continue;
      try {
        const StepStatus status =
            ends->end_initialization(t, state_.stage(s).point_inputs().data() + m.first_input);
        if (!status.ok) return failure_of(plan_, m, t, status.reason);
        changed = has_other_outputs(s, m) || changed;
      } catch (...) {
        return failure_of(plan_, m, t, current_exception_text());
      }
    }
  }
  return changed ? StartEvaluation(plan_, state_, parts_).evaluate(problems_) : std::nullopt;
}

/// Whether any output of the member is another one than was evaluated.
bool Start::has_other_outputs(Index stage, const Member& member) const {
  const ValueCounts& counts = plan_.stage(stage).output_counts;
  std::vector<double> reals(counts.reals);
  DiscreteValues discrete{std::vector<std::int64_t>(counts.integers), std::vector<std::string>(counts.texts)};
  const double* const inputs = state_.stage(stage).point_inputs().data() + member.first_input;
  ask_outputs(member, plan_.grid().time_s(0), inputs,
              {reals.data(), discrete.integers.data(), discrete.texts.data()});
  const OutputPlanes known = newest_of(state_.stage(stage).samples());
  const Node& node = plan_.node_of(member);
  for (Index o = 0; o < node.output_count; ++o) {
    const SlotAddress a = plan_.output(node.first_output + o);
    if (a.kind == ValueKind::real && reals[a.offset] != known.reals[a.offset]) return true;
    if (a.kind == ValueKind::integer && discrete.integers[a.offset] != known.integers[a.offset]) return true;
    if (a.kind == ValueKind::text && discrete.texts[a.offset] != known.texts[a.offset]) return true;
  }
  return false;
}

void Start::report_loops() const {
  for (const auto& loop : system_.loops) {
    std::string names;
    for (const Index o : loop) names += (names.empty() ? "" : ", ") + system_.outputs[o].text;
    problems_.warning(
        system_.nodes[system_.outputs[loop.front()].node].where,
        fmt::format("Outputs {} depend on each other at the same instant. The loop is solved at the start; "
                    "during stepping it is closed with values of the last communication point.",
                    names),
        "Give one of the subsystems a state at the interface to break the loop.");
  }
}

/// A stated start value of a connected input must be what arrives there.
void Start::check_stated_inputs() const {
  for (Index input = 0; input < system_.inputs.size(); ++input) {
    if (!system_.is_start_stated[input] || !system_.links[input]) continue;
    const SlotAddress a = plan_.input(input);
    const StageState& state = state_.stage(a.stage);
    std::string stated;
    std::string arrives;
    if (a.kind == ValueKind::real) {
      const double said = *system_.stated_input_start[input];
      const double comes = state.coefficients()[a.offset];
      const double scale = std::max({std::abs(said), std::abs(comes), 1e-9});
      if (std::abs(said - comes) <= 1e-9 * scale) continue;
      stated = fmt::format("{}", said);
      arrives = fmt::format("{}", comes);
    } else if (a.kind == ValueKind::integer) {
      const Port& port = system_.input_port(input);
      stated = shown(system_.integer_start[input], port.type, port.items);
      arrives = shown(state.discrete_inputs().integers[a.offset], port.type, port.items);
    } else {
      stated = "'" + system_.text_start[input] + "'";
      arrives = "'" + state.discrete_inputs().texts[a.offset] + "'";
    }
    if (stated == arrives) continue;
    const Node& node = system_.nodes[system_.inputs[input].node];
    const std::string source = system_.outputs[system_.links[input]->terms.front().output].text;
    problems_.error(
        node.where,
        fmt::format("Initial values are inconsistent: '{}' is to start at {}, but '{}' sends {}.",
                    system_.inputs[input].text, stated, source, arrives),
        fmt::format("Make both ends agree, or leave '{}' out of 'initial'.", system_.inputs[input].text));
  }
}

void Start::check_start_conditions() const {
  for (Index n = 0; n < system_.nodes.size(); ++n) {
    const Node& node = system_.nodes[n];
    const StartCondition* condition = node.subsystem->start_condition();
    if (condition == nullptr) continue;
    const SlotAddress a = plan_.first_input_of(n);
    const std::string inconsistency = blaming(node.name, plan_.grid().time_s(0), [&] {
      return condition->inconsistency_at_start(state_.stage(a.stage).coefficients() + a.offset);
    });
    if (inconsistency.empty()) continue;
    problems_.error(node.where, fmt::format("'{}' cannot start: {}.", node.name, inconsistency),
                    "Make both agree: change its parameters, or what gives it this input.");
  }
}

}  // namespace ergon

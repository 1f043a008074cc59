#include "ergon/coupling/schemes/explicit_stepper.hpp"

#include <algorithm>

namespace ergon {
namespace {

/// Evaluates the outputs of some members; what one of them throws is its failure.
template <class Members, class Evaluate>
std::optional<Failure> evaluate_each(const CouplingPlan& plan, double time_s, const Members& members,
                                     Evaluate&& evaluate) {
  const Member* at = nullptr;
  try {
    for (const Member& m : members) {
      at = &m;
      evaluate(m);
    }
  } catch (...) {
    return failure_of(plan, *at, time_s, current_exception_text());
  }
  return std::nullopt;
}

}  // namespace

ExplicitStepper::ExplicitStepper(const SteppingContext& context) : Stepper(context) {
  for (const StagePlan& stage : plan_.stepping()) steps_.emplace_back(stage.members, context.pool);
}

std::optional<Failure> ExplicitStepper::advance() {
  if (auto failure = start_steps()) return failure;
  Tick arrival = plan_.grid().end();
  for (Index s = 0; s < plan_.stepping_stages(); ++s) arrival = std::min(arrival, state_.stage(s).next());
  const Tick last_good = state_.now();
  auto failure = arrive(arrival);
  if (!failure) {
    state_.set_now(arrival);
    failure = evaluate_point();
  }
  if (failure) state_.set_now(last_good);
  return failure;
}

NodeCost ExplicitStepper::cost(Index stage, std::size_t member) const {
  if (stage >= steps_.size()) return {state_.stage(stage).steps(), 0.0};
  return {state_.stage(stage).steps(), steps_[stage].mean_step_s(member)};
}

std::optional<Failure> ExplicitStepper::execute(Index s) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  const TimeGrid& grid = plan_.grid();
  const double t = grid.time_s(state.start());
  const double h = grid.duration_s(state.next() - state.start());
  const double t_end = grid.time_s(state.next());
  build_inputs(s);

  double* pending = state.samples().pending();
  // Outputs can be evaluated together with the step where they take the inputs as they were at its start.
  const bool together = stage.degree_cap == 0 && !stage.evaluates_separately;
  const Member* members = stage.members.data();
  const auto failed = steps_[s].run(
      stage.members.size(),
      [&](std::size_t i) {
        const Member& m = members[i];
        const InputView u = state.inputs_of(m);
        const StepStatus status = m.subsystem->step(t, h, u);
        if (together && status.ok) m.subsystem->outputs(t_end, u.coefficients, pending + m.first_output);
        return status;
      },
      [](std::size_t i) { return i; });
  state.count_step();
  if (failed) return failure_of(plan_, stage.members[failed->member], t, failed->what);
  if (!together) {
    if (auto failure = evaluate_outputs(s, t_end, h)) return failure;
  }
  return find_non_finite(plan_, stage, pending, t_end);
}

void ExplicitStepper::build_inputs(Index s) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  const TimeGrid& grid = plan_.grid();
  if (!stage.executes_at_end) {
    state.set_degree(stage.exchange.build(state_.rings(), grid, state.start(), stage.degree_cap,
                                          state.weights(), state.coefficients(), stage.slots));
  } else {
    stage.exchange.build(state_.rings(), grid, state.next(), 0, state.weights(), state.own_points().pending(),
                         stage.slots);
    state.own_points().commit(state.next());
    state.set_degree(stage.own_exchange.build(state.own_rings(), grid, state.start(), stage.degree_cap,
                                              state.own_weights(), state.coefficients(), stage.slots));
  }
  state.add_additions();
}

std::optional<Failure> ExplicitStepper::evaluate_outputs(Index s, double t_end, double h) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  if (stage.degree_cap > 0) state.close_inputs(h);
  if (stage.evaluates_separately) predict_inputs(s, h);
  const double* u = state.output_inputs();
  double* pending = state.samples().pending();
  return evaluate_each(plan_, t_end, stage.members, [&](const Member& m) {
    m.subsystem->outputs(t_end, u + m.first_input, pending + m.first_output);
  });
}

/// What the outputs are evaluated with: inputs as applied, or as predicted for the end of the step.
void ExplicitStepper::predict_inputs(Index s, double h) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  const auto evaluated_with = state.evaluated_with();
  std::copy_n(state.applied(), stage.slots, evaluated_with.begin());
  predict_kinematics(s);
  if (stage.prediction.empty()) return;
  const int degree =
      stage.prediction.build(state_.rings(), plan_.grid(), state.start(), stage.prediction.max_degree(),
                             state.prediction_weights(), state.prediction_coefficients(), stage.slots);
  const InputView predicted{state.prediction_coefficients(), stage.slots, degree};
  for (const std::uint32_t slot : stage.predicted_slots) evaluated_with[slot] = predicted(slot, h);
}

/// x̂ = x + Hẋ + ½H²a,  ẋ̂ = ẋ + Ha,  a = backward difference of ẋ (0 before there are two samples),
/// H from the newest sample to the end of the step.
void ExplicitStepper::predict_kinematics(Index s) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  const auto evaluated_with = state.evaluated_with();
  for (std::size_t i = 0; i < stage.kinematic.size(); ++i) {
    const KinematicPrediction& p = stage.kinematic[i];
    StageState::KinematicMemory& memory = state.kinematic()[i];
    const SampleRing& ring = *state_.rings()[p.source_stage];
    const double x = p.displacement_gain * ring.sample(0)[p.displacement_source] + p.displacement_offset;
    const double v = p.flow_gain * ring.sample(0)[p.flow_source];
    if (memory.samples == 0 || ring.tick(0) != memory.tick) {
      memory.previous_tick = memory.tick;
      memory.previous_flow = memory.flow;
      memory.tick = ring.tick(0);
      memory.samples = std::min(memory.samples + 1, 2);
    }
    memory.flow = v;
    const double a = memory.samples < 2 ? 0.0
                                        : (v - memory.previous_flow) /
                                              plan_.grid().duration_s(memory.tick - memory.previous_tick);
    const double H = plan_.grid().duration_s(state.next() - memory.tick);
    evaluated_with[p.displacement_slot] = x + H * (v * p.flow_to_rate) + 0.5 * H * H * (a * p.flow_to_rate);
    evaluated_with[p.flow_slot] = v + H * a;
  }
}

std::optional<Failure> ExplicitStepper::evaluate_point() {
  for (const Evaluation& evaluation : plan_.point_evaluations()) {
    const StagePlan& stage = plan_.stage(evaluation.stage);
    if (stage.algebraic) {
      if (!is_due(stage)) continue;
      if (auto failure = evaluate_elements(evaluation.stage, state_.now())) return failure;
    } else if (state_.stage(evaluation.stage).samples().tick(0) == state_.now()) {
      if (auto failure = refresh(evaluation)) return failure;
    }
  }
  return std::nullopt;
}

bool ExplicitStepper::is_due(const StagePlan& element_stage) const {
  const auto& related = element_stage.related_stages;
  const auto arrived = [&](Index s) { return state_.stage(s).samples().tick(0) == state_.now(); };
  if (related.empty()) return false;
  return element_stage.evaluate == EvaluateAt::sources ? std::all_of(related.begin(), related.end(), arrived)
                                                       : std::any_of(related.begin(), related.end(), arrived);
}

std::optional<Failure> ExplicitStepper::evaluate_elements(Index s, Tick k) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  stage.exchange.build(state_.rings(), plan_.grid(), k, 0, state.weights(), state.coefficients(),
                       stage.slots);
  // A sample at the same tick replaces the one that is there.
  const bool replaces = state.samples().count() > 0 && state.samples().tick(0) == k;
  double* plane = replaces ? state.samples().newest() : state.samples().pending();
  const double t = plan_.grid().time_s(k);
  if (auto failure = evaluate_each(plan_, t, stage.members, [&](const Member& m) {
        m.subsystem->outputs(t, state.coefficients() + m.first_input, plane + m.first_output);
      })) {
    return failure;
  }
  if (!replaces) state.samples().commit(k);
  state.count_step();
  return find_non_finite(plan_, stage, plane, t);
}

std::optional<Failure> ExplicitStepper::refresh(const Evaluation& evaluation) {
  const StagePlan& stage = plan_.stage(evaluation.stage);
  StageState& state = state_.stage(evaluation.stage);
  const auto point_inputs = state.point_inputs();
  const auto evaluated_with = state.evaluated_with();
  stage.exchange.build(state_.rings(), plan_.grid(), state_.now(), 0, state.weights(), point_inputs.data(),
                       stage.slots);
  for (const std::uint32_t slot : stage.refreshed_slots) evaluated_with[slot] = point_inputs[slot];
  const double t = plan_.grid().time_s(state_.now());
  double* newest = state.samples().newest();
  std::uint32_t at = 0;
  try {
    for (const std::uint32_t i : evaluation.members) {
      at = i;
      const Member& m = stage.members[i];
      m.subsystem->outputs(t, evaluated_with.data() + m.first_input, newest + m.first_output);
    }
  } catch (...) {
    return failure_of(plan_, stage.members[at], t, current_exception_text());
  }
  return find_non_finite(plan_, stage, newest, t);
}

}  // namespace ergon

#include "ergon/coupling/schemes/explicit_stepper.hpp"

#include <algorithm>

#include "ergon/coupling/state/member_calls.hpp"

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

ExplicitStepper::ExplicitStepper(const SteppingContext& context) : Stepper(context), parts_(context.parts) {
  for (const StagePlan& stage : plan_.stepping()) {
    steps_.emplace_back(stage.members, context.pool);
    runs_.push_back(runs_of(stage));
  }
  for (Index s = 0; s < plan_.stepping_stages(); ++s) {
    StageStep& step = stage_steps_.emplace_back();
    step.stage = &plan_.stage(s);
    step.runs = &runs_[s];
    step.state = &state_.stage(s);
    step.steps = &steps_[s];
    step.executes_at_end = step.stage->executes_at_end;
    step.all = &state_;
    step.held = predictors_.held(s);
    step.has_discrete = step.stage->input_counts.has_discrete() || step.stage->output_counts.has_discrete();
    step.has_laws = !step.stage->fed_by_laws.empty() || !step.stage->read_by_laws.empty();
    // Outputs can be evaluated together with the step where they take the inputs as they were at its start.
    step.in_runs = step.state->degree_cap() == 0 && predictors_.evaluates_as_applied(s);
    step.with_outputs = step.in_runs;
    const Runs::Run& first = step.runs->run_of.front();
    if (step.in_runs && first.end == step.runs->members.size()) step.one_run = first.together;
    step.output_inputs = step.state->coefficients();
  }
}

ExplicitStepper::Runs ExplicitStepper::runs_of(const StagePlan& stage) {
  const std::size_t count = stage.members.size();
  Runs runs;
  runs.run_of.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Member& m = stage.members[i];
    const Subsystem::Grouped grouped = m.subsystem->grouped_steps();
    runs.members.push_back({grouped.self, m.first_input, m.first_output});
    runs.run_of[i].together = m.discrete != nullptr ? nullptr : grouped.steps;
  }
  for (std::size_t i = count; i-- > 0;) {
    // What is not thread-safe has a thread of its own.
    const bool goes_on = i + 1 < count && runs.run_of[i + 1].together == runs.run_of[i].together &&
                         stage.members[i + 1].thread_safe == stage.members[i].thread_safe;
    runs.run_of[i].end = goes_on ? runs.run_of[i + 1].end : i + 1;
  }
  return runs;
}

std::optional<Failure> ExplicitStepper::advance() {
  if (parts_.decisions == nullptr) return reach_next_point();
  const Tick last_good = state_.now();
  auto failure = parts_.decisions->failure(reach_next_point());
  if (failure) state_.set_now(last_good);  // where another part failed, too
  return failure;
}

std::optional<Failure> ExplicitStepper::reach_next_point() {
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
  return cost_of(stage, stage < steps_.size() ? steps_[stage].mean_step_s(member) : 0.0);
}

void ExplicitStepper::StageStep::begin(std::size_t i, bool is_timed) {
  const Member& m = stage->members[i];
  set_discrete_inputs(m, state->discrete_inputs());
  m.async->begin_step(interval.start_s, interval.length_s, state->inputs_of(m), is_timed);
}

StepStatus ExplicitStepper::StageStep::step(std::size_t i) {
  const Member& m = stage->members[i];
  set_discrete_inputs(m, state->discrete_inputs());
  const StepStatus status =
      take_step(m, interval.start_s, interval.length_s, state->inputs_of(m), discarded());
  if (with_outputs && status.ok) ask_outputs(m, interval.end_s, output_inputs + m.first_input, pending);
  return status;
}

StepStatus ExplicitStepper::StageStep::together(std::size_t& i, std::size_t end) {
  const Runs::Run& run = runs->run_of[i];
  if (!in_runs || run.together == nullptr) return {};
  const StepStatus status = run.together->run(std::span(runs->members).first(std::min(run.end, end)), i,
                                              interval, state->coefficients(), pending.reals);
  return status.ok ? status : finish(i, status);
}

StepStatus ExplicitStepper::StageStep::finish_all(std::size_t& i, const StepStatus& ended) {
  StepStatus status = finish(i, ended);
  while (status.ok && i < runs->members.size()) status = together(i, runs->members.size());
  return status;
}

StepStatus ExplicitStepper::StageStep::finish(std::size_t& i, const StepStatus& ended) {
  const Member& m = stage->members[i];
  const StepStatus rest =
      finish_step(m, interval.start_s, interval.length_s, state->inputs_of(m), ended, discarded());
  if (rest.ok) {
    ask_outputs(m, interval.end_s, output_inputs + m.first_input, pending);
    ++i;
  }
  return rest;
}

void ExplicitStepper::close_before_steps(Index s) {
  StageStep& step = stage_steps_[s];
  if (!step.with_outputs) step.output_inputs = step.state->output_inputs();
  step.with_outputs = true;
}

std::optional<Failure> ExplicitStepper::close_outputs(Index s, const StageStep& step) {
  if (auto failure = close_inputs(s)) return failure;
  if (step.with_outputs) return std::nullopt;
  const double t = step.interval.end_s;
  const double* u = step.state->output_inputs();
  return evaluate_each(plan_, t, step.stage->members,
                       [&](const Member& m) { ask_outputs(m, t, u + m.first_input, step.pending); });
}

Failure ExplicitStepper::failure_of_step(Index s, const MemberFailure& failed) const {
  Failure failure = failure_of(plan_, plan_.stage(s).members[failed.member],
                               plan_.grid().time_s(state_.stage(s).start()), failed.what);
  failure.discarded = failed.discarded;
  return failure;
}

std::optional<Failure> ExplicitStepper::find_bad_output(const StagePlan& stage, const OutputPlanes& y,
                                                        double t) const {
  if (stage.output_counts.integers > 0) {
    if (auto failure = find_impossible(plan_, stage, y.integers, t)) return failure;
  }
  return find_non_finite(plan_, stage, y.reals, t);
}

std::optional<Failure> ExplicitStepper::make_discrete_inputs(Index s) {
  StageState& state = state_.stage(s);
  if (const auto slot =
          plan_.stage(s).discrete_exchange.build_newest(state_.rings(), state.discrete_inputs()))
    return overflow_of(plan_, s, *slot, plan_.grid().time_s(state.start()));
  return std::nullopt;
}

std::optional<Failure> ExplicitStepper::close_inputs(Index s) {
  if (auto failure = predictors_.close(s)) return failure;
  StageState& state = state_.stage(s);
  if (plan_.stage(s).input_counts.has_discrete()) state.discrete_evaluated_with() = state.discrete_inputs();
  return std::nullopt;
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
  const double t = plan_.grid().time_s(k);
  if (const auto slot = stage.discrete_exchange.build_newest(state_.rings(), state.discrete_inputs()))
    return overflow_of(plan_, s, *slot, t);
  // A sample at the same tick replaces the one that is there.
  const bool replaces = state.samples().count() > 0 && state.samples().tick(0) == k;
  const OutputPlanes plane = replaces ? newest_of(state.samples()) : pending_of(state.samples());
  if (auto failure = evaluate_each(plan_, t, stage.members, [&](const Member& m) {
        set_discrete_inputs(m, state.discrete_inputs());
        ask_outputs(m, t, state.coefficients() + m.first_input, plane);
      })) {
    return failure;
  }
  if (!replaces) state.samples().commit(k);
  state.count_step();
  return find_bad_output(stage, plane, t);
}

std::optional<Failure> ExplicitStepper::refresh(const Evaluation& evaluation) {
  const StagePlan& stage = plan_.stage(evaluation.stage);
  StageState& state = state_.stage(evaluation.stage);
  const auto point_inputs = state.point_inputs();
  const auto evaluated_with = state.evaluated_with();
  stage.exchange.build(state_.rings(), plan_.grid(), state_.now(), 0, state.weights(), point_inputs.data(),
                       stage.slots);
  state.add_moving(state_.rings(), state_.now(), point_inputs.data());
  for (const std::uint32_t slot : stage.refreshed_slots) evaluated_with[slot] = point_inputs[slot];
  const double t = plan_.grid().time_s(state_.now());
  if (auto failure = refresh_discrete(evaluation.stage, t)) return failure;
  const OutputPlanes newest = newest_of(state.samples());
  std::uint32_t at = 0;
  try {
    for (const std::uint32_t i : evaluation.members) {
      at = i;
      const Member& m = stage.members[i];
      set_discrete_inputs(m, state.discrete_evaluated_with());
      ask_outputs(m, t, evaluated_with.data() + m.first_input, newest);
    }
  } catch (...) {
    return failure_of(plan_, stage.members[at], t, current_exception_text());
  }
  if (auto failure = parts_.complete(evaluation.stage, evaluation.members, newest)) return failure;
  return find_bad_output(stage, newest, t);
}

std::optional<Failure> ExplicitStepper::refresh_discrete(Index s, double t) {
  const StagePlan& stage = plan_.stage(s);
  if (!stage.input_counts.has_discrete()) return std::nullopt;
  StageState& state = state_.stage(s);
  DiscreteValues& arrived = state.discrete_point_inputs();
  if (const auto slot = stage.discrete_exchange.build_newest(state_.rings(), arrived))
    return overflow_of(plan_, s, *slot, t);
  DiscreteValues& used = state.discrete_evaluated_with();
  for (const std::uint32_t slot : stage.refreshed_integers) used.integers[slot] = arrived.integers[slot];
  for (const std::uint32_t slot : stage.refreshed_texts) used.texts[slot] = arrived.texts[slot];
  return std::nullopt;
}

}  // namespace ergon

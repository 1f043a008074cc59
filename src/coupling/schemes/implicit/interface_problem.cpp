#include "ergon/coupling/schemes/implicit/interface_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ergon/coupling/state/foreign_step.hpp"
#include "ergon/coupling/state/member_calls.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"
#include "ergon/signal/extrapolation.hpp"

namespace ergon {
namespace {

/// Outputs that differ by less, relative to their sizes, are the same.
constexpr double rounding = 1e-12;

}  // namespace

InterfaceProblem::InterfaceProblem(const SteppingContext& context, bool watches_states, bool sweeps)
    : context_(context),
      plan_(context.plan),
      system_(context.plan.system()),
      state_(context.state),
      predictors_(context.predictors),
      stage_(plan_.stage(0)),
      inputs_of_step_(state_.stage(0)),
      steps_(stage_.members, context.pool),
      asked_(&stage_.members.front()),
      structure_(interface_structure(plan_)),
      watches_states_(watches_states),
      sweeps_(sweeps),
      trials_(plan_, stage_, !sweeps && ChangedOutputs::is_possible(plan_)),
      sizes_(system_, structure_) {
  std::size_t most_inputs = 0;
  for (const StagePlan& stage : plan_.stages()) {
    y_.emplace_back(2, stage.output_count, stage.output_counts.integers, stage.output_counts.texts);
    accepted_.emplace_back(stage.output_count, 0.0);
    predicted_.emplace_back(stage.output_count, 0.0);
    most_inputs = std::max(most_inputs, stage.slots);
  }
  for (const SampleRing& ring : y_) y_rings_.push_back(&ring);
  inputs_.resize(most_inputs);
  feeds_through_.assign(stage_.members.size(), false);
  for (const Evaluation& level : plan_.start_evaluations()) {
    for (const std::uint32_t m : level.members) {
      if (level.stage == 0) feeds_through_[m] = true;
    }
  }
  for (const Member& m : stage_.members) {
    for (std::uint32_t o = 0; o < m.output_count; ++o) {
      if (system_.output_level[plan_.node_of(m).first_output + o] == 0) {
        state_outputs_.push_back(m.first_output + o);
      }
    }
  }
  last_state_outputs_.assign(state_outputs_.size(), 0.0);
  state_output_sizes_.assign(state_outputs_.size(), 0.0);

  trial_planes_.resize(plan_.stages().size());
  y_planes_.resize(plan_.stages().size());
  for (const InterfaceUnknown& unknown : structure_.unknowns)
    places_.push_back({static_cast<std::uint32_t>(unknown.stage), unknown.offset});
  const auto n = static_cast<Eigen::Index>(size());
  u_.setZero(n);
  g_.setZero(n);
  for (const auto& group : structure_.groups) {
    std::vector<std::uint32_t> readers;
    for (const std::uint32_t i : group) {
      const auto& of_column = structure_.unknowns[i].readers;
      readers.insert(readers.end(), of_column.begin(), of_column.end());
    }
    group_readers_.push_back(trials_.list(readers));
  }
  if (sweeps_)
    plan_sweep();
  else if (ChangedOutputs::is_possible(plan_))
    changed_outputs_.emplace(plan_, trials_, group_readers_);
}

/// Which unknowns are known anew when a member has taken its turn: its own, and those of laws that look at it.
void InterfaceProblem::plan_sweep() {
  std::vector<std::vector<Index>> readers(system_.nodes.size());
  for (const auto& link : system_.links) {
    if (!link) continue;
    for (const LinkTerm& term : link->terms)
      readers[system_.outputs[term.output].node].push_back(system_.inputs[link->input].node);
  }
  for (std::uint32_t m = 0; m < stage_.members.size(); ++m) {
    std::vector<bool> is_new(system_.nodes.size(), false);
    std::vector<Index> open = {stage_.members[m].node};
    while (!open.empty()) {
      const Index node = open.back();
      open.pop_back();
      if (is_new[node]) continue;
      is_new[node] = true;
      for (const Index reader : readers[node]) {
        if (system_.nodes[reader].description->algebraic) open.push_back(reader);
      }
    }
    const std::array<std::uint32_t, 1> alone = {m};
    Turn& turn = turns_.emplace_back(Turn{trials_.list(alone), {}});
    for (std::uint32_t i = 0; i < structure_.unknowns.size(); ++i) {
      if (is_new[system_.outputs[structure_.unknowns[i].output].node]) turn.unknowns.push_back(i);
    }
  }
}

/// The last turn leaves Y of all; g is then the difference to what the sweep began with.
std::optional<MemberFailure> InterfaceProblem::sweep() {
  for (const Turn& turn : turns_) {
    build_inputs();
    if (auto failure = step_members(turn.member, MemberTrials::State::end, y_.front().newest()))
      return failure;
    evaluate_outputs();
    for (const std::uint32_t i : turn.unknowns) trial(i) = evaluated(i);
  }
  set_trial(u_);
  return std::nullopt;
}

std::optional<MemberFailure> InterfaceProblem::integrate_members() {
  if (sweeps_) return sweep();
  build_inputs();
  if (auto failure = step_members(trials_.all(), MemberTrials::State::end, y_.front().newest()))
    return failure;
  evaluate_outputs();
  return std::nullopt;
}

void InterfaceProblem::restart() {
  sizes_.restart();
  std::fill(state_output_sizes_.begin(), state_output_sizes_.end(), 0.0);
  integrations_ = 0;
  for (Index s = 0; s < accepted_.size(); ++s) {
    std::copy_n(state_.rings()[s]->sample(0), accepted_[s].size(), accepted_[s].begin());
  }
}

void InterfaceProblem::look_up_planes() {
  for (Index s = 0; s < y_.size(); ++s) {
    trial_planes_[s] = state_.stage(s).samples().newest();
    y_planes_[s] = y_[s].newest();
  }
}

const Eigen::VectorXd& InterfaceProblem::predict(Tick start, Tick end) {
  const TimeGrid& grid = plan_.grid();
  step_ = {start, end, grid.time_s(start), grid.duration_s(end - start)};
  trials_.keep_start(step_.start_s);
  const int degree = plan_.options().degree;
  for (Index s = 0; s < state_.stage_count(); ++s) {
    SampleRing& ring = state_.stage(s).samples();
    std::copy_n(ring.sample(0), ring.width(), y_[s].restart(start));
    y_[s].adopt_discrete(ring);
    y_[s].hold_discrete(ring);
    y_[s].commit(end);
    const std::size_t samples = std::min(static_cast<std::size_t>(degree) + 1, ring.count());
    std::array<double, max_extrapolation_samples> times{};
    // τ = 0 is the end of the step: the constant term is the value there.
    for (std::size_t j = 0; j < samples; ++j) times[j] = grid.duration_s(ring.tick(j) - end);
    const auto weight = polynomial_weights({times.data(), samples}).weight[0];
    double* predicted = ring.pending();
    std::fill_n(predicted, ring.width(), 0.0);
    const auto width = static_cast<Eigen::Index>(ring.width());
    for (std::size_t j = 0; j < samples; ++j)
      Eigen::VectorXd::Map(predicted, width) += weight[j] * Eigen::VectorXd::Map(ring.sample(j), width);
    ring.hold_discrete(ring);
    ring.commit(end);
  }
  if (const auto slot =
          stage_.discrete_exchange.build_newest(state_.rings(), inputs_of_step_.discrete_inputs()))
    overflow_ = overflow_of(plan_, 0, *slot, step_.start_s);
  look_up_planes();
  double* variables = u_.data();
  for (std::size_t i = 0, n = size(); i < n; ++i) variables[i] = trial(i);
  return u_;
}

void InterfaceProblem::set_trial(const Eigen::VectorXd& u) {
  const double* variables = u.data();
  for (std::size_t i = 0, n = size(); i < n; ++i) trial(i) = variables[i];
}

void InterfaceProblem::build_inputs() {
  inputs_of_step_.set_degree(predictors_.build(0, step_.start, inputs_of_step_.coefficients()));
}

/// So many equal steps within one: at ticks, but in the last step of a run, or in one that step control has shortened.
class InterfaceProblem::Substeps {
 public:
  Substeps(const TimeGrid& grid, const Step& step, std::uint32_t count)
      : grid_(grid), step_(step), count_(static_cast<double>(count)) {
    const Tick length = step.end - step.start;
    if (length % static_cast<Tick>(count) == 0) ticks_ = length / static_cast<Tick>(count);
  }
  [[nodiscard]] double start_s(std::uint32_t k) const {
    if (ticks_ > 0) return grid_.time_s(step_.start + ticks_ * static_cast<Tick>(k));
    return step_.start_s + step_.length_s * (static_cast<double>(k) / count_);
  }
  [[nodiscard]] double length_s() const {
    return ticks_ > 0 ? grid_.duration_s(ticks_) : step_.length_s / count_;
  }

 private:
  const TimeGrid& grid_;
  const Step& step_;
  double count_;
  Tick ticks_ = 0;  ///< of each; 0: it is no whole number
};

/// From the start of the step; each member is its own, so that threads can share them.
struct InterfaceProblem::TrialSteps {
  InterfaceProblem& problem;
  const MemberTrials::List& members;
  MemberTrials::State to;
  double* y;
  Discarded discarded;

  [[nodiscard]] std::size_t member(std::size_t i) const { return members.members[i]; }
  void begin(std::size_t i, bool is_timed) {
    const Member& m = problem.stage_.members[member(i)];
    const StageState& inputs = problem.inputs_of_step_;
    if (m.substeps > 1) return;  // they are waited for one by one
    set_back(i);
    set_discrete_inputs(m, inputs.discrete_inputs());
    m.async->begin_step(problem.step_.start_s, problem.step_.length_s, inputs.inputs_of(m), is_timed);
  }
  StepStatus step(std::size_t i) {
    if (members.runs[members.run_of[i]].together != nullptr) {
      take(i, i + 1);
      return {};
    }
    const Member& m = problem.stage_.members[member(i)];
    const StageState& inputs = problem.inputs_of_step_;
    if (m.async == nullptr || !m.async->is_under_way()) set_back(i);
    set_discrete_inputs(m, inputs.discrete_inputs());
    if (m.substeps > 1) return take_substeps(i, m, inputs.inputs_of(m));
    return take_step(m, problem.step_.start_s, problem.step_.length_s, inputs.inputs_of(m), discarded);
  }
  /// Of a fast member, each with the polynomials of the whole step as they go on from its start.
  StepStatus take_substeps(std::size_t i, const Member& m, const InputView& u) {
    thread_local std::vector<double> scratch;
    const Substeps steps(problem.plan_.grid(), problem.step_, m.substeps);
    for (std::uint32_t k = 0; k < m.substeps; ++k) {
      const double at_s = steps.start_s(k);
      const InputView from_here = shifted(m, u, at_s - problem.step_.start_s, scratch);
      const StepStatus status = take_step(m, at_s, steps.length_s(), from_here, discarded);
      if (!status.ok) {
        if (status.outcome == StepOutcome::discarded) set_back(i);
        return status;
      }
    }
    return {};
  }
  void set_back(std::size_t i) {
    problem.trials_.slots(MemberTrials::State::start).restore(members.members[i]);
  }
  StepStatus together(std::size_t& i, std::size_t end) {
    const MemberTrials::List::Run& run = members.runs[members.run_of[i]];
    if (run.together == nullptr) return {};
    const std::size_t last = std::min<std::size_t>(run.end, end);
    take(i, last);
    i = last;
    return {};
  }
  void take(std::size_t first, std::size_t last) {
    problem.trials_.run(members, first, last, problem.step_.length_s, problem.inputs_of_step_.coefficients(),
                        to, y);
  }
};

std::optional<MemberFailure> InterfaceProblem::step_members(const MemberTrials::List& members,
                                                            MemberTrials::State to, double* y) {
  for (const std::uint32_t m : members.members) integrations_ += stage_.members[m].substeps;
  TrialSteps steps{*this, members, to, y,
                   state_.repeats_discarded() ? Discarded::returned : Discarded::in_pieces};
  return steps_.run(members.size(), steps);
}

std::span<const double> InterfaceProblem::look_up_trial_inputs() {
  std::copy_n(inputs_of_step_.coefficients(), stage_.slots, inputs_.begin());
  stage_.exchange.copy_samples(state_.rings(), plan_.grid(), step_.end, inputs_.data());
  return inputs_;
}

/// Y: first what depends on states alone, then laws and feed-through, each from what the outputs already are.
void InterfaceProblem::evaluate_outputs() {
  if (changed_outputs_) {
    const double t = plan_.grid().time_s(step_.end);
    double* y = y_.front().newest();
    if (!trials_.others().empty()) {
      look_up_trial_inputs();
      for (const std::uint32_t i : trials_.others()) {
        const Member& m = stage_.members[i];
        asked_ = &m;
        m.subsystem->outputs(t, inputs_.data() + m.first_input, y + m.first_output);
      }
    }
    changed_outputs_->evaluate_all(t, inputs_of_step_.evaluated_with().data(), y, asked_);
  } else {
    evaluate_whole();
  }
  const double* u = u_.data();
  double* g = g_.data();
  for (std::size_t i = 0, n = size(); i < n; ++i) g[i] = u[i] - evaluated(i);
}

void InterfaceProblem::evaluate_whole() {
  const double t = plan_.grid().time_s(step_.end);
  look_up_trial_inputs();
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(state_.rings()[s]->sample(0), y_[s].width(), y_[s].newest());
  }
  for (const Member& m : stage_.members) {
    asked_ = &m;
    set_discrete_inputs(m, inputs_of_step_.discrete_inputs());
    ask_outputs(m, t, inputs_.data() + m.first_input, newest_of(y_.front()));
  }
  for (const Evaluation& level : plan_.start_evaluations()) {
    const StagePlan& at = plan_.stage(level.stage);
    StageState& state = state_.stage(level.stage);
    std::copy_n(state.coefficients(), at.slots, inputs_.begin());
    at.exchange.copy_samples(y_rings_, plan_.grid(), step_.end, inputs_.data());
    DiscreteValues& discrete = state.discrete_evaluated_with();
    if (const auto slot = at.discrete_exchange.build_newest(y_rings_, discrete))
      overflow_ = overflow_of(plan_, level.stage, *slot, t);
    for (const std::uint32_t i : level.members) {
      const Member& m = at.members[i];
      asked_ = &m;
      set_discrete_inputs(m, discrete);
      ask_outputs(m, t, inputs_.data() + m.first_input, newest_of(y_[level.stage]));
      std::copy_n(inputs_.begin() + m.first_input, m.input_count,
                  state.evaluated_with().begin() + m.first_input);
    }
  }
}

std::optional<MemberFailure> InterfaceProblem::integrate(const Eigen::VectorXd& u) {
  set_trial(u);
  u_ = u;
  return integrate_prediction();
}

std::optional<MemberFailure> InterfaceProblem::integrate_prediction() {
  if (auto failure = integrate_members()) return failure;
  if (watches_states_) watch_states();
  return std::nullopt;
}

void InterfaceProblem::watch_states() {
  unmoved_ = !state_outputs_.empty();
  const double* y = y_.front().sample(0);
  for (std::size_t i = 0; i < state_outputs_.size(); ++i) {
    const double value = y[state_outputs_[i]];
    const double size = std::max(state_output_sizes_[i], std::abs(value));
    if (!(std::abs(value - last_state_outputs_[i]) <= rounding * size)) unmoved_ = false;
    last_state_outputs_[i] = value;
  }
}

void InterfaceProblem::keep_prediction() {
  sizes_.begin(u_, g_);
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(y_[s].sample(0), predicted_[s].size(), predicted_[s].begin());
  }
}

void InterfaceProblem::accept(bool evaluated) {
  trials_.finish();
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(y_[s].sample(0), y_[s].width(), state_.stage(s).samples().newest());
    std::copy_n(y_[s].sample(0), y_[s].width(), accepted_[s].begin());
    state_.stage(s).samples().adopt_discrete(y_[s]);
  }
  if (!evaluated) set_trial(u_);
  inputs_of_step_.close_inputs(step_.length_s);
  for (std::size_t i = 0; i < stage_.members.size(); ++i) {
    if (feeds_through_[i]) continue;
    const Member& m = stage_.members[i];
    std::copy_n(inputs_of_step_.end_values().begin() + m.first_input, m.input_count,
                inputs_of_step_.evaluated_with().begin() + m.first_input);
  }
  sizes_.accept(u_, g_);
  for (std::size_t i = 0; watches_states_ && i < state_outputs_.size(); ++i) {
    state_output_sizes_[i] =
        std::max(state_output_sizes_[i], std::abs(y_.front().sample(0)[state_outputs_[i]]));
  }
  // Laws were evaluated at the end of the step: monitors and accounts look there.
  for (Index s = plan_.stepping_stages(); s < y_.size(); ++s) {
    StageState& law = state_.stage(s);
    std::copy_n(law.evaluated_with().begin(), plan_.stage(s).input_count, law.coefficients());
  }
}

void InterfaceProblem::archive(Archive& archive) {
  sizes_.archive(archive);
  archive(std::span(state_output_sizes_));
  for (std::vector<double>& outputs : accepted_) archive(std::span(outputs));
}

void InterfaceProblem::archive_totals(Archive& archive) {
  archive(integrations_);
  for (std::vector<double>& outputs : predicted_) archive(std::span(outputs));
}

}  // namespace ergon

#include "ergon/coupling/schemes/implicit/interface_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ergon/core/unit_kinds.hpp"
#include "ergon/coupling/state/foreign_step.hpp"
#include "ergon/coupling/state/member_calls.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"
#include "ergon/signal/extrapolation.hpp"

namespace ergon {
namespace {

/// Of finite differences, relative to the size of the variable: uncritical between 1e-10 and 1e-2.
constexpr double relative_increment = 1e-6;
/// Below this a variable counts as zero, and then is measured by `size_of_zero`.
constexpr double nothing = 1e-12;
constexpr double size_of_zero = 1e-4;
/// Of the largest variable of the same dimension: none is measured by less.
constexpr double floor_of_weights = 1e-3;
/// Outputs that differ by less, relative to their sizes, are the same.
constexpr double rounding = 1e-12;

}  // namespace

InterfaceProblem::InterfaceProblem(const SteppingContext& context)
    : plan_(context.plan),
      system_(context.plan.system()),
      state_(context.state),
      predictors_(context.predictors),
      stage_(plan_.stage(0)),
      inputs_of_step_(state_.stage(0)),
      steps_(stage_.members, context.pool),
      asked_(&stage_.members.front()),
      structure_(interface_structure(plan_)),
      start_states_(plan_, stage_.members),
      end_states_(plan_, stage_.members),
      perturbed_states_(plan_, stage_.members) {
  std::size_t most_inputs = 0;
  for (const StagePlan& stage : plan_.stages()) {
    y_.emplace_back(2, stage.output_count, stage.output_lanes.integers, stage.output_lanes.texts);
    accepted_.emplace_back(stage.output_count, 0.0);
    predicted_.emplace_back(stage.output_count, 0.0);
    most_inputs = std::max(most_inputs, stage.slots);
  }
  changed_y_ = y_;
  for (const SampleRing& ring : y_) y_rings_.push_back(&ring);
  for (const SampleRing& ring : changed_y_) changed_y_rings_.push_back(&ring);
  inputs_.resize(most_inputs);
  changed_inputs_.resize(most_inputs);

  changed_coefficients_.resize(inputs_of_step_.all_coefficients().size());
  std::size_t most_states = 0;
  std::size_t most_outputs = 0;
  for (std::uint32_t m = 0; m < stage_.members.size(); ++m) {
    Subsystem& subsystem = *stage_.members[m].subsystem;
    all_members_.push_back(m);
    const DirectionalDerivatives* derivatives = subsystem.directional_derivatives();
    const std::size_t states = derivatives != nullptr ? derivatives->state_count() : 0;
    state_changes_.emplace_back(states, 0.0);
    most_states = std::max(most_states, states);
    most_outputs = std::max<std::size_t>(most_outputs, stage_.members[m].output_count);
  }
  sensitivity_ = StateSensitivity(most_states, most_inputs, most_outputs);
  rate_change_.resize(most_states);
  no_change_.assign(std::max(most_states, most_inputs), 0.0);
  output_change_.resize(most_outputs);
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

  for (const auto& group : structure_.groups) {
    auto& readers = group_readers_.emplace_back();
    for (const std::uint32_t i : group) {
      const auto& of_column = structure_.unknowns[i].readers;
      readers.insert(readers.end(), of_column.begin(), of_column.end());
    }
  }
  for (const auto& batch : structure_.batches) {
    auto& readers = batch_readers_.emplace_back();
    for (const std::uint32_t group : batch) {
      readers.insert(readers.end(), group_readers_[group].begin(), group_readers_[group].end());
    }
  }
  changed_outputs_ = ChangedOutputs::plan(plan_, group_readers_);
  trial_planes_.resize(plan_.stages().size());
  y_planes_.resize(plan_.stages().size());
  for (std::size_t i = 0; i < size(); ++i) {
    const InterfaceUnknown& unknown = structure_.unknowns[i];
    places_.push_back({static_cast<std::uint32_t>(unknown.stage), unknown.offset});
    const SignalName& port = system_.outputs[unknown.output];
    const SignalName* next = i + 1 < size() ? &system_.outputs[structure_.unknowns[i + 1].output] : nullptr;
    if (next == nullptr || next->node != port.node || next->port != port.port)
      port_ends_.push_back(static_cast<Eigen::Index>(i) + 1);
  }
  UnitKinds kinds;
  for (const InterfaceUnknown& unknown : structure_.unknowns) {
    const SignalName& signal = system_.outputs[unknown.output];
    kinds_.push_back(kinds.of(system_.nodes[signal.node].description->outputs[signal.port].unit));
  }
  largest_of_kind_.resize(kinds.count());
  const auto n = static_cast<Eigen::Index>(size());
  u_.setZero(n);
  g_.setZero(n);
  y_reference_.setZero(n);
  scale_.setZero(n);
  weights_.setOnes(n);
  increments_.setZero(n);
  increment_sizes_.setOnes(n);
}

void InterfaceProblem::restart() {
  scale_.setZero();
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

const Eigen::VectorXd& InterfaceProblem::predict(const TimeGrid& grid, Tick start, Tick end) {
  start_ = start;
  end_ = end;
  start_s_ = grid.time_s(start);
  length_s_ = grid.duration_s(end - start);
  start_states_.save_all(start_s_);
  const int degree = plan_.options().degree;
  for (Index s = 0; s < state_.stage_count(); ++s) {
    SampleRing& ring = state_.stage(s).samples();
    for (auto* evaluations : {&y_[s], &changed_y_[s]}) {
      std::copy_n(ring.sample(0), ring.width(), evaluations->restart(start));
      evaluations->adopt_discrete(ring);
      evaluations->hold_discrete(ring);
      evaluations->commit(end);
    }
    const std::size_t samples = std::min(static_cast<std::size_t>(degree) + 1, ring.count());
    std::array<double, max_extrapolation_samples> times{};
    // τ = 0 is the end of the step: the constant term is the value there.
    for (std::size_t j = 0; j < samples; ++j) times[j] = grid.duration_s(ring.tick(j) - end);
    const auto weight = polynomial_weights({times.data(), samples}).weight[0];
    double* predicted = ring.pending();
    for (std::size_t v = 0; v < ring.width(); ++v) {
      predicted[v] = 0.0;
      for (std::size_t j = 0; j < samples; ++j) predicted[v] += weight[j] * ring.sample(j)[v];
    }
    ring.hold_discrete(ring);
    ring.commit(end);
  }
  if (const auto slot =
          stage_.discrete_exchange.build_newest(state_.rings(), inputs_of_step_.discrete_inputs()))
    overflow_ = overflow_of(plan_, 0, *slot, start_s_);
  look_up_planes();
  for (std::size_t i = 0; i < size(); ++i) u_[static_cast<Eigen::Index>(i)] = trial(i);
  return u_;
}

void InterfaceProblem::set_trial(const Eigen::VectorXd& u) {
  for (std::size_t i = 0; i < size(); ++i) trial(i) = u[static_cast<Eigen::Index>(i)];
}

/// Components of a vector are of one size: one of them may well be zero for a while.
template <typename Value>
void InterfaceProblem::grow_by_port(Eigen::VectorXd& sizes, Value value) const {
  Eigen::Index first = 0;
  for (const Eigen::Index end : port_ends_) {
    double largest = 0.0;
    for (Eigen::Index i = first; i < end; ++i) largest = std::max({largest, sizes[i], std::abs(value(i))});
    for (; first < end; ++first) sizes[first] = largest;
  }
}

void InterfaceProblem::set_weights() {
  weights_ = scale_;
  grow_by_port(weights_, [&](Eigen::Index i) { return u_[i]; });
  // Of something that has been zero so far, what is evaluated is the only hint.
  increments_ = weights_;
  grow_by_port(increments_, [&](Eigen::Index i) { return weights_[i] > nothing ? 0.0 : u_[i] - g_[i]; });
  weights_ = increments_;
  // Forces are measured by the largest force: one that begins to act must not look infinite beside what it was.
  std::fill(largest_of_kind_.begin(), largest_of_kind_.end(), 0.0);
  for (Eigen::Index i = 0; i < weights_.size(); ++i) {
    if (!std::isfinite(weights_[i])) continue;
    double& largest = largest_of_kind_[kinds_[static_cast<std::size_t>(i)]];
    largest = std::max(largest, weights_[i]);
  }
  for (Eigen::Index i = 0; i < weights_.size(); ++i) {
    const double largest = largest_of_kind_[kinds_[static_cast<std::size_t>(i)]];
    const bool known = std::isfinite(weights_[i]) && weights_[i] > nothing;
    weights_[i] = std::max(known ? weights_[i] : 0.0, (known ? floor_of_weights : 1.0) * largest);
    if (!(weights_[i] > nothing)) weights_[i] = 1.0;
  }
  // Differences must stand out of the rounding of Y, which may be larger than u.
  increment_sizes_ = weights_;
  grow_by_port(increment_sizes_, [&](Eigen::Index i) {
    const double y = u_[i] - g_[i];
    return std::isfinite(y) ? y : 0.0;
  });
}

double InterfaceProblem::weighted_residual() const {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < g_.size(); ++i) {
    const double part = std::abs(g_[i]) / weights_[i];
    if (!(part <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, part);
  }
  return largest;
}

double InterfaceProblem::relative_residual() const {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < g_.size(); ++i) {
    double size = std::max(scale_[i], std::abs(u_[i]));
    if (!(size > nothing)) size = size_of_zero;
    const double part = std::abs(g_[i]) / size;
    if (!(part <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, part);
  }
  return largest;
}

bool InterfaceProblem::states_unmoved() const {
  return unmoved_;
}

void InterfaceProblem::build_inputs() {
  inputs_of_step_.set_degree(predictors_.build(0, start_, inputs_of_step_.coefficients()));
}

/// From the start of the step; each member is its own, so that threads can share them.
std::optional<MemberFailure> InterfaceProblem::step_members(const std::vector<std::uint32_t>& members) {
  integrations_ += members.size();
  const Discarded discarded = state_.repeats_discarded() ? Discarded::returned : Discarded::in_pieces;
  return steps_.run(
      members.size(),
      [&](std::size_t i) {
        const Member& m = stage_.members[members[i]];
        start_states_.restore(members[i]);
        give_discrete(m, inputs_of_step_.discrete_inputs());
        return take_step(m, start_s_, length_s_, inputs_of_step_.inputs_of(m), discarded);
      },
      [&](std::size_t i) { return members[i]; });
}

/// Y: first what depends on states alone, then laws and feed-through, each from what the outputs already are.
void InterfaceProblem::evaluate_outputs(const TimeGrid& grid) {
  const double t = grid.time_s(end_);
  std::copy_n(inputs_of_step_.coefficients(), stage_.slots, inputs_.begin());
  stage_.exchange.copy_samples(state_.rings(), grid, end_, inputs_.data());
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(state_.rings()[s]->sample(0), y_[s].width(), y_[s].newest());
  }
  for (const Member& m : stage_.members) {
    asked_ = &m;
    give_discrete(m, inputs_of_step_.discrete_inputs());
    ask_outputs(m, t, inputs_.data() + m.first_input, newest_of(y_.front()));
  }
  for (const Evaluation& level : plan_.start_evaluations()) {
    const StagePlan& at = plan_.stage(level.stage);
    StageState& state = state_.stage(level.stage);
    std::copy_n(state.coefficients(), at.slots, inputs_.begin());
    at.exchange.copy_samples(y_rings_, grid, end_, inputs_.data());
    DiscreteValues& discrete = state.discrete_evaluated_with();
    if (const auto slot = at.discrete_exchange.build_newest(y_rings_, discrete))
      overflow_ = overflow_of(plan_, level.stage, *slot, t);
    for (const std::uint32_t i : level.members) {
      const Member& m = at.members[i];
      asked_ = &m;
      give_discrete(m, discrete);
      ask_outputs(m, t, inputs_.data() + m.first_input, newest_of(y_[level.stage]));
      std::copy_n(inputs_.begin() + m.first_input, m.input_count,
                  state.evaluated_with().begin() + m.first_input);
    }
  }
  for (std::size_t i = 0; i < size(); ++i) {
    g_[static_cast<Eigen::Index>(i)] = trial(i) - evaluated(i);
  }
}

std::optional<MemberFailure> InterfaceProblem::integrate(const TimeGrid& grid, const Eigen::VectorXd& u) {
  set_trial(u);
  u_ = u;
  build_inputs();
  if (auto failure = step_members(all_members_)) return failure;
  evaluate_outputs(grid);
  unmoved_ = !state_outputs_.empty();
  const double* y = y_.front().sample(0);
  for (std::size_t i = 0; i < state_outputs_.size(); ++i) {
    const double value = y[state_outputs_[i]];
    const double size = std::max(state_output_sizes_[i], std::abs(value));
    if (!(std::abs(value - last_state_outputs_[i]) <= rounding * size)) unmoved_ = false;
    last_state_outputs_[i] = value;
  }
  return std::nullopt;
}

void InterfaceProblem::keep_prediction() {
  set_weights();
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(y_[s].sample(0), predicted_[s].size(), predicted_[s].begin());
  }
}

std::optional<MemberFailure> InterfaceProblem::difference(const TimeGrid& grid, InterfaceJacobian& jacobian) {
  jacobian.set_identity();
  y_reference_ = u_ - g_;
  end_states_.save_all(start_s_);
  if (changed_outputs_) {
    std::copy_n(inputs_of_step_.coefficients(), stage_.slots, inputs_.begin());
    stage_.exchange.copy_samples(state_.rings(), grid, end_, inputs_.data());
    changed_outputs_->set_reference(inputs_, y_.front().newest());
  }
  for (std::size_t b = 0; b < structure_.batches.size(); ++b) {
    for (const std::uint32_t group : structure_.batches[b]) {
      for (const std::uint32_t i : structure_.groups[group]) {
        double& variable = trial(i);
        variable += relative_increment * increment_sizes_[i];
        increments_[i] = variable - u_[i];
      }
    }
    build_inputs();
    if (auto failure = step_members(batch_readers_[b])) return failure;
    for (const std::uint32_t m : batch_readers_[b]) {
      perturbed_states_.save(m, start_s_);
      end_states_.restore(m, start_s_);
    }
    set_trial(u_);
    for (const std::uint32_t group : structure_.batches[b]) {
      for (const std::uint32_t m : group_readers_[group]) perturbed_states_.restore(m, start_s_);
      evaluate_group(grid, group);
      for (const std::uint32_t i : structure_.groups[group]) {
        const auto& rows = structure_.unknowns[i].rows;
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const double change = evaluated(rows[k]) - y_reference_[rows[k]];
          jacobian.subtract(i, k, change / increments_[i]);
        }
      }
      for (const std::uint32_t m : group_readers_[group]) end_states_.restore(m, start_s_);
      if (changed_outputs_) changed_outputs_->put_back(group, y_.front().newest());
    }
  }
  build_inputs();
  if (!changed_outputs_) evaluate_outputs(grid);
  return std::nullopt;
}

void InterfaceProblem::evaluate_group(const TimeGrid& grid, std::uint32_t group) {
  if (changed_outputs_) {
    changed_outputs_->evaluate(group, grid.time_s(end_), y_.front().newest(), asked_);
  } else {
    evaluate_outputs(grid);
  }
}

void InterfaceProblem::accept(bool evaluated) {
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(y_[s].sample(0), y_[s].width(), state_.stage(s).samples().newest());
    std::copy_n(y_[s].sample(0), y_[s].width(), accepted_[s].begin());
    state_.stage(s).samples().adopt_discrete(y_[s]);
  }
  if (!evaluated) set_trial(u_);
  inputs_of_step_.close_inputs(length_s_);
  for (std::size_t i = 0; i < stage_.members.size(); ++i) {
    if (feeds_through_[i]) continue;
    const Member& m = stage_.members[i];
    std::copy_n(inputs_of_step_.end_values().begin() + m.first_input, m.input_count,
                inputs_of_step_.evaluated_with().begin() + m.first_input);
  }
  grow_by_port(scale_, [&](Eigen::Index i) { return std::max(std::abs(u_[i]), std::abs(u_[i] - g_[i])); });
  for (std::size_t i = 0; i < state_outputs_.size(); ++i) {
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
  archive(std::span<double>(scale_.data(), static_cast<std::size_t>(scale_.size())));
  archive(std::span(state_output_sizes_));
  for (std::vector<double>& outputs : accepted_) archive(std::span(outputs));
}

void InterfaceProblem::archive_totals(Archive& archive) {
  archive(integrations_);
  for (std::vector<double>& outputs : predicted_) archive(std::span(outputs));
}

}  // namespace ergon

#include "ergon/coupling/state/stage_state.hpp"

#include <algorithm>

namespace ergon {

StageState::StageState(const StagePlan& plan)
    : plan_(&plan),
      slots_(plan.slots),
      degree_cap_(plan.follows_inputs ? plan.exchange.max_degree() : 0),
      period_(plan.period),
      evaluates_separately_(plan.evaluates_separately),
      coefficients_(static_cast<std::size_t>(degree_cap_ + 1) * plan.slots, 0.0),
      samples_(plan.samples_kept, plan.output_count, plan.output_counts.integers, plan.output_counts.texts),
      end_values_(plan.start_inputs),
      evaluated_with_(plan.start_inputs),
      point_inputs_(plan.start_inputs),
      discrete_inputs_{plan.start_integers, plan.start_texts},
      discrete_evaluated_with_(discrete_inputs_),
      discrete_point_inputs_(discrete_inputs_) {
  std::copy(plan.start_inputs.begin(), plan.start_inputs.end(), coefficients_.begin());
  if (plan.keeps_own_points()) {
    const int degree = std::max(plan.exchange.max_degree(), plan.own_samples.max_degree());
    own_points_ = std::make_unique<OwnPoints>(static_cast<std::size_t>(degree) + 2, plan.slots);
  }
}

void StageState::reserve_degree(int degree) {
  if (!plan_->follows_inputs || degree <= degree_cap_) return;
  degree_cap_ = degree;
  coefficients_.resize(static_cast<std::size_t>(degree_cap_ + 1) * slots_, 0.0);
}

void StageState::reset() {
  start_ = next_ = 0;
  steps_ = steps_taken_ = 0;
}

void StageState::close_inputs(double h_s) {
  const InputView u{coefficients_.data(), slots_, degree_};
  if (degree_ == 0) {
    std::copy_n(coefficients_.begin(), slots_, end_values_.begin());
    return;
  }
  for (const Member& m : plan_->members) {
    const double last_start = h_s - h_s / static_cast<double>(m.substeps);
    const double tau = m.samples_start ? last_start : h_s;
    for (std::uint32_t i = m.first_input; i < m.first_input + m.input_count; ++i) end_values_[i] = u(i, tau);
  }
  for (std::size_t i = plan_->input_count; i < slots_; ++i) end_values_[i] = u(i, h_s);
}

void StageState::set_unconnected(ValueKind kind, std::uint32_t slot, const StoredValue& value) {
  if (kind == ValueKind::real) {
    coefficients_[slot] = value.real;
    for (auto* inputs : {&end_values_, &evaluated_with_, &point_inputs_}) (*inputs)[slot] = value.real;
    return;
  }
  for (DiscreteValues* inputs : {&discrete_inputs_, &discrete_evaluated_with_, &discrete_point_inputs_}) {
    if (kind == ValueKind::integer) inputs->integers[slot] = value.integer;
    if (kind == ValueKind::text) inputs->texts[slot] = value.text;
  }
}

void StageState::adopt_point_inputs() {
  std::copy(point_inputs_.begin(), point_inputs_.end(), coefficients_.begin());
  end_values_ = point_inputs_;
  evaluated_with_ = point_inputs_;
  discrete_inputs_ = discrete_point_inputs_;
  discrete_evaluated_with_ = discrete_point_inputs_;
  if (own_points_) std::copy(point_inputs_.begin(), point_inputs_.end(), own_points_->samples.restart(0));
}

std::size_t StageState::reserve_addition(std::uint32_t slot) {
  additions_.push_back({slot, 0.0});
  return additions_.size() - 1;
}

void StageState::add_additions(double* inputs) const {
  for (const Addition& addition : additions_) {
    // Not even a zero is added: −0 + 0 is not −0.
    if (addition.value != 0.0) inputs[addition.slot] += addition.value;
  }
}

std::size_t StageState::reserve_moving(std::uint32_t slot, Index source_stage) {
  moving_.push_back({slot, source_stage, 0.0});
  return moving_.size() - 1;
}

void StageState::add_moving(const SampleRings& rings, Tick k, double* inputs) const {
  for (const Moving& moving : moving_) {
    if (rings[moving.source_stage]->tick(0) != k) inputs[moving.slot] = moving.value;
  }
}

void StageState::archive(Archive& archive) {
  archive(period_);
  archive(start_);
  archive(next_);
  archive(steps_);
  archive(degree_);
  samples_.archive(archive);
  archive(std::span(coefficients_));
  archive(std::span(end_values_));
  archive(std::span(evaluated_with_));
  archive(std::span(point_inputs_));
  for (DiscreteValues* values : {&discrete_inputs_, &discrete_evaluated_with_, &discrete_point_inputs_}) {
    archive(std::span(values->integers));
    for (std::string& text : values->texts) archive(text);
  }
  for (Addition& addition : additions_) archive(addition.value);
  if (own_points_) own_points_->samples.archive(archive);
  for (Moving& moving : moving_) archive(moving.value);
}

}  // namespace ergon

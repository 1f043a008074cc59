#include "ergon/coupling/schemes/implicit/difference_jacobian.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

/// Of finite differences, relative to the size of the variable: uncritical between 1e-10 and 1e-2.
constexpr double relative_increment = 1e-6;

/// 0 divided by it is 0.
bool is_divisor(double increment) {
  return increment != 0.0 && !std::isnan(increment);
}

}  // namespace

DifferenceJacobian::DifferenceJacobian(InterfaceProblem& problem)
    : problem_(problem),
      plan_(problem.context().plan),
      state_(problem.context().state),
      changed_outputs_(problem.changed_outputs()),
      builds_in_part_(changed_outputs_ != nullptr && problem.context().predictors.is_plain(0)) {
  const InterfaceStructure& structure = problem_.structure();
  const StagePlan& stage = plan_.stage(0);
  for (const auto& groups : structure.batches) {
    Batch& batch = batches_.emplace_back();
    std::vector<std::uint32_t> readers;
    std::vector<bool> changes(stage.output_count, false);
    for (const std::uint32_t group : groups) {
      for (const std::uint32_t i : structure.groups[group]) {
        batch.columns.push_back(i);
        if (builds_in_part_) changes[structure.unknowns[i].offset] = true;
      }
      const std::vector<std::uint32_t>& of_group = problem_.readers(group).members;
      readers.insert(readers.end(), of_group.begin(), of_group.end());
    }
    batch.readers = problem_.trials().list(readers);
    if (builds_in_part_) batch.inputs = stage.exchange.copies_of(changes);
  }
  for (const InterfaceUnknown& unknown : structure.unknowns) {
    column_rows_.insert(column_rows_.end(), unknown.rows.begin(), unknown.rows.end());
    for (const std::uint32_t row : unknown.rows) column_offsets_.push_back(structure.unknowns[row].offset);
    column_starts_.push_back(static_cast<std::uint32_t>(column_rows_.size()));
  }
  y_reference_.setZero(static_cast<Eigen::Index>(problem_.size()));
  increments_.setZero(static_cast<Eigen::Index>(problem_.size()));
}

void DifferenceJacobian::build_inputs_of(Batch& batch) {
  if (!builds_in_part_) return problem_.build_inputs();
  StageState& inputs = state_.stage(0);
  batch.inputs.build(state_.rings(), plan_.grid(), problem_.step().start, inputs.degree_cap(), batch.weights,
                     inputs.coefficients(), plan_.stage(0).slots);
}

void DifferenceJacobian::set_reference() {
  if (changed_outputs_ == nullptr) {
    for (std::size_t i = 0; i < problem_.size(); ++i)
      y_reference_[static_cast<Eigen::Index>(i)] = problem_.evaluated(i);
    return;
  }
  const double* y = problem_.samples().front().newest();
  if (problem_.trials().others().empty())
    changed_outputs_->set_reference(state_.stage(0).evaluated_with(), y);
  else
    changed_outputs_->set_reference(problem_.look_up_trial_inputs(), y);
}

std::optional<MemberFailure> DifferenceJacobian::compute(InterfaceJacobian& jacobian) {
  using State = MemberTrials::State;
  MemberTrials& trials = problem_.trials();
  const double start_s = problem_.step().start_s;
  jacobian.set_identity();
  trials.keep_end(start_s);
  set_reference();
  const double* sizes = problem_.sizes().of_increments().data();
  const double* u = problem_.variables().data();
  double* increments = increments_.data();
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    Batch& batch = batches_[b];
    for (const std::uint32_t i : batch.columns) {
      double& variable = problem_.trial(i);
      variable += relative_increment * sizes[i];
      increments[i] = variable - u[i];
    }
    build_inputs_of(batch);
    double* stepped = changed_outputs_ != nullptr ? changed_outputs_->stepped() : nullptr;
    if (auto failure = problem_.step_members(batch.readers, State::changed, stepped)) return failure;
    for (const std::uint32_t m : batch.readers.others) {
      trials.slots(State::changed).save(m, start_s);
      trials.slots(State::end).restore(m, start_s);
    }
    for (const std::uint32_t i : batch.columns) problem_.trial(i) = u[i];
    if (builds_in_part_) build_inputs_of(batch);
    for (const std::uint32_t group : problem_.structure().batches[b]) difference_group(group, jacobian);
  }
  if (!builds_in_part_) problem_.build_inputs();
  if (changed_outputs_ == nullptr) problem_.evaluate_outputs();
  return std::nullopt;
}

void DifferenceJacobian::difference_group(std::uint32_t group, InterfaceJacobian& jacobian) {
  using State = MemberTrials::State;
  MemberTrials& trials = problem_.trials();
  const MemberTrials::List& readers = problem_.readers(group);
  const std::vector<std::uint32_t>& columns = problem_.structure().groups[group];
  const auto differs = [&](std::uint32_t i) { return is_divisor(increments_[i]); };
  // Who looks at its inputs at the start alone may not see what is changed at the end.
  if (!trials.any_changed(readers) && std::all_of(columns.begin(), columns.end(), differs)) return;
  const auto set_others = [&](State state) {
    for (const std::uint32_t m : readers.others) trials.slots(state).restore(m, problem_.step().start_s);
  };
  set_others(State::changed);
  if (changed_outputs_ != nullptr) {
    double* y = problem_.samples().front().newest();
    changed_outputs_->evaluate(group, plan_.grid().time_s(problem_.step().end), y, problem_.asked_member());
    const double* reference = changed_outputs_->reference();
    const std::uint32_t* offsets = column_offsets_.data();
    const auto change = [&](std::uint32_t k) { return y[offsets[k]] - reference[offsets[k]]; };
    fill_columns(columns, change, jacobian);
    changed_outputs_->put_back(group, y);
  } else {
    problem_.evaluate_outputs();
    const auto change = [&](std::uint32_t k) {
      return problem_.evaluated(column_rows_[k]) - y_reference_[column_rows_[k]];
    };
    fill_columns(columns, change, jacobian);
  }
  set_others(State::end);
}

template <class Change>
void DifferenceJacobian::fill_columns(std::span<const std::uint32_t> columns, const Change& change,
                                      InterfaceJacobian& jacobian) const {
  const double* increments = increments_.data();
  const std::uint32_t* starts = column_starts_.data();
  for (const std::uint32_t i : columns) {
    const double increment = increments[i];
    const bool divides = is_divisor(increment);
    const std::uint32_t first = starts[i];
    for (std::uint32_t k = first; k < starts[i + 1]; ++k) {
      const double changed = change(k);
      // Much that the graph lets one think of does not change; 0 divided is 0, and subtracts nothing.
      if (changed == 0.0 && divides) continue;
      jacobian.subtract(i, k - first, changed / increment);
    }
  }
}

}  // namespace ergon

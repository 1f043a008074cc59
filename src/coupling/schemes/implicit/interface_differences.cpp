// ∂g/∂u by finite differences: columns that share no reader are changed together.
#include <algorithm>
#include <cmath>

#include "ergon/coupling/schemes/implicit/interface_problem.hpp"

namespace ergon {
namespace {

/// Of finite differences, relative to the size of the variable: uncritical between 1e-10 and 1e-2.
constexpr double relative_increment = 1e-6;

/// 0 divided by it is 0.
bool is_divisor(double increment) {
  return increment != 0.0 && !std::isnan(increment);
}

}  // namespace

void InterfaceProblem::plan_differences() {
  for (const auto& group : structure_.groups) {
    std::vector<std::uint32_t> readers;
    for (const std::uint32_t i : group) {
      const auto& of_column = structure_.unknowns[i].readers;
      readers.insert(readers.end(), of_column.begin(), of_column.end());
    }
    group_readers_.push_back(trials_.list(readers));
  }
  if (ChangedOutputs::is_possible(plan_)) changed_outputs_.emplace(plan_, trials_, group_readers_);
  builds_in_part_ = changed_outputs_ && predictors_.is_plain(0);
  for (const auto& groups : structure_.batches) {
    Batch& batch = batches_.emplace_back();
    std::vector<std::uint32_t> readers;
    std::vector<bool> changes(stage_.output_count, false);
    for (const std::uint32_t group : groups) {
      for (const std::uint32_t i : structure_.groups[group]) {
        batch.columns.push_back(i);
        if (builds_in_part_) changes[structure_.unknowns[i].offset] = true;
      }
      const std::vector<std::uint32_t>& of_group = group_readers_[group].members;
      readers.insert(readers.end(), of_group.begin(), of_group.end());
    }
    batch.readers = trials_.list(readers);
    if (builds_in_part_) batch.inputs = stage_.exchange.copies_of(changes);
  }
}

std::optional<MemberFailure> InterfaceProblem::difference(const TimeGrid& grid, InterfaceJacobian& jacobian) {
  using State = MemberTrials::State;
  jacobian.set_identity();
  trials_.keep_end(start_s_);
  if (changed_outputs_) {
    if (!trials_.others().empty()) {
      look_up_trial_inputs(grid);
      changed_outputs_->set_reference(inputs_, y_.front().newest());
    } else {
      changed_outputs_->set_reference(inputs_of_step_.evaluated_with(), y_.front().newest());
    }
  } else {
    for (std::size_t i = 0; i < size(); ++i) y_reference_[static_cast<Eigen::Index>(i)] = evaluated(i);
  }
  const double* sizes = sizes_.of_increments().data();
  const double* u = u_.data();
  double* increments = increments_.data();
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const Batch& batch = batches_[b];
    for (const std::uint32_t i : batch.columns) {
      double& variable = trial(i);
      variable += relative_increment * sizes[i];
      increments[i] = variable - u[i];
    }
    build_inputs_of(b);
    double* stepped = changed_outputs_ ? changed_outputs_->stepped() : nullptr;
    if (auto failure = step_members(batch.readers, State::changed, stepped)) return failure;
    for (const std::uint32_t m : batch.readers.others) {
      trials_.slots(State::changed).save(m, start_s_);
      trials_.slots(State::end).restore(m, start_s_);
    }
    for (const std::uint32_t i : batch.columns) trial(i) = u[i];
    if (builds_in_part_) build_inputs_of(b);
    for (const std::uint32_t group : structure_.batches[b]) difference_group(grid, group, jacobian);
  }
  if (!builds_in_part_) build_inputs();
  if (!changed_outputs_) evaluate_outputs(grid);
  return std::nullopt;
}

void InterfaceProblem::difference_group(const TimeGrid& grid, std::uint32_t group,
                                        InterfaceJacobian& jacobian) {
  using State = MemberTrials::State;
  const std::vector<std::uint32_t>& columns = structure_.groups[group];
  const auto differs = [&](std::uint32_t i) { return is_divisor(increments_[i]); };
  // Who looks at its inputs at the start alone may not see what is changed at the end.
  if (!trials_.any_changed(group_readers_[group]) && std::all_of(columns.begin(), columns.end(), differs))
    return;
  const auto set_others = [&](State state) {
    for (const std::uint32_t m : group_readers_[group].others) trials_.slots(state).restore(m, start_s_);
  };
  set_others(State::changed);
  if (changed_outputs_) {
    double* y = y_.front().newest();
    changed_outputs_->evaluate(group, grid.time_s(end_), y, asked_);
    const double* reference = changed_outputs_->reference();
    const std::uint32_t* offsets = column_offsets_.data();
    const auto change = [&](std::uint32_t k) { return y[offsets[k]] - reference[offsets[k]]; };
    fill_columns(columns, change, jacobian);
    changed_outputs_->put_back(group, y);
  } else {
    evaluate_outputs(grid);
    const auto change = [&](std::uint32_t k) {
      return evaluated(column_rows_[k]) - y_reference_[column_rows_[k]];
    };
    fill_columns(columns, change, jacobian);
  }
  set_others(State::end);
}

template <class Change>
void InterfaceProblem::fill_columns(std::span<const std::uint32_t> columns, const Change& change,
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

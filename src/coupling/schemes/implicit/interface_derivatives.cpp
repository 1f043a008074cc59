#include <algorithm>

#include "ergon/coupling/schemes/implicit/interface_problem.hpp"

namespace ergon {
namespace {

/// Relative to the size of the variable: laws are evaluated beside, inputs are linear in it.
constexpr double derivative_increment = 1e-6;

}  // namespace
/// From changes of states to changes of Y, as evaluate_outputs goes from states to Y.
void InterfaceProblem::propagate_change(const TimeGrid& grid, const std::vector<std::uint32_t>& readers) {
  const double t = grid.time_s(end_);
  const StagePlan& stage = stage_;
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(y_[s].sample(0), y_[s].width(), changed_y_[s].newest());
    changed_y_[s].adopt_discrete(y_[s]);
  }
  const auto change_outputs = [&](std::uint32_t member, const double* u, const double* input_change) {
    const Member& m = stage.members[member];
    asked_ = &m;
    m.subsystem->directional_derivatives()->directional_derivative(
        t, u, state_changes_[member].data(), input_change, rate_change_.data(), output_change_.data());
    const double* y = y_.front().sample(0) + m.first_output;
    double* changed = changed_y_.front().newest() + m.first_output;
    for (std::uint32_t o = 0; o < m.output_count; ++o) changed[o] = y[o] + output_change_[o];
  };
  for (const std::uint32_t member : readers) {
    change_outputs(member, inputs_.data() + stage.members[member].first_input, no_change_.data());
  }
  for (const Evaluation& level : plan_.start_evaluations()) {
    const StagePlan& at = plan_.stage(level.stage);
    const double* evaluated_with = state_.stage(level.stage).evaluated_with().data();
    std::copy_n(evaluated_with, at.slots, changed_inputs_.begin());
    at.exchange.copy_samples(changed_y_rings_, grid, end_, changed_inputs_.data());
    for (const std::uint32_t i : level.members) {
      const Member& m = at.members[i];
      asked_ = &m;
      double* u = changed_inputs_.data() + m.first_input;
      const double* before = evaluated_with + m.first_input;
      if (at.algebraic) {
        m.subsystem->outputs(t, u, changed_y_[level.stage].newest() + m.first_output);
        continue;
      }
      for (std::uint32_t k = 0; k < m.input_count; ++k) u[k] -= before[k];
      change_outputs(i, before, u);
    }
  }
}

void InterfaceProblem::differentiate(const TimeGrid& grid, SensitivitySeries series,
                                     InterfaceJacobian& jacobian) {
  const StagePlan& stage = stage_;
  const std::span<const double> coefficients = inputs_of_step_.all_coefficients();
  const int input_degree = inputs_of_step_.degree();
  const double t = grid.time_s(end_);
  trials_.finish();  // derivatives are those of the subsystems themselves
  for (Index s = 0; s < y_.size(); ++s) {
    std::copy_n(y_[s].sample(1), y_[s].width(), changed_y_[s].restart(start_));
    changed_y_[s].adopt_discrete(y_[s]);
    changed_y_[s].hold_discrete(y_[s]);
    changed_y_[s].commit(end_);
  }
  jacobian.set_identity();
  // Linearised about the end of the step, with the inputs as they are there.
  look_up_trial_inputs(grid);
  sensitivity_.begin();
  for (auto& change : state_changes_) std::fill(change.begin(), change.end(), 0.0);
  for (std::size_t group = 0; group < structure_.groups.size(); ++group) {
    for (const std::uint32_t i : structure_.groups[group]) trial(i) += derivative_increment * weights()[i];
    std::copy(coefficients.begin(), coefficients.end(),
              changed_coefficients_.begin());  // inputs without connection are not written
    predictors_.build(0, start_, changed_coefficients_.data());
    for (int d = 0; d <= input_degree; ++d) {
      const std::size_t plane = static_cast<std::size_t>(d) * stage.slots;
      for (std::size_t i = plane; i < plane + stage.slots; ++i) {
        changed_coefficients_[i] -= coefficients[i];
      }
    }
    for (const std::uint32_t m : group_readers_[group].members) {
      const Member& member = stage.members[m];
      asked_ = &member;
      // Who looks at its inputs at the start alone sees them held.
      sensitivity_.compute(m, *member.subsystem->directional_derivatives(), t,
                           inputs_.data() + member.first_input, member.input_count,
                           changed_coefficients_.data() + member.first_input, stage.slots,
                           member.samples_start ? 0 : input_degree, length_s_, series, state_changes_[m]);
    }
    propagate_change(grid, group_readers_[group].members);
    for (const std::uint32_t i : structure_.groups[group]) {
      const InterfaceUnknown& unknown = structure_.unknowns[i];
      const double step = trial(i) - u_[i];
      for (std::size_t k = 0; k < unknown.rows.size(); ++k) {
        const InterfaceUnknown& row = structure_.unknowns[unknown.rows[k]];
        const double change = changed_y_[row.stage].sample(0)[row.offset] - evaluated(unknown.rows[k]);
        jacobian.subtract(i, k, change / step);
      }
      trial(i) = u_[i];
    }
    for (const std::uint32_t m : group_readers_[group].members) {
      std::fill(state_changes_[m].begin(), state_changes_[m].end(), 0.0);
    }
  }
}

}  // namespace ergon

#include "ergon/coupling/schemes/implicit/sensitivity_jacobian.hpp"

#include <algorithm>

namespace ergon {
namespace {

/// Relative to the size of the variable: laws are evaluated beside, inputs are linear in it.
constexpr double derivative_increment = 1e-6;

}  // namespace

SensitivityJacobian::SensitivityJacobian(InterfaceProblem& problem, SensitivitySeries series)
    : problem_(problem),
      series_(series),
      plan_(problem.context().plan),
      state_(problem.context().state),
      changed_y_(problem.samples().begin(), problem.samples().end()),
      changed_coefficients_(state_.stage(0).all_coefficients().size()) {
  for (const SampleRing& ring : changed_y_) changed_y_rings_.push_back(&ring);
  std::size_t most_inputs = 0;
  for (const StagePlan& stage : plan_.stages()) most_inputs = std::max(most_inputs, stage.slots);
  std::size_t most_states = 0;
  std::size_t most_outputs = 0;
  for (const Member& m : plan_.stage(0).members) {
    const DirectionalDerivatives* derivatives = m.subsystem->directional_derivatives();
    const std::size_t states = derivatives != nullptr ? derivatives->state_count() : 0;
    state_changes_.emplace_back(states, 0.0);
    most_states = std::max(most_states, states);
    most_outputs = std::max<std::size_t>(most_outputs, m.output_count);
  }
  sensitivity_ = StateSensitivity(most_states, most_inputs, most_outputs);
  changed_inputs_.resize(most_inputs);
  rate_change_.resize(most_states);
  no_change_.assign(std::max(most_states, most_inputs), 0.0);
  output_change_.resize(most_outputs);
}

void SensitivityJacobian::start_changed_outputs() {
  const std::span<const SampleRing> y = problem_.samples();
  for (Index s = 0; s < y.size(); ++s) {
    std::copy_n(y[s].sample(1), y[s].width(), changed_y_[s].restart(problem_.step().start));
    changed_y_[s].adopt_discrete(y[s]);
    changed_y_[s].hold_discrete(y[s]);
    changed_y_[s].commit(problem_.step().end);
  }
}

void SensitivityJacobian::difference_inputs() {
  const StageState& inputs = state_.stage(0);
  const std::size_t slots = plan_.stage(0).slots;
  const std::span<const double> coefficients = inputs.all_coefficients();
  std::copy(coefficients.begin(), coefficients.end(),
            changed_coefficients_.begin());  // inputs without connection are not written
  problem_.context().predictors.build(0, problem_.step().start, changed_coefficients_.data());
  const std::size_t numbers = static_cast<std::size_t>(inputs.degree() + 1) * slots;
  for (std::size_t i = 0; i < numbers; ++i) changed_coefficients_[i] -= coefficients[i];
}

void SensitivityJacobian::change_outputs(std::uint32_t member, const double* u, const double* input_change) {
  const Member& m = plan_.stage(0).members[member];
  problem_.set_asked(m);
  m.subsystem->directional_derivatives()->directional_derivative(plan_.grid().time_s(problem_.step().end), u,
                                                                 state_changes_[member].data(), input_change,
                                                                 rate_change_.data(), output_change_.data());
  const double* y = problem_.samples().front().sample(0) + m.first_output;
  double* changed = changed_y_.front().newest() + m.first_output;
  for (std::uint32_t o = 0; o < m.output_count; ++o) changed[o] = y[o] + output_change_[o];
}

void SensitivityJacobian::propagate_change(std::span<const std::uint32_t> readers,
                                           std::span<const double> inputs) {
  const double t = plan_.grid().time_s(problem_.step().end);
  const std::span<const SampleRing> y = problem_.samples();
  for (Index s = 0; s < y.size(); ++s) {
    std::copy_n(y[s].sample(0), y[s].width(), changed_y_[s].newest());
    changed_y_[s].adopt_discrete(y[s]);
  }
  for (const std::uint32_t member : readers)
    change_outputs(member, inputs.data() + plan_.stage(0).members[member].first_input, no_change_.data());
  for (const Evaluation& level : plan_.start_evaluations()) {
    const StagePlan& at = plan_.stage(level.stage);
    const double* evaluated_with = state_.stage(level.stage).evaluated_with().data();
    std::copy_n(evaluated_with, at.slots, changed_inputs_.begin());
    at.exchange.copy_samples(changed_y_rings_, plan_.grid(), problem_.step().end, changed_inputs_.data());
    for (const std::uint32_t i : level.members) {
      const Member& m = at.members[i];
      problem_.set_asked(m);
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

std::optional<MemberFailure> SensitivityJacobian::compute(InterfaceJacobian& jacobian) {
  const StagePlan& stage = plan_.stage(0);
  const int input_degree = state_.stage(0).degree();
  const double t = plan_.grid().time_s(problem_.step().end);
  problem_.trials().finish();  // derivatives are those of the subsystems themselves
  start_changed_outputs();
  jacobian.set_identity();
  // Linearised about the end of the step, with the inputs as they are there.
  const std::span<const double> inputs = problem_.look_up_trial_inputs();
  sensitivity_.begin();
  for (auto& change : state_changes_) std::fill(change.begin(), change.end(), 0.0);
  // An effort that has been rounding so far, as of a joint that is closed at the start, is no size: its change would be lost in that of the motion.
  const Eigen::VectorXd& of_increments = problem_.sizes().of_increments();
  const auto& groups = problem_.structure().groups;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::uint32_t i : groups[group]) problem_.trial(i) += derivative_increment * of_increments[i];
    difference_inputs();
    const std::vector<std::uint32_t>& readers = problem_.readers(group).members;
    for (const std::uint32_t m : readers) {
      const Member& member = stage.members[m];
      problem_.set_asked(member);
      // Who looks at its inputs at the start alone sees them held.
      sensitivity_.compute(m, *member.subsystem->directional_derivatives(), t,
                           inputs.data() + member.first_input, member.input_count,
                           changed_coefficients_.data() + member.first_input, stage.slots,
                           member.samples_start && member.substeps == 1 ? 0 : input_degree,
                           problem_.step().length_s, series_, state_changes_[m]);
    }
    propagate_change(readers, inputs);
    fill_columns(groups[group], jacobian);
    for (const std::uint32_t m : readers) std::fill(state_changes_[m].begin(), state_changes_[m].end(), 0.0);
  }
  return std::nullopt;
}

void SensitivityJacobian::fill_columns(std::span<const std::uint32_t> columns, InterfaceJacobian& jacobian) {
  const InterfaceStructure& structure = problem_.structure();
  for (const std::uint32_t i : columns) {
    const InterfaceUnknown& unknown = structure.unknowns[i];
    const double u = problem_.variables()[i];
    const double step = problem_.trial(i) - u;
    for (std::size_t k = 0; k < unknown.rows.size(); ++k) {
      const InterfaceUnknown& row = structure.unknowns[unknown.rows[k]];
      const double change = changed_y_[row.stage].sample(0)[row.offset] - problem_.evaluated(unknown.rows[k]);
      jacobian.subtract(i, k, change / step);
    }
    problem_.trial(i) = u;
  }
}

}  // namespace ergon

#include "ergon/coupling/predictors/motion_driven_ports.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/coupling/state/foreign_step.hpp"

namespace ergon {
namespace {

/// Of the residual, relative to its parts: a solution, and what is one still where rounding lets it not be better.
constexpr double drives_converged = 1e-11;
constexpr double drives_acceptable = 1e-7;
constexpr int most_drive_iterations = 25;
/// Of an effort, relative to what is there: flows are straight over more than that, but where something is clamped.
constexpr double drive_probing_step = 1e-3;

}  // namespace

MotionDrivenPorts::MotionDrivenPorts(const InterfacePlan& interface, std::size_t outputs)
    : drivers_(interface.drivers), y_(outputs) {
  for (const InterfacePlan::Driver& driver : drivers_) {
    const bool known = std::any_of(trials_.begin(), trials_.end(),
                                   [&](const Trial& trial) { return trial.member == driver.member; });
    if (known) continue;
    trials_.push_back({driver.member, driver.member->subsystem->rewindable()->make_slot()});
    u_end_.resize(std::max<std::size_t>(u_end_.size(), driver.member->input_count));
  }
  const auto n = static_cast<Index>(drivers_.size());
  for (Eigen::VectorXd* vector : {&force_, &flows_, &efforts_, &next_, &probed_, &residual_, &change_})
    vector->setZero(n);
  for (Eigen::MatrixXd* matrix : {&mass_, &response_, &jacobian_}) matrix->setZero(n, n);
  solver_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
  const auto components = static_cast<Index>(interface.components.size());
  with_driven_kept_.setZero(components, components);
  for (Eigen::VectorXd* vector : {&given_, &moved_}) vector->setZero(components);
  all_ = Eigen::PartialPivLU<Eigen::MatrixXd>(components);
}

void MotionDrivenPorts::keep(Eigen::MatrixXd& matrix) const {
  for (const InterfacePlan::Driver& driver : drivers_) {
    const auto i = static_cast<Index>(driver.component);
    matrix.row(i).setZero();
    matrix(i, i) = 1.0;
  }
}

void MotionDrivenPorts::reduce(const Eigen::MatrixXd& mass, const Eigen::VectorXd& effort,
                               const Eigen::VectorXd& flows) {
  const auto at = [&](Index driver) {
    return static_cast<Index>(drivers_[static_cast<std::size_t>(driver)].component);
  };
  with_driven_kept_ = mass;
  keep(with_driven_kept_);
  all_.compute(with_driven_kept_);
  const auto n = static_cast<Index>(drivers_.size());
  // With all driven flows kept: what the others do by themselves, and what holding takes.
  given_ = effort;
  for (Index i = 0; i < n; ++i) given_[at(i)] = 0.0;
  moved_.noalias() = all_.solve(given_);
  for (Index i = 0; i < n; ++i) {
    force_[i] = effort[at(i)] - mass.row(at(i)).dot(moved_);
    flows_[i] = flows[at(i)];
  }
  // With one driven flow accelerated at a time.
  for (Index j = 0; j < n; ++j) {
    given_.setZero();
    given_[at(j)] = 1.0;
    moved_.noalias() = all_.solve(given_);
    for (Index i = 0; i < n; ++i) mass_(i, j) = mass.row(at(i)).dot(moved_);
  }
}

void MotionDrivenPorts::outputs(double t, const double* inputs, double* y) const {
  for (const Trial& trial : trials_) {
    const Member& m = *trial.member;
    m.subsystem->outputs(t, inputs + m.first_input, y + m.first_output);
  }
}

bool MotionDrivenPorts::try_step(const Step& step, Eigen::VectorXd& flows) {
  for (std::size_t i = 0; i < drivers_.size(); ++i) {
    const InterfacePlan::Receiver& r = drivers_[i].effort;
    step.coefficients[r.slot] = r.gain * efforts_[static_cast<Index>(i)] + r.offset;
    for (int d = 1; d <= step.degree; ++d)
      step.coefficients[static_cast<std::size_t>(d) * step.slots + r.slot] = 0.0;
  }
  for (Trial& trial : trials_) {
    const Member& m = *trial.member;
    const InputView u{step.coefficients + m.first_input, step.slots, step.degree};
    Rewindable& state = *m.subsystem->rewindable();
    state.save(*trial.before);
    const StepStatus status = take_step(m, step.start_s, step.length_s, u, Discarded::in_pieces);
    if (status.ok) {
      for (std::size_t i = 0; i < m.input_count; ++i)
        u_end_[i] = m.samples_start ? u.start(i) : u(i, step.length_s);
      m.subsystem->outputs(step.end_s, u_end_.data(), y_.data() + m.first_output);
    } else {
      error_ = StepError{&m, status.reason};
    }
    state.restore(*trial.before);
    if (!status.ok) return false;
  }
  for (std::size_t i = 0; i < drivers_.size(); ++i) flows[static_cast<Index>(i)] = flow(i, y_.data());
  return true;
}

double MotionDrivenPorts::evaluate(const Step& step) {
  constexpr double of_rounding = 8.0 * std::numeric_limits<double>::epsilon() / drives_converged;
  if (!try_step(step, next_)) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0.0;
  for (Index i = 0; i < residual_.size(); ++i) {
    double inertia = 0.0;
    double size = std::abs(force_[i]) + std::abs(efforts_[i]);
    for (Index j = 0; j < residual_.size(); ++j) {
      const double part = mass_(i, j) * (next_[j] - flows_[j]) / step.length_s;
      inertia += part;
      size += std::abs(part) + of_rounding * std::abs(mass_(i, j) * next_[j]) / step.length_s;
    }
    residual_[i] = inertia - force_[i] - efforts_[i];
    if (residual_[i] != 0.0) largest = std::max(largest, std::abs(residual_[i]) / size);
  }
  return residual_.allFinite() ? largest : std::numeric_limits<double>::quiet_NaN();
}

std::optional<MotionDrivenPorts::StepError> MotionDrivenPorts::solve(const Step& step,
                                                                     const Eigen::MatrixXd& mass,
                                                                     const Eigen::VectorXd& effort,
                                                                     const Eigen::VectorXd& flows) {
  const auto n = static_cast<Index>(drivers_.size());
  reduce(mass, effort, flows);
  error_.reset();
  efforts_ = -force_;  // no acceleration
  double before = evaluate(step);
  for (int iteration = 0; iteration < most_drive_iterations; ++iteration) {
    if (error_) return error_;
    // No number at all: the outputs of the step show it, and the engine names the port.
    if (std::isnan(before) || before <= drives_converged) return std::nullopt;
    // ∂r/∂λ = M W/h − 1,   W = ∂w⁺/∂λ
    for (Index j = 0; j < n; ++j) {
      const double kept = efforts_[j];
      const double probe = drive_probing_step * std::max({1.0, std::abs(kept), std::abs(force_[j])});
      efforts_[j] = kept + probe;
      const bool stepped = try_step(step, probed_);
      efforts_[j] = kept;
      if (!stepped) return error_;
      response_.col(j) = (probed_ - next_) / probe;
    }
    jacobian_.noalias() = mass_ * response_;
    jacobian_ /= step.length_s;
    jacobian_.diagonal().array() -= 1.0;
    solver_.compute(jacobian_);
    change_.noalias() = solver_.solve(residual_);
    efforts_ -= change_;
    const double now = evaluate(step);
    if (now <= drives_acceptable && now >= 0.5 * before) return error_;
    before = now;
  }
  if (error_ || before <= drives_acceptable) return error_;
  return StepError{};
}

}  // namespace ergon

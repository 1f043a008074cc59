#include "ergon/coupling/predictors/interface_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {
namespace {

/// Of the residual, relative to the sum of the sizes of its parts: what rounding leaves, and what is still a solution.
constexpr double converged = 1e-12;
constexpr double acceptable = 1e-8;
constexpr int most_flow_iterations = 25;
/// Of a flow, relative to its size (1 where it is less), where an effort can only be probed.
constexpr double probing_step = 1e-6;

}  // namespace

FlowModel::FlowModel(Eigen::Index components) {
  for (Eigen::VectorXd* vector : {&w, &s, &acceleration, &force}) vector->setZero(components);
  mass.setZero(components, components);
}

double FlowModel::value(const InterfacePlan& interface, const InterfacePlan::Receiver& r,
                        const Eigen::VectorXd& with, double ahead_s) const {
  const auto i = static_cast<Eigen::Index>(r.component);
  if (r.is_acceleration) return r.gain * acceleration[i] + r.offset;
  const double what =
      r.is_displacement ? s[i] + ahead_s * interface.components[r.component].flow_to_rate * with[i] : with[i];
  return r.gain * what + r.offset;
}

InterfaceSolver::InterfaceSolver(const InterfacePlan& interface, const MotionDrivenPorts& driven,
                                 std::size_t outputs)
    : interface_(interface), driven_(driven), asked_(interface.slows.front().member), y_(outputs) {
  const auto n = static_cast<Eigen::Index>(interface_.components.size());
  for (Eigen::VectorXd* vector : {&w_, &residual_, &effort_, &size_, &change_}) vector->setZero(n);
  jacobian_.setZero(n, n);
  factors_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
  for (const InterfacePlan::Fast& fast : interface_.fasts) {
    const DirectionalDerivatives* derivatives = fast.member->subsystem->directional_derivatives();
    states_.resize(std::max(states_.size(), derivatives != nullptr ? derivatives->state_count() : 0), 0.0);
    const std::size_t member_inputs = fast.member->input_count;
    const std::size_t member_outputs = fast.member->output_count;
    direction_.resize(std::max(direction_.size(), member_inputs));
    moved_.resize(std::max(moved_.size(), member_inputs));
    y_change_.resize(std::max(y_change_.size(), member_outputs));
    y_jacobian_.resize(std::max(y_jacobian_.size(), member_inputs * member_outputs));
  }
  rates_.resize(states_.size());
}

void InterfaceSolver::evaluate_outputs(double t, const double* inputs) {
  for (const InterfacePlan::Fast& fast : interface_.fasts) {
    asked_ = fast.member;
    asked_->subsystem->outputs(t, inputs + asked_->first_input, y_.data() + asked_->first_output);
  }
}

void InterfaceSolver::add_up_efforts(const FlowModel& model, const double* y,
                                     Eigen::VectorXd& efforts) const {
  efforts = model.force;
  for (const InterfacePlan::Fast& fast : interface_.fasts) {
    for (const InterfacePlan::Effort& e : fast.efforts)
      efforts[static_cast<Eigen::Index>(e.component)] += e.gain * y[e.source] + e.offset;
  }
}

bool InterfaceSolver::solve(const PredictedStep& step, const FlowModel& model, std::span<double> inputs) {
  w_ = model.w;
  for (std::size_t i = 0; i < driven_.size(); ++i)
    w_[static_cast<Eigen::Index>(driven_.component(i))] = driven_.flow(i, y_.data());
  if (interface_.fasts.empty()) return true;
  double before = evaluate(step, model, inputs);
  for (int iteration = 0; iteration < most_flow_iterations; ++iteration) {
    differentiate(step, model, inputs);
    factors_.compute(jacobian_);
    change_.noalias() = factors_.solve(residual_);
    w_ -= change_;
    const double now = evaluate(step, model, inputs);
    // No number at all: the outputs show it, and the engine names the port.
    if (!std::isfinite(now) || now <= converged) return true;
    if (now <= acceptable && now >= 0.5 * before) return true;  // rounding is all that is left
    before = now;
  }
  return before <= acceptable;
}

double InterfaceSolver::evaluate(const PredictedStep& step, const FlowModel& model,
                                 std::span<double> inputs) {
  interface_.each_receiver([&](const InterfacePlan::Receiver& r) {
    inputs[r.slot] = model.value(interface_, r, w_, step.length_s);
  });
  evaluate_outputs(step.end_s, inputs.data());
  effort_ = model.force;
  size_ = model.force.cwiseAbs();
  for (const InterfacePlan::Fast& fast : interface_.fasts) {
    for (const InterfacePlan::Effort& e : fast.efforts) {
      const double effort = e.gain * y_[e.source] + e.offset;
      effort_[static_cast<Eigen::Index>(e.component)] += effort;
      size_[static_cast<Eigen::Index>(e.component)] += std::abs(effort);
    }
  }
  constexpr double of_rounding = 8.0 * std::numeric_limits<double>::epsilon() / converged;
  double largest = 0.0;
  for (Eigen::Index i = 0; i < model.w.size(); ++i) {
    double inertia = 0.0;
    for (Eigen::Index j = 0; j < model.w.size(); ++j) {
      const double part = model.mass(i, j) * (w_[j] - model.w[j]) / step.length_s;
      inertia += part;
      size_[i] += std::abs(part) + of_rounding * std::abs(model.mass(i, j) * w_[j]) / step.length_s;
    }
    residual_[i] =
        interface_.components[static_cast<std::size_t>(i)].motion_driven ? 0.0 : inertia - effort_[i];
    if (residual_[i] == 0.0) continue;
    const double share = std::abs(residual_[i]) / size_[i];
    if (!(share <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, share);
  }
  return largest;
}

void InterfaceSolver::differentiate(const PredictedStep& step, const FlowModel& model,
                                    std::span<const double> inputs) {
  jacobian_ = model.mass / step.length_s;
  for (const InterfacePlan::Fast& fast : interface_.fasts) {
    asked_ = fast.member;
    const double* u = inputs.data() + fast.member->first_input;
    const Differentiable* known = fast.member->subsystem->differentiable();
    if (known != nullptr) known->output_jacobian(step.end_s, u, y_jacobian_.data());
    for (const std::size_t component : fast.components) {
      std::fill_n(direction_.begin(), fast.member->input_count, 0.0);
      for (const InterfacePlan::Receiver& r : fast.receivers) {
        if (r.component != component) continue;
        direction_[r.slot - fast.member->first_input] =
            r.is_displacement ? r.gain * step.length_s * interface_.components[component].flow_to_rate
                              : r.gain;
      }
      differentiate_outputs(*fast.member, step, u, known != nullptr, component);
      for (const InterfacePlan::Effort& e : fast.efforts) {
        jacobian_(static_cast<Eigen::Index>(e.component), static_cast<Eigen::Index>(component)) -=
            e.gain * y_change_[e.source - fast.member->first_output];
      }
    }
  }
  driven_.keep(jacobian_);
}

void InterfaceSolver::differentiate_outputs(const Member& m, const PredictedStep& step, const double* u,
                                            bool has_jacobian, std::size_t component) {
  if (has_jacobian) {
    for (std::size_t o = 0; o < m.output_count; ++o) {
      const double* row = y_jacobian_.data() + o * m.input_count;
      y_change_[o] = 0.0;
      for (std::size_t i = 0; i < m.input_count; ++i) y_change_[o] += row[i] * direction_[i];
    }
    return;
  }
  if (const DirectionalDerivatives* derivatives = m.subsystem->directional_derivatives()) {
    derivatives->directional_derivative(step.end_s, u, states_.data(), direction_.data(), rates_.data(),
                                        y_change_.data());
    return;
  }
  const double size = std::max(1.0, std::abs(w_[static_cast<Eigen::Index>(component)]));
  for (std::size_t i = 0; i < m.input_count; ++i) moved_[i] = u[i] + probing_step * size * direction_[i];
  m.subsystem->outputs(step.end_s, moved_.data(), y_change_.data());
  for (std::size_t o = 0; o < m.output_count; ++o)
    y_change_[o] = (y_change_[o] - y_[m.first_output + o]) / (probing_step * size);
}

}  // namespace ergon

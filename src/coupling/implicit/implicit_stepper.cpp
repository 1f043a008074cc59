#include "coupling/implicit/implicit_stepper.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ergon {

const std::vector<std::string>& jacobian_policy_names() {
  static const std::vector<std::string> names = {"finite-difference", "frozen", "broyden"};
  return names;
}

std::optional<JacobianPolicy> jacobian_policy(const std::string& name) {
  if (name == "finite-difference") return JacobianPolicy::finite_difference;
  if (name == "frozen") return JacobianPolicy::frozen;
  if (name == "broyden") return JacobianPolicy::broyden;
  return std::nullopt;
}

ImplicitStepper::ImplicitStepper(InterfaceProblem problem, const ImplicitOptions& options, bool iterates)
    : problem_(std::move(problem)),
      options_(options),
      policy_(jacobian_policy(options.jacobian).value_or(JacobianPolicy::finite_difference)),
      iterates_(iterates) {
  record_.unknowns = problem_.size();
}

void ImplicitStepper::restart() {
  jacobian_length_ = 0;
  record_ = {};
  record_.unknowns = problem_.size();
}

std::optional<InterfaceProblem::StepFailure> ImplicitStepper::prepare_jacobian(const TimeGrid& grid,
                                                                               Tick length) {
  if (policy_ != JacobianPolicy::finite_difference && jacobian_length_ == length) return std::nullopt;
  if (auto failure = problem_.difference(grid, jacobian_)) return failure;
  jacobian_length_ = length;
  solver_.compute(jacobian_);
  return std::nullopt;
}

double ImplicitStepper::scaled_norm(const Eigen::VectorXd& g) const {
  return g.size() == 0 ? 0.0 : g.cwiseQuotient(problem_.scale()).lpNorm<Eigen::Infinity>();
}

void ImplicitStepper::learn(const Eigen::VectorXd& change_of_g) {
  const Eigen::VectorXd& scale = problem_.scale();
  const Eigen::VectorXd weighted = du_.cwiseQuotient(scale.cwiseAbs2());
  const double square = weighted.dot(du_);
  if (!(square > 0.0)) return;
  jacobian_ += (change_of_g - jacobian_ * du_) * (weighted / square).transpose();
  solver_.compute(jacobian_);
}

std::optional<ImplicitStepper::Failure> ImplicitStepper::step(const TimeGrid& grid, Tick start, Tick end) {
  const auto of_subsystem = [](const InterfaceProblem::StepFailure& failure) {
    return Failure{failure, failure.reason};
  };
  u_ = problem_.predict(grid, start, end);
  if (auto failure = problem_.integrate(grid, u_)) return of_subsystem(*failure);
  if (auto failure = prepare_jacobian(grid, end - start)) return of_subsystem(*failure);
  g_ = problem_.residual();
  double norm = scaled_norm(g_);
  record_.iterations = 0;
  bool refreshed = policy_ == JacobianPolicy::finite_difference;
  while (true) {
    du_ = -solver_.solve(g_);
    u_ += du_;
    ++record_.iterations;
    if (auto failure = problem_.integrate(grid, u_)) return of_subsystem(*failure);
    double next = scaled_norm(problem_.residual());
    // Damping as a fallback: half the way, as long as the whole one leads away from the solution.
    for (int halvings = 0; iterates_ && !(next <= norm) && next > options_.tolerance && halvings < 8;
         ++halvings) {
      du_ *= 0.5;
      u_ -= du_;
      if (auto failure = problem_.integrate(grid, u_)) return of_subsystem(*failure);
      next = scaled_norm(problem_.residual());
    }
    if (policy_ == JacobianPolicy::broyden) learn(problem_.residual() - g_);
    g_ = problem_.residual();
    record_.residual = next;
    if (!iterates_ || next <= options_.tolerance) break;
    if (record_.iterations >= options_.max_iterations) {
      if (refreshed) {
        return Failure{
            std::nullopt,
            fmt::format("the coupling variables did not converge: residual {:.3g} after {} iterations", next,
                        record_.iterations)};
      }
      refreshed = true;
      record_.iterations = 0;
      if (auto failure = problem_.difference(grid, jacobian_)) return of_subsystem(*failure);
      solver_.compute(jacobian_);
    }
    norm = next;
  }
  problem_.accept(options_.final_evaluation);
  ++record_.steps;
  record_.integrations = problem_.integrations();
  return std::nullopt;
}

}  // namespace ergon

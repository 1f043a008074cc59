#include "ergon/coupling/implicit/implicit_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {
namespace {

/// How often a change of the coupling variables is halved that makes the residual worse.
constexpr int most_halvings = 8;
/// A Newton step that leaves more of the residual than this wants a new Jacobian.
constexpr double sufficient_contraction = 0.3;
constexpr double infinity = std::numeric_limits<double>::infinity();

ImplicitStepper::Failure of_member(const MemberFailure& failure) {
  return {failure, 0, failure.reason};
}

}  // namespace

ImplicitStepper::ImplicitStepper(InterfaceProblem problem, std::unique_ptr<UpdateRule> rule,
                                 const ImplicitOptions& options, bool iterates)
    : problem_(std::move(problem)), rule_(std::move(rule)), options_(options), iterates_(iterates) {
  record_.unknowns = problem_.size();
}

void ImplicitStepper::restart() {
  problem_.restart();
  rule_->restart();
  record_ = {};
  record_.unknowns = problem_.size();
}

ImplicitStepper::Failure ImplicitStepper::not_converged(double residual) const {
  Eigen::Index worst = 0;
  g_.cwiseQuotient(problem_.weights()).cwiseAbs().maxCoeff(&worst);
  const bool differences = options_.update == "finite-difference";
  return {
      std::nullopt, problem_.structure().unknowns[static_cast<std::size_t>(worst)].output,
      fmt::format("the coupling variables did not converge: their residual is {:.3g} of their size after "
                  "{} iterations; take smaller steps{}",
                  residual, record_.iterations, differences ? "" : ", or jacobian = \"finite-difference\"")};
}

std::optional<ImplicitStepper::Failure> ImplicitStepper::step(const TimeGrid& grid, Tick start, Tick end) {
  u_ = problem_.predict(grid, start, end);
  record_.iterations = 0;
  if (auto failure = problem_.integrate(grid, u_)) return of_member(*failure);
  problem_.keep_prediction();
  if (problem_.size() > 0) {  // nothing is exchanged otherwise
    if (auto failure = rule_->begin_step(problem_, grid, end - start)) return of_member(*failure);
    if (auto failure = iterate(grid)) return failure;
  }
  ++record_.steps;
  record_.integrations = problem_.integrations();
  record_.most_iterations = std::max(record_.most_iterations, record_.iterations);
  record_.largest_residual = std::max(record_.largest_residual, record_.residual);
  return std::nullopt;
}

void ImplicitStepper::accept() {
  problem_.accept(options_.final_evaluation);
}

std::optional<ImplicitStepper::Failure> ImplicitStepper::jacobian(const TimeGrid& grid, Tick start, Tick end,
                                                                  Eigen::MatrixXd& matrix) {
  u_ = problem_.predict(grid, start, end);
  if (auto failure = problem_.integrate(grid, u_)) return of_member(*failure);
  problem_.keep_prediction();
  if (auto failure = problem_.difference(grid, matrix)) return of_member(*failure);
  return std::nullopt;
}

std::optional<ImplicitStepper::Failure> ImplicitStepper::iterate(const TimeGrid& grid) {
  g_ = problem_.residual();
  double norm = problem_.weighted_residual();
  while (true) {
    rule_->propose(problem_, g_, du_);
    u_ += du_;
    ++record_.iterations;
    auto failure = problem_.integrate(grid, u_);
    double next = failure ? infinity : problem_.weighted_residual();
    // Damping as a fallback: half the way, as long as the whole one leads away from the solution, or where a subsystem
    // cannot follow.
    int halvings = 0;
    while (iterates_ && !(next <= norm) && !converged() && halvings < most_halvings) {
      du_ *= 0.5;
      u_ -= du_;
      ++halvings;
      failure = problem_.integrate(grid, u_);
      next = failure ? infinity : problem_.weighted_residual();
    }
    if (failure) return of_member(*failure);
    dg_ = problem_.residual() - g_;
    rule_->learn(problem_, du_, dg_);
    g_ = problem_.residual();
    record_.residual = problem_.relative_residual();
    if (!iterates_ || converged()) return std::nullopt;
    if (record_.iterations >= options_.max_iterations) return not_converged(record_.residual);
    // The Jacobian of the predictor is not that of the solution.
    if (halvings > 0 || !(next <= sufficient_contraction * norm)) {
      if (auto failed = rule_->renew(problem_, grid)) return of_member(*failed);
    }
    norm = next;
  }
}

bool ImplicitStepper::converged() const {
  return problem_.relative_residual() <= options_.tolerance ||
         (record_.iterations > 1 && problem_.states_unmoved() && std::isfinite(problem_.relative_residual()));
}

void ImplicitStepper::save(Memory& memory) {
  memory.problem.clear();
  problem_.visit_state([&](std::span<double> values) {
    memory.problem.insert(memory.problem.end(), values.begin(), values.end());
  });
  rule_->save(memory.rule);
}

void ImplicitStepper::restore(const Memory& memory) {
  std::size_t next = 0;
  problem_.visit_state([&](std::span<double> values) {
    std::copy_n(memory.problem.begin() + static_cast<std::ptrdiff_t>(next), values.size(), values.begin());
    next += values.size();
  });
  rule_->restore(memory.rule);
}

}  // namespace ergon

#include "ergon/coupling/schemes/implicit/implicit_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/coupling/schemes/implicit/difference_jacobian.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {
namespace {

/// How often a change of the coupling variables is halved that makes the residual worse.
constexpr int most_halvings = 8;
/// A Newton step that leaves more of the residual than this wants a new Jacobian.
constexpr double sufficient_contraction = 0.3;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

ImplicitStepper::ImplicitStepper(const SteppingContext& context, const UpdateRuleInfo& rule, bool iterates)
    : Stepper(context),
      options_(plan_.options().implicit),
      iterates_(iterates),
      problem_(context, iterates, rule.sweeps),
      rule_(rule.make()) {
  rule_->prepare(problem_);
  record_.unknowns = problem_.size();
}

void ImplicitStepper::restart() {
  problem_.restart();
  rule_->restart();
  record_ = {};
  record_.unknowns = problem_.size();
}

std::optional<Failure> ImplicitStepper::advance() {
  state_.begin_step(0);
  const Tick start = state_.stage(0).start();
  const Tick end = state_.stage(0).next();
  try {
    if (const auto trouble = step(start, end)) return told(*trouble);
    if (auto overflow = problem_.overflow()) return overflow;
  } catch (const SubsystemFailure&) {
    throw;
  } catch (...) {
    return failure_of(plan_, problem_.asked(), plan_.grid().time_s(start), current_exception_text());
  }
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    if (auto failure = problem_.impossible(s, plan_.grid().time_s(end))) return failure;
    if (auto failure =
            find_non_finite(plan_, plan_.stage(s), problem_.trial_outputs(s), plan_.grid().time_s(end)))
      return failure;
    state_.stage(s).count_step();
  }
  problem_.accept(options_.final_evaluation);
  state_.set_now(end);
  return std::nullopt;
}

std::optional<ImplicitStepper::Trouble> ImplicitStepper::step(Tick start, Tick end) {
  u_ = problem_.predict(start, end);
  record_.iterations = 0;
  if (auto failure = problem_.integrate_prediction()) return of_member(std::move(*failure));
  problem_.keep_prediction();
  if (problem_.size() > 0) {  // nothing is exchanged otherwise
    if (auto failure = rule_->begin_step(problem_, end - start)) return of_member(std::move(*failure));
    if (auto trouble = iterate()) return trouble;
  }
  ++record_.steps;
  record_.integrations = problem_.integrations();
  record_.most_iterations = std::max(record_.most_iterations, record_.iterations);
  record_.largest_residual = std::max(record_.largest_residual, record_.residual);
  return std::nullopt;
}

Failure ImplicitStepper::told(const Trouble& trouble) const {
  const double time_s = plan_.grid().time_s(state_.now());
  if (trouble.member) {
    Failure failure =
        failure_of(plan_, plan_.stage(0).members[trouble.member->member], time_s, trouble.member->what);
    failure.discarded = trouble.member->discarded;
    return failure;
  }
  const SignalName& worst = plan_.system().outputs[trouble.output];
  const Node& node = plan_.system().nodes[worst.node];
  return {node.name, node.description->outputs[worst.port].name, time_s, trouble.what};
}

ImplicitStepper::Trouble ImplicitStepper::not_converged(double residual) const {
  Eigen::Index worst = 0;
  g_.cwiseQuotient(problem_.weights()).cwiseAbs().maxCoeff(&worst);
  const bool differences = options_.update == "finite-difference";
  return {
      std::nullopt, problem_.structure().unknowns[static_cast<std::size_t>(worst)].output,
      fmt::format("the coupling variables did not converge: their residual is {:.3g} of their size after "
                  "{} iterations; take smaller steps{}",
                  residual, record_.iterations, differences ? "" : ", or jacobian = \"finite-difference\"")};
}

NodeCost ImplicitStepper::cost(Index stage, std::size_t member) const {
  if (stage != 0) return cost_of(stage, 0.0);
  const std::uint64_t substeps = plan_.stage(0).members[member].substeps;
  NodeCost cost = cost_of(stage, problem_.mean_step_s(member) / static_cast<double>(substeps));
  cost.steps *= substeps;
  cost.discarded *= substeps;
  return cost;
}

std::vector<double> ImplicitStepper::interface_jacobian(Tick length) {
  const Tick now = state_.now();
  u_ = problem_.predict(now, now + length);
  if (problem_.integrate_prediction()) return {};
  problem_.keep_prediction();
  InterfaceJacobian jacobian;
  jacobian.set_structure(problem_.structure(), true);
  if (DifferenceJacobian(problem_).compute(jacobian)) return {};
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = jacobian.matrix();
  return {rows.data(), rows.data() + rows.size()};
}

std::optional<ImplicitStepper::Trouble> ImplicitStepper::iterate() {
  g_ = problem_.residual();
  double norm = iterates_ ? problem_.weighted_residual() : infinity;
  while (true) {
    rule_->propose(problem_, g_, du_);
    u_ += du_;
    ++record_.iterations;
    auto failure = problem_.integrate(u_);
    double next = failure || !iterates_ ? infinity : problem_.weighted_residual();
    // Damping as a fallback: half the way, as long as the whole one leads away from the solution, or where a subsystem
    // cannot follow.
    int halvings = 0;
    while (iterates_ && !(next <= norm) && !converged() && halvings < most_halvings) {
      du_ *= 0.5;
      u_ -= du_;
      ++halvings;
      failure = problem_.integrate(u_);
      next = failure ? infinity : problem_.weighted_residual();
    }
    if (failure) return of_member(std::move(*failure));
    dg_ = problem_.residual() - g_;
    rule_->learn(problem_, du_, dg_);
    g_ = problem_.residual();
    record_.residual = problem_.relative_residual();
    if (!iterates_ || converged()) return std::nullopt;
    if (record_.iterations >= options_.max_iterations) return not_converged(record_.residual);
    // The Jacobian of the predictor is not that of the solution.
    if (halvings > 0 || !(next <= sufficient_contraction * norm)) {
      if (auto failed = rule_->renew()) return of_member(std::move(*failed));
    }
    norm = next;
  }
}

bool ImplicitStepper::converged() const {
  return problem_.relative_residual() <= options_.tolerance ||
         (record_.iterations > 1 && problem_.states_unmoved() && std::isfinite(problem_.relative_residual()));
}

void ImplicitStepper::archive(Archive& archive) {
  archive.section("implicit");
  problem_.archive(archive);
  rule_->archive(archive);
}

void ImplicitStepper::archive_totals(Archive& archive) {
  problem_.archive_totals(archive);
  archive(record_);
}

}  // namespace ergon

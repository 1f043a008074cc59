#include "ergon/coupling/schemes/implicit/difference_jacobian.hpp"
#include "ergon/coupling/schemes/implicit/sensitivity_jacobian.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"

// Newton steps du = −G⁻¹g, [schweizer2014, (85)]; the rules differ in where G = ∂g/∂u comes from.

namespace ergon {
namespace {

/// Of the coupling variables, relative to their sizes, that Broyden's update is made from.
constexpr double smallest_change = 1e-8;

using MakeJacobian = std::unique_ptr<JacobianSource> (*)(InterfaceProblem& problem);
std::unique_ptr<JacobianSource> by_differences(InterfaceProblem& problem) {
  return std::make_unique<DifferenceJacobian>(problem);
}
template <SensitivitySeries series>
std::unique_ptr<JacobianSource> by_sensitivity(InterfaceProblem& problem) {
  return std::make_unique<SensitivityJacobian>(problem, series);
}

class NewtonRule : public UpdateRule {
 public:
  /// `keeps`: G outlives the step. `fills`: G gets entries that no pattern foresees.
  NewtonRule(MakeJacobian make, bool keeps, bool fills = false) : make_(make), keeps_(keeps), fills_(fills) {}

  void prepare(InterfaceProblem& problem) override {
    jacobian_.set_structure(problem.structure(), fills_);
    source_ = make_(problem);
  }

  void restart() override { length_ = 0; }

  std::optional<MemberFailure> begin_step(InterfaceProblem& /*problem*/, Tick length) override {
    if (keeps_ && length_ == length) return std::nullopt;
    if (auto failure = renew()) return failure;
    length_ = length;
    return std::nullopt;
  }

  void propose(const InterfaceProblem& /*problem*/, const Eigen::VectorXd& g, Eigen::VectorXd& du) override {
    jacobian_.solve(g, du);
    du = -du;
  }

  std::optional<MemberFailure> renew() override {
    if (auto failure = source_->compute(jacobian_)) return failure;
    jacobian_.factorize();
    return std::nullopt;
  }

  void archive(Archive& archive) override {
    if (!keeps_) return;
    archive(length_);
    if (length_ == 0) return;
    jacobian_.archive(archive);
  }

 protected:
  InterfaceJacobian jacobian_;

 private:
  MakeJacobian make_;
  std::unique_ptr<JacobianSource> source_;
  bool keeps_;
  bool fills_;
  Tick length_ = 0;  ///< of the step that G belongs to; 0: there is none
};

/// G ← G + (Δg − GΔu)Δuᵀ/(ΔuᵀΔu), variables divided by their sizes first [broyden1965]. G outlives the macro step, so
/// that a step costs a predictor and a corrector.
class BroydenRule final : public NewtonRule {
 public:
  BroydenRule() : NewtonRule(by_differences, true, true) {}

  void learn(const InterfaceProblem& problem, const Eigen::VectorXd& du, const Eigen::VectorXd& dg) override {
    weighted_ = du.cwiseQuotient(problem.weights().cwiseAbs2());
    const double square = weighted_.dot(du);
    // A change of rounding size teaches nothing but rounding.
    if (!(square > smallest_change * smallest_change)) return;
    missed_ = dg;
    Eigen::MatrixXd& G = jacobian_.matrix();
    missed_.noalias() -= G * du;
    for (Eigen::Index j = 0; j < G.cols(); ++j) G.col(j) += weighted_[j] / square * missed_;
    jacobian_.factorize();
  }

 private:
  Eigen::VectorXd weighted_;
  Eigen::VectorXd missed_;
};

}  // namespace

std::unique_ptr<UpdateRule> make_finite_difference_rule() {
  return std::make_unique<NewtonRule>(by_differences, false);
}
std::unique_ptr<UpdateRule> make_directional_rule() {
  return std::make_unique<NewtonRule>(by_sensitivity<SensitivitySeries::all>, false);
}
std::unique_ptr<UpdateRule> make_effective_inertia_rule() {
  return std::make_unique<NewtonRule>(by_sensitivity<SensitivitySeries::leading>, false);
}
std::unique_ptr<UpdateRule> make_frozen_rule() {
  return std::make_unique<NewtonRule>(by_differences, true);
}
std::unique_ptr<UpdateRule> make_broyden_rule() {
  return std::make_unique<BroydenRule>();
}

}  // namespace ergon

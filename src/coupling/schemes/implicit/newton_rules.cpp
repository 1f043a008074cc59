#include "ergon/coupling/schemes/implicit/interface_jacobian.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"

// Newton steps du = −G⁻¹g, [schweizer2014, (85)]; the rules differ in where G = ∂g/∂u comes from.

namespace ergon {
namespace {

/// Of the coupling variables, relative to their sizes, that Broyden's update is made from.
constexpr double smallest_change = 1e-8;

enum class Source { finite_difference, directional, effective_inertia };

class NewtonRule : public UpdateRule {
 public:
  /// `fills`: G gets entries that no pattern foresees.
  NewtonRule(Source source, bool keeps, bool fills = false) : source_(source), keeps_(keeps), fills_(fills) {}

  void prepare(const InterfaceProblem& problem) override {
    jacobian_.set_structure(problem.structure(), fills_);
  }

  void restart() override { length_ = 0; }

  std::optional<MemberFailure> begin_step(InterfaceProblem& problem, const TimeGrid& grid,
                                          Tick length) override {
    if (keeps_ && length_ == length) return std::nullopt;
    if (auto failure = compute(problem, grid)) return failure;
    length_ = length;
    return std::nullopt;
  }

  void propose(const InterfaceProblem& /*problem*/, const Eigen::VectorXd& g, Eigen::VectorXd& du) override {
    jacobian_.solve(g, du);
    du = -du;
  }

  std::optional<MemberFailure> renew(InterfaceProblem& problem, const TimeGrid& grid) override {
    return compute(problem, grid);
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
  std::optional<MemberFailure> compute(InterfaceProblem& problem, const TimeGrid& grid) {
    if (source_ == Source::finite_difference) {
      if (auto failure = problem.difference(grid, jacobian_)) return failure;
    } else {
      problem.differentiate(
          grid, source_ == Source::directional ? SensitivitySeries::all : SensitivitySeries::leading,
          jacobian_);
    }
    jacobian_.factorize();
    return std::nullopt;
  }

  Source source_;
  bool keeps_;
  bool fills_;
  Tick length_ = 0;  ///< of the step that G belongs to; 0: there is none
};

/// G ← G + (Δg − GΔu)Δuᵀ/(ΔuᵀΔu), variables divided by their sizes first [broyden1965]. G outlives the macro step, so
/// that a step costs a predictor and a corrector.
class BroydenRule final : public NewtonRule {
 public:
  BroydenRule() : NewtonRule(Source::finite_difference, true, true) {}

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
  return std::make_unique<NewtonRule>(Source::finite_difference, false);
}
std::unique_ptr<UpdateRule> make_directional_rule() {
  return std::make_unique<NewtonRule>(Source::directional, false);
}
std::unique_ptr<UpdateRule> make_effective_inertia_rule() {
  return std::make_unique<NewtonRule>(Source::effective_inertia, false);
}
std::unique_ptr<UpdateRule> make_frozen_rule() {
  return std::make_unique<NewtonRule>(Source::finite_difference, true);
}
std::unique_ptr<UpdateRule> make_broyden_rule() {
  return std::make_unique<BroydenRule>();
}

}  // namespace ergon

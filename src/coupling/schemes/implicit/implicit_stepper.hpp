#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ergon/coupling/options/implicit_options.hpp"
#include "ergon/coupling/schemes/implicit/interface_problem.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/stepper.hpp"

namespace ergon {

/// Macro steps of the semi-implicit and implicit schemes.                              [schweizer2014, Sects. 2.1 – 2.3]
///   predict uᵖ;  gᵖ = g(uᵖ);  u = uᵖ − G⁻¹ gᵖ;  integrate with u;  implicit: repeat until |g| is small
class ImplicitStepper final : public Stepper {
 public:
  /// `iterates`: until |g| is small; else one Newton step is taken.
  ImplicitStepper(const SteppingContext& context, const UpdateRuleInfo& rule, bool iterates);

  void restart() override;
  std::optional<Failure> advance() override;
  [[nodiscard]] const double* outputs(Index stage) const override { return problem_.outputs(stage); }
  [[nodiscard]] double predicted_output(SlotAddress output) const override {
    return problem_.predicted_outputs(output.stage)[output.offset];
  }
  [[nodiscard]] const ImplicitRecord* record() const override { return &record_; }
  [[nodiscard]] NodeCost cost(Index stage, std::size_t member) const override;
  [[nodiscard]] std::vector<double> interface_jacobian(Tick length) override;
  void archive(Archive& archive) override;
  void archive_totals(Archive& archive) override;

 private:
  /// A step that did not get to its end: a member failed, or the iteration did not converge.
  struct Trouble {
    std::optional<MemberFailure> member;
    Index output = 0;  ///< the coupling variable with the largest residual
    std::string what;
  };
  static Trouble of_member(MemberFailure failure) { return {std::move(failure), 0, {}}; }
  [[nodiscard]] std::optional<Trouble> step(Tick start, Tick end);
  [[nodiscard]] std::optional<Trouble> iterate();
  [[nodiscard]] bool converged() const;
  [[nodiscard]] Trouble not_converged(double residual) const;
  [[nodiscard]] Failure told(const Trouble& trouble) const;

  const ImplicitOptions& options_;
  bool iterates_;
  InterfaceProblem problem_;
  std::unique_ptr<UpdateRule> rule_;
  Eigen::VectorXd u_;
  Eigen::VectorXd g_;
  Eigen::VectorXd du_;
  Eigen::VectorXd dg_;
  ImplicitRecord record_;
};

}  // namespace ergon

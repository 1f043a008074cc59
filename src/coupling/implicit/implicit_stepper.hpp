#pragma once

#include <Eigen/LU>
#include <optional>
#include <string>

#include "coupling/implicit/interface_problem.hpp"
#include "coupling/implicit/options.hpp"

namespace ergon {

enum class JacobianPolicy {
  finite_difference,  ///< anew in every step
  frozen,             ///< once
  broyden,  ///< once, then corrected by what each step shows: two integrations per subsystem and step
};
/// Nothing for an unknown name.
[[nodiscard]] std::optional<JacobianPolicy> jacobian_policy(const std::string& name);
[[nodiscard]] const std::vector<std::string>& jacobian_policy_names();

/// One macro step of the semi-implicit and implicit schemes.                           [schweizer2014, Sects. 2.1 – 2.3]
///   predict uᵖ;  gᵖ = g(uᵖ);  u = uᵖ − G⁻¹ gᵖ;  integrate with u;  implicit: repeat until |g| is small
/// with G = ∂g/∂u. Broyden: G += (Δg − GΔu)Δuᵀ/(ΔuᵀΔu), variables scaled by their sizes.
class ImplicitStepper {
 public:
  struct Failure {
    std::optional<InterfaceProblem::StepFailure> subsystem;  ///< else the iteration did not converge
    std::string what;
  };
  ImplicitStepper(InterfaceProblem problem, const ImplicitOptions& options, bool iterates);

  void restart();
  std::optional<Failure> step(const TimeGrid& grid, Tick start, Tick end);
  [[nodiscard]] const InterfaceProblem& problem() const { return problem_; }
  [[nodiscard]] const ImplicitRecord& record() const { return record_; }

 private:
  std::optional<InterfaceProblem::StepFailure> prepare_jacobian(const TimeGrid& grid, Tick length);
  [[nodiscard]] double scaled_norm(const Eigen::VectorXd& g) const;
  void learn(const Eigen::VectorXd& change_of_g);

  InterfaceProblem problem_;
  ImplicitOptions options_;
  JacobianPolicy policy_;
  bool iterates_;
  Eigen::MatrixXd jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> solver_;
  Tick jacobian_length_ = 0;  ///< of the step that it belongs to; 0: there is none
  Eigen::VectorXd u_;
  Eigen::VectorXd g_;
  Eigen::VectorXd du_;
  ImplicitRecord record_;
};

}  // namespace ergon

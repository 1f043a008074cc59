#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ergon/coupling/implicit/interface_problem.hpp"
#include "ergon/coupling/implicit/options.hpp"
#include "ergon/coupling/implicit/update_rule.hpp"

namespace ergon {

/// One macro step of the semi-implicit and implicit schemes.                           [schweizer2014, Sects. 2.1 – 2.3]
///   predict uᵖ;  gᵖ = g(uᵖ);  u = uᵖ − G⁻¹ gᵖ;  integrate with u;  implicit: repeat until |g| is small
class ImplicitStepper {
 public:
  struct Failure {
    std::optional<MemberFailure> member;  ///< else the iteration did not converge
    Index output = 0;                     ///< the coupling variable with the largest residual
    std::string what;
  };
  ImplicitStepper(InterfaceProblem problem, std::unique_ptr<UpdateRule> rule, const ImplicitOptions& options,
                  bool iterates);

  void restart();
  /// On success the step can be accepted: its outputs become visible.
  std::optional<Failure> step(const TimeGrid& grid, Tick start, Tick end);
  void accept();
  /// ∂g/∂u of a step, by finite differences: for analysis, the engine must be set back afterwards.
  std::optional<Failure> jacobian(const TimeGrid& grid, Tick start, Tick end, Eigen::MatrixXd& matrix);
  [[nodiscard]] const InterfaceProblem& problem() const { return problem_; }
  [[nodiscard]] const ImplicitRecord& record() const { return record_; }

  /// For snapshots: what later steps depend on.
  struct Memory {
    std::vector<double> problem;
    std::vector<double> rule;
  };
  void save(Memory& memory);
  void restore(const Memory& memory);

 private:
  [[nodiscard]] bool converged() const;
  std::optional<Failure> iterate(const TimeGrid& grid);
  [[nodiscard]] Failure not_converged(double residual) const;

  InterfaceProblem problem_;
  std::unique_ptr<UpdateRule> rule_;
  ImplicitOptions options_;
  bool iterates_;
  Eigen::VectorXd u_;
  Eigen::VectorXd g_;
  Eigen::VectorXd du_;
  Eigen::VectorXd dg_;
  ImplicitRecord record_;
};

}  // namespace ergon

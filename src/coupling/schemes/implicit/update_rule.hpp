#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/coupling/schemes/implicit/interface_problem.hpp"

namespace ergon {

/// How the next trial of the coupling variables follows from the residual: Newton steps with some Jacobian, or an
/// accelerated fixed-point iteration.
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  /// Once, before anything else: the problem that it will be asked about, which must outlive it.
  virtual void prepare(InterfaceProblem& /*problem*/) {}
  /// At t₀: nothing is known.
  virtual void restart() = 0;
  /// The predictor of a step of `length` has been integrated, and its residual is known.
  virtual std::optional<MemberFailure> begin_step(InterfaceProblem& problem, Tick length) = 0;
  /// The change of u that should make the residual zero.
  virtual void propose(const InterfaceProblem& problem, const Eigen::VectorXd& g, Eigen::VectorXd& du) = 0;
  /// What a trial has shown: a change of u by du changed g by dg.
  virtual void learn(const InterfaceProblem& /*problem*/, const Eigen::VectorXd& /*du*/,
                     const Eigen::VectorXd& /*dg*/) {}
  /// The last trial went badly: forms anew what belongs to another point.
  virtual std::optional<MemberFailure> renew() { return std::nullopt; }
  /// Everything that it remembers from step to step.
  virtual void archive(Archive& /*archive*/) {}
};

struct UpdateRuleInfo {
  std::string_view name;
  std::string_view help;
  bool is_jacobian = true;         ///< else an acceleration
  bool needs_derivatives = false;  ///< directional derivatives of all subsystems
  bool needs_inertia = false;      ///< effective inertia of all subsystems
  std::unique_ptr<UpdateRule> (*make)() = nullptr;
  bool sweeps =
      false;  ///< subsystems are tried one after the other, with what those before them have come to
};

const std::vector<UpdateRuleInfo>& update_rules();
const UpdateRuleInfo* find_update_rule(std::string_view name);
/// Names of Jacobians, or of accelerations.
std::vector<std::string> update_rule_names(bool jacobians);

std::unique_ptr<UpdateRule> make_finite_difference_rule();
std::unique_ptr<UpdateRule> make_directional_rule();
std::unique_ptr<UpdateRule> make_effective_inertia_rule();
std::unique_ptr<UpdateRule> make_frozen_rule();
std::unique_ptr<UpdateRule> make_broyden_rule();
std::unique_ptr<UpdateRule> make_anderson_rule();
std::unique_ptr<UpdateRule> make_iqn_ils_rule();
std::unique_ptr<UpdateRule> make_fixed_point_rule();

}  // namespace ergon

#pragma once

#include <Eigen/LU>
#include <span>
#include <vector>

#include "ergon/coupling/predictors/input_predictor.hpp"
#include "ergon/coupling/predictors/interface_plan.hpp"
#include "ergon/coupling/predictors/motion_driven_ports.hpp"

namespace ergon {

/// The reduced model of the slow side: flows, displacements, what acts on them besides the fast side, M̃ block by block.
struct FlowModel {
  Eigen::VectorXd w;
  Eigen::VectorXd s;
  Eigen::VectorXd acceleration;
  Eigen::VectorXd force;
  Eigen::MatrixXd mass;

  explicit FlowModel(Eigen::Index components);
  /// What a receiver gets with the flows `with`, `ahead_s` after the displacements.
  [[nodiscard]] double value(const InterfacePlan& interface, const InterfacePlan::Receiver& r,
                             const Eigen::VectorXd& with, double ahead_s) const;
};

/// The flows at the end of a step h of the fast side, by Newton's method                            [peiret2019, (5)–(7)]
///   M̃ (w⁺ − w)/h = λ̃ + λ(w⁺, s⁺),   s⁺ = s + h w⁺,   λ its efforts with the new state
/// Motion-driven components have the flows of who drives them. `interface` and `driven` must outlive it. Allocates nothing.
class InterfaceSolver {
 public:
  InterfaceSolver(const InterfacePlan& interface, const MotionDrivenPorts& driven, std::size_t outputs);

  /// False where Newton's method does not lead to flows. `inputs` of the stage: those of receivers are written. Outputs of members
  /// that drive are in `outputs` already.
  bool solve(const PredictedStep& step, const FlowModel& model, std::span<double> inputs);
  /// w⁺
  [[nodiscard]] const Eigen::VectorXd& flows() const { return w_; }
  /// Outputs of the fast stage.
  [[nodiscard]] std::span<double> outputs() { return y_; }
  /// Outputs of the fast side with these inputs of the stage.
  void evaluate_outputs(double t, const double* inputs);
  /// λ̃ and the efforts of the fast side in `y`, outputs of its stage.
  void add_up_efforts(const FlowModel& model, const double* y, Eigen::VectorXd& efforts) const;
  /// Who is to blame for what is thrown.
  [[nodiscard]] const Member& asked() const { return *asked_; }

 private:
  /// r = M̃ (w⁺ − w)/h − λ̃ − λ(w⁺, s⁺); returns the largest component relative to its parts.
  double evaluate(const PredictedStep& step, const FlowModel& model, std::span<double> inputs);
  /// ∂r/∂w⁺ = M̃/h − ∂λ/∂w − h ∂λ/∂s
  void differentiate(const PredictedStep& step, const FlowModel& model, std::span<const double> inputs);
  /// How the outputs of a fast member change with its inputs along `direction_`: as it knows it, or probed.
  void differentiate_outputs(const Member& m, const PredictedStep& step, const double* u, bool has_jacobian,
                             std::size_t component);

  const InterfacePlan& interface_;
  const MotionDrivenPorts& driven_;
  const Member* asked_;
  Eigen::VectorXd w_;
  Eigen::VectorXd residual_;
  Eigen::VectorXd effort_;
  Eigen::VectorXd size_;
  Eigen::VectorXd change_;
  Eigen::MatrixXd jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  std::vector<double> y_;           ///< outputs of the fast stage
  std::vector<double> y_jacobian_;  ///< of one member
  std::vector<double> y_change_;    ///< of one member
  std::vector<double> direction_;
  std::vector<double> moved_;
  std::vector<double> states_;  ///< no change
  std::vector<double> rates_;
};

}  // namespace ergon

#pragma once

#include <Eigen/LU>
#include <memory>
#include <optional>
#include <vector>

#include "ergon/coupling/predictors/interface_plan.hpp"

namespace ergon {

/// Ports of a slow subsystem whose flows fast ones prescribe, which take its efforts. Over a step of theirs these feel the efforts that
/// go with the flows that they come to,
///   M (w⁺(λ) − w)/h = f + λ                                          [peiret2019, (22), solved for the efforts]
///   M = M̃_ll − M̃_lf M̃_ff⁻¹ M̃_fl,   f = λ̃_l − M̃_lf M̃_ff⁻¹(λ̃_f + λ_f)
/// with l the motion-driven components of the interface and f the others, which move under the efforts that they have where the step starts.
/// w⁺(λ) is found by taking the step and rewinding it. An effort that lags behind the flow instead would be an instability
/// of its own, at any step, where M is more than the inertia of who drives (docs/theory/interface-models.md).
class MotionDrivenPorts {
 public:
  /// The step that efforts are sought for.
  struct Step {
    double start_s = 0.0;
    double end_s = 0.0;
    double length_s = 0.0;
    double* coefficients = nullptr;  ///< all inputs of the stage; the efforts are written into them
    std::size_t slots = 0;
    int degree = 0;
  };
  /// Who could not step, and why; no reason: there are no efforts that fit.
  struct StepError {
    const Member* member = nullptr;
    std::string what;
  };

  MotionDrivenPorts(const InterfacePlan& interface, std::size_t outputs);

  [[nodiscard]] std::size_t size() const { return drivers_.size(); }
  [[nodiscard]] std::size_t component(std::size_t i) const { return drivers_[i].component; }
  /// The flow of a driver, from outputs of the stage.
  [[nodiscard]] double flow(std::size_t i, const double* y) const {
    return drivers_[i].flow_gain * y[drivers_[i].flow_source] + drivers_[i].flow_offset;
  }
  /// Outputs of all who drive, into a row of the stage.
  void outputs(double t, const double* inputs, double* y) const;
  /// Finds the efforts, and writes them. Of all components: M̃; λ̃, and at those that are not motion-driven with the efforts there; the flows where
  /// the step starts. Allocates nothing.
  std::optional<StepError> solve(const Step& step, const Eigen::MatrixXd& mass, const Eigen::VectorXd& effort,
                                 const Eigen::VectorXd& flows);
  /// Makes the equations of motion-driven components in a matrix of all say that they are known.
  void keep(Eigen::MatrixXd& matrix) const;

 private:
  using Index = Eigen::Index;
  struct Trial {
    const Member* member = nullptr;
    std::unique_ptr<StateSlot> before;
  };
  /// M, f and w of the motion-driven components.
  void reduce(const Eigen::MatrixXd& mass, const Eigen::VectorXd& effort, const Eigen::VectorXd& flows);
  /// w⁺ under the efforts `efforts_`; false after noting the error.
  bool try_step(const Step& step, Eigen::VectorXd& flows);
  /// r = M (w⁺ − w)/h − f − λ; the largest component relative to its parts.
  double evaluate(const Step& step);

  std::vector<InterfacePlan::Driver> drivers_;
  std::vector<Trial> trials_;
  std::optional<StepError> error_;
  std::vector<double> y_;
  std::vector<double> u_end_;
  Eigen::MatrixXd mass_;
  Eigen::VectorXd force_, flows_;
  Eigen::VectorXd efforts_, next_, probed_, residual_, change_;
  Eigen::MatrixXd response_, jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> solver_;
  // Of all components.
  Eigen::MatrixXd with_driven_kept_;
  Eigen::VectorXd given_, moved_;
  Eigen::PartialPivLU<Eigen::MatrixXd> all_;
};

}  // namespace ergon

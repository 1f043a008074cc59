#pragma once

#include <Eigen/LU>
#include <memory>
#include <optional>
#include <vector>

#include "ergon/coupling/predictors/interface_model.hpp"

namespace ergon {

/// Fast subsystems that lead a slow one: they take its efforts and give the flows. Over a step of theirs they feel the efforts that go with
/// the flows that they come to,
///   M (w⁺(λ) − w)/h = f + λ                                          [peiret2019, (22), solved for the efforts]
/// w⁺(λ) is found by taking the step and rewinding it. An effort that lags behind the flow instead would be an instability
/// of its own, at any step, where M is more than the inertia of who leads (docs/theory/interface-models.md).
class LedDrives {
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
  struct Trouble {
    const Member* member = nullptr;
    std::string what;
  };

  LedDrives(const InterfacePlan& interface, std::size_t outputs);

  [[nodiscard]] std::size_t size() const { return leads_.size(); }
  [[nodiscard]] std::size_t component(std::size_t i) const { return leads_[i].component; }
  /// The flow of a lead, from outputs of the stage.
  [[nodiscard]] double flow(std::size_t i, const double* y) const {
    return leads_[i].flow_gain * y[leads_[i].flow_source] + leads_[i].flow_offset;
  }
  /// Outputs of all who lead, into a row of the stage.
  void outputs(double t, const double* inputs, double* y) const;
  /// Finds the efforts, and writes them. `mass`, `force`, `flows`: of the leads in their order. Allocates nothing.
  std::optional<Trouble> solve(const Step& step, const Eigen::MatrixXd& mass, const Eigen::VectorXd& force,
                               const Eigen::VectorXd& flows);

 private:
  using Index = Eigen::Index;
  struct Drive {
    const Member* member = nullptr;
    std::unique_ptr<StateSlot> before;
  };
  /// w⁺ under the efforts `efforts_`; false after noting the trouble.
  bool try_step(const Step& step, Eigen::VectorXd& flows);
  /// r = M (w⁺ − w)/h − f − λ; the largest component relative to its parts.
  double evaluate(const Step& step, const Eigen::MatrixXd& mass, const Eigen::VectorXd& force,
                  const Eigen::VectorXd& flows);

  std::vector<InterfacePlan::Lead> leads_;
  std::vector<Drive> drives_;
  std::optional<Trouble> trouble_;
  std::vector<double> y_;
  std::vector<double> u_end_;
  Eigen::VectorXd efforts_, next_, probed_, residual_, change_;
  Eigen::MatrixXd response_, jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> solver_;
};

}  // namespace ergon

#pragma once

#include <span>
#include <vector>

#include "ergon/coupling/schemes/implicit/jacobian_source.hpp"
#include "ergon/coupling/schemes/implicit/state_sensitivity.hpp"

namespace ergon {

/// ∂g/∂u without any integration, from the directional derivatives of the subsystems, see StateSensitivity. `problem` must outlive it.
class SensitivityJacobian final : public JacobianSource {
 public:
  SensitivityJacobian(InterfaceProblem& problem, SensitivitySeries series);

  std::optional<MemberFailure> compute(InterfaceJacobian& jacobian) override;

 private:
  /// Y + ∂Y begins as Y.
  void start_changed_outputs();
  /// The changes of the inputs of the step that the changed coupling variables make.
  void difference_inputs();
  /// The changes of Y and of outputs that members alone decide about.
  void change_outputs(std::uint32_t member, const double* u, const double* input_change);
  /// From changes of states to changes of Y, as InterfaceProblem::evaluate_outputs goes from states to Y. `inputs`: with which the
  /// outputs that depend on states alone were evaluated.
  void propagate_change(std::span<const std::uint32_t> readers, std::span<const double> inputs);
  void fill_columns(std::span<const std::uint32_t> columns, InterfaceJacobian& jacobian);

  InterfaceProblem& problem_;
  SensitivitySeries series_;
  const CouplingPlan& plan_;
  CouplingState& state_;
  StateSensitivity sensitivity_;
  std::vector<std::vector<double>>
      state_changes_;                  ///< per member: ∂x(H), where it has directional derivatives
  std::vector<SampleRing> changed_y_;  ///< Y + ∂Y
  SampleRings changed_y_rings_;
  std::vector<double> changed_coefficients_;
  std::vector<double> changed_inputs_;
  std::vector<double> rate_change_;
  std::vector<double> no_change_;
  std::vector<double> output_change_;
};

}  // namespace ergon

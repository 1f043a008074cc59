#pragma once

#include <Eigen/Core>

#include "core/subsystem.hpp"
#include "models/joints/joint_ports.hpp"
#include "models/registry.hpp"

namespace ergon {

/// Six springs and dampers between two markers, coupled among each other as a matrix says.
///   d = [A_jᵀ ρ, θ]   displacement of marker i in the axes A_j of marker j, and rotation vector of A_jᵀ A_i
///   f = −K d − D ḋ
/// The force A_j f₁ acts on marker i, its reaction on body j at the same point, and the torque is the one that does the work f₂·θ̇:
/// A_j T⁻ᵀ f₂, where T⁻¹ turns the relative angular velocity into θ̇. So energy, forces and moments are balanced at any angle
/// below π, where the rotation vector changes its sign.
class Bushing final : public Element {
 public:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  Bushing(Space space, const Matrix6& stiffness, const Matrix6& damping);
  [[nodiscard]] Description describe() const override { return ports_.describe(); }
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] double stored_J(const double* u) const override;
  [[nodiscard]] double dissipation_W(const double* u) const override;

 private:
  Matrix6 stiffness_;
  Matrix6 damping_;
  JointPorts ports_;
};

ElementInfo bushing_element();

}  // namespace ergon

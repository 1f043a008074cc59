#pragma once

#include <Eigen/Core>

#include "ergon/models/joints/joint_law.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Six springs and dampers between two markers, coupled among each other as a matrix says.
///   d = [A_jᵀ ρ, θ]   displacement of marker i in the axes A_j of marker j, and rotation vector of A_jᵀ A_i
///   f = p − K d − D ḋ                 p: preload, what it does to marker i where nothing is displaced
/// The force A_j f₁ acts on marker i, its reaction on body j at the same point, and the torque is the one that does the work f₂·θ̇:
/// A_j T⁻ᵀ f₂, where T⁻¹ turns the relative angular velocity into θ̇. So energy, forces and moments are balanced at any angle
/// below π, where the rotation vector changes its sign.
class Bushing final : public JointLaw {
 public:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  Bushing(Space space, const Matrix6& stiffness, const Matrix6& damping, const Vector6& preload)
      : JointLaw(space), stiffness_(stiffness), damping_(damping), preload_(preload) {}
  [[nodiscard]] JointDependence dependence() const override;
  [[nodiscard]] JointResponse respond(const JointMotion& motion) const override;
  [[nodiscard]] JointWrench wrench_change(const JointMotion& motion,
                                          const JointMotion& change) const override;

 private:
  Matrix6 stiffness_;
  Matrix6 damping_;
  Vector6 preload_;
};

ElementInfo bushing_element();

}  // namespace ergon

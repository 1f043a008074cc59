#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "ergon/models/joints/curve.hpp"
#include "ergon/models/joints/joint_law.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

// The fundamental flexible joints [schweizer2014, §3.2]. In the paper's (54), (58), (62) with (57), (61), (65) the forces drive
// the bodies apart; here they bring them back. ρ is the vector from marker j to marker i, e a unit vector fixed in a body.

/// Holds two points together: λ = −C ρ − D ρ̇ on marker i [schweizer2014, (54), (57)].
///   world    C, D in world axes, the reaction −λ on marker j. Where λ is not along ρ (damping, unequal stiffness), the two forces
///            leave a moment ρ × λ: as published, and small where the joint is stiff.
///   body_j   C, D in the axes of marker j, ρ̇ as seen from body j, the reaction at the very point of marker i: forces and moments
///            balance exactly.
/// A curve may stand for C: −f(ρ_k) along each axis, or −f(|ρ|) ρ/|ρ|, which needs f(0) = 0; one for D: −g(ρ̇_k) along each axis.
struct AtPoint {
  enum class Frame { world, body_j };
  enum class Direction { each_axis, radial };
  Eigen::Matrix3d stiffness_N_m = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d damping_Ns_m = Eigen::Matrix3d::Zero();
  Frame frame = Frame::world;
  std::optional<Curve> spring{};
  std::optional<Curve> damper{};
  Direction spring_direction = Direction::each_axis;
  Eigen::Index dimensions = 3;

  // In the axes of the law.
  [[nodiscard]] Eigen::Vector3d elastic_N(const Eigen::Vector3d& rho) const;
  [[nodiscard]] Eigen::Vector3d damping_N(const Eigen::Vector3d& rate) const;
  [[nodiscard]] double stored_J(const Eigen::Vector3d& rho) const;
  /// What both forces together change by.
  [[nodiscard]] Eigen::Vector3d force_change(const Eigen::Vector3d& rho, const Eigen::Vector3d& rate,
                                             const Eigen::Vector3d& d_rho,
                                             const Eigen::Vector3d& d_rate) const;
};

/// Keeps marker i in the plane through marker j with the normal e_j: λ = −f(δ) − g(δ̇) along e_j, δ = ρ·e_j. The reaction acts on
/// body j where marker i is [schweizer2014, (58), (61)].
struct InPlane {
  Eigen::Vector3d normal_j = Eigen::Vector3d::UnitZ();  ///< in axes of marker j
  ScalarLaw law{};
};

/// Keeps e_i and e_j perpendicular: torque λ e_i × e_j on i and its opposite on j, λ = −f(s) − g(ṡ), s = e_i·e_j
/// [schweizer2014, (62), (65)]. Where both become parallel the torque goes to 0: an equilibrium, but an unstable one.
struct Perpendicular {
  Eigen::Vector3d direction_i = Eigen::Vector3d::UnitX();  ///< in axes of marker i
  Eigen::Vector3d direction_j = Eigen::Vector3d::UnitY();  ///< in axes of marker j
  ScalarLaw law{};
};

struct JointParts {
  std::optional<AtPoint> at_point{};
  std::vector<InPlane> in_plane{};
  std::vector<Perpendicular> perpendicular{};
};

/// The law of a flexible joint made of these.
class FlexibleJoint final : public JointLaw {
 public:
  FlexibleJoint(Space space, JointParts parts) : JointLaw(space), parts_(std::move(parts)) {}
  [[nodiscard]] JointDependence dependence() const override;
  [[nodiscard]] JointResponse respond(const JointMotion& motion) const override;
  [[nodiscard]] JointWrench wrench_change(const JointMotion& motion,
                                          const JointMotion& change) const override;

  /// One per axis of an atpoint joint, in the axes of its law, and one per inplane and perpendicular.
  [[nodiscard]] std::size_t multiplier_count() const override;
  [[nodiscard]] Unit multiplier_unit() const override;
  [[nodiscard]] Unit multiplier_rate_unit() const override;
  void write_multipliers(const JointMotion& motion, double* lambda) const override;
  [[nodiscard]] JointWrench directed(const JointMotion& motion, const double* lambda) const override;
  [[nodiscard]] JointWrench directed_change(const JointMotion& motion, const JointMotion& change,
                                            const double* lambda) const override;

 private:
  JointParts parts_;
};

/// atpoint, inplane, perpendicular and their combinations.
std::vector<ElementInfo> flexible_joint_elements();

}  // namespace ergon

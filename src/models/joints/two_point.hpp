#pragma once

#include <Eigen/Core>

#include "ergon/models/joints/curve.hpp"
#include "ergon/models/joints/joint_law.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// The line from marker j to marker i, ρ = r_i − r_j:
///   l = |ρ|,   e = ρ/l,   l̇ = e·ρ̇
/// Where both points coincide there is no direction: e is 0 there.
struct LineBetween {
  double length_m = 0.0;
  double rate_m_s = 0.0;
  Eigen::Vector3d along = Eigen::Vector3d::Zero();  ///< e

  explicit LineBetween(const JointMotion& motion);
};

/// What that line changes by, to first order, where the motion changes by `change`:
///   dl = e·dρ,   de = (dρ − e dl)/l,   dl̇ = de·ρ̇ + e·dρ̇
struct LineChange {
  double length_m = 0.0;
  double rate_m_s = 0.0;
  Eigen::Vector3d along = Eigen::Vector3d::Zero();

  LineChange(const LineBetween& line, const JointMotion& motion, const JointMotion& change);
};

/// A spring and a damper along the line between two markers, relaxed at the length l₀:
///   λ = −f(l − l₀) − g(l̇),   force λ e on marker i, −λ e on marker j
/// Both forces are along one line: their moments balance. Stored ∫f, dissipated g(l̇) l̇.
class TwoPointSpringDamper final : public JointLaw {
 public:
  TwoPointSpringDamper(Space space, ScalarLaw law, double rest_length_m)
      : JointLaw(space), law_(std::move(law)), rest_length_m_(rest_length_m) {}

  [[nodiscard]] JointDependence dependence() const override { return {points, 0, 0}; }
  [[nodiscard]] JointResponse respond(const JointMotion& motion) const override;
  [[nodiscard]] JointWrench wrench_change(const JointMotion& motion,
                                          const JointMotion& change) const override;

 private:
  ScalarLaw law_;
  double rest_length_m_;
};

ElementInfo two_point_spring_damper_element();

}  // namespace ergon

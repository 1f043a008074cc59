#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "ergon/models/multibody/markers.hpp"

namespace ergon {

/// How both ends of a joint move; what its law does not look at is 0 (axes: the world's).
struct JointMotion {
  MarkerMotion i, j;
  /// From marker j to marker i, and its rate seen by an observer in the world.
  [[nodiscard]] Eigen::Vector3d distance_m() const { return i.position_m - j.position_m; }
  [[nodiscard]] Eigen::Vector3d velocity_m_s() const { return i.velocity_m_s - j.velocity_m_s; }
  /// The rate of the distance seen by an observer on body j.
  [[nodiscard]] Eigen::Vector3d velocity_in_j_m_s() const {
    return velocity_m_s() - j.angular_velocity_rad_s.cross(distance_m());
  }
  [[nodiscard]] Eigen::Vector3d turning_rad_s() const {
    return i.angular_velocity_rad_s - j.angular_velocity_rad_s;
  }
};

/// What a joint does to one end: a force at the marker and a torque, in world coordinates.
struct Wrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();
  [[nodiscard]] double power_W(const MarkerMotion& end) const {
    return force.dot(end.velocity_m_s) + torque.dot(end.angular_velocity_rad_s);
  }
};

/// What a joint does to both of its ends.
struct JointWrench {
  Wrench i, j;

  /// A force on marker i; on j acts the opposite force at its own marker.
  void push(const Eigen::Vector3d& force) {
    i.force += force;
    j.force -= force;
  }
  /// A force on marker i whose reaction acts on body j at the very point of marker i: with a torque about marker j.
  void push_at_i(const Eigen::Vector3d& force, const Eigen::Vector3d& distance_m) {
    push(force);
    j.torque -= distance_m.cross(force);
  }
  void turn(const Eigen::Vector3d& torque) {
    i.torque += torque;
    j.torque -= torque;
  }
};

inline Wrench operator+(const Wrench& a, const Wrench& b) {
  return {a.force + b.force, a.torque + b.torque};
}
inline JointWrench operator+(const JointWrench& a, const JointWrench& b) {
  return {a.i + b.i, a.j + b.j};
}

/// Springs and dampers apart, since the one keep what the others take:
///   d(stored)/dt = −power of the elastic wrench,   dissipation = −power of the damping wrench, both ends taken together.
struct JointResponse {
  JointWrench elastic, damping;
  double stored_J = 0.0;
  double dissipation_W = 0.0;
  [[nodiscard]] JointWrench wrench() const { return elastic + damping; }
};

/// Groups of inputs of a joint, for its feed-through.
enum InputGroup : unsigned { points = 1, frame_i = 2, frame_j = 4 };

/// On which groups of inputs each output depends; an output that depends on nothing does not exist. Both forces are opposite.
struct JointDependence {
  unsigned force = 0, torque_i = 0, torque_j = 0;
  bool opposite_torques = false;  ///< torque_j = −torque_i
  [[nodiscard]] unsigned groups() const { return force | torque_i | torque_j; }
};

/// The law of a flexible joint between marker i of one body and marker j of another: wrenches from motions. It has no state and
/// knows nothing of ports: an element evaluates it between two bodies, a body evaluates it inside its own step.
class JointLaw {
 public:
  explicit JointLaw(Space space) : space_(space) {}
  JointLaw(const JointLaw&) = delete;
  JointLaw& operator=(const JointLaw&) = delete;
  virtual ~JointLaw() = default;

  [[nodiscard]] Space space() const { return space_; }
  [[nodiscard]] virtual JointDependence dependence() const = 0;
  [[nodiscard]] virtual JointResponse respond(const JointMotion& motion) const = 0;
  /// What the wrench changes by, to first order, where the motion changes by `change`; axes change by turning.
  [[nodiscard]] virtual JointWrench wrench_change(const JointMotion& motion,
                                                  const JointMotion& change) const = 0;

  // The law as multipliers times directions, wrench = Σ λ_k G_k, for forms in which only λ is solved for: λ looks at the whole motion,
  // G at places and axes. A law that cannot be written so has no multipliers.
  static constexpr std::size_t max_multipliers = 8;
  [[nodiscard]] virtual std::size_t multiplier_count() const { return 0; }
  /// Of λ, and of the rates that make a power with it; unspecified where there are forces and torques.
  [[nodiscard]] virtual Unit multiplier_unit() const { return {}; }
  [[nodiscard]] virtual Unit multiplier_rate_unit() const { return {}; }
  virtual void write_multipliers(const JointMotion& /*motion*/, double* /*lambda*/) const {}
  [[nodiscard]] virtual JointWrench directed(const JointMotion& /*motion*/, const double* /*lambda*/) const {
    return {};
  }
  /// What `directed` changes by with the motion, λ staying.
  [[nodiscard]] virtual JointWrench directed_change(const JointMotion& /*motion*/,
                                                    const JointMotion& /*change*/,
                                                    const double* /*lambda*/) const {
    return {};
  }

 private:
  Space space_;
};

}  // namespace ergon

#pragma once

#include <Eigen/Core>

#include "core/subsystem.hpp"
#include "models/multibody/markers.hpp"

namespace ergon {

/// Motion of one end of a joint, in world coordinates; what the joint does not look at is 0 (axes: the world's).
struct EndMotion {
  Eigen::Vector3d position_m = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity_m_s = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns x, y, z of the marker
  Eigen::Vector3d angular_velocity_rad_s = Eigen::Vector3d::Zero();
};
struct JointMotion {
  EndMotion i, j;
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

/// What a joint does to its ends: forces at the markers and torques, in world coordinates.
struct JointWrench {
  Eigen::Vector3d force_i = Eigen::Vector3d::Zero(), torque_i = Eigen::Vector3d::Zero();
  Eigen::Vector3d force_j = Eigen::Vector3d::Zero(), torque_j = Eigen::Vector3d::Zero();

  /// A force on marker i; on j acts the opposite force at its own marker.
  void push(const Eigen::Vector3d& force) {
    force_i += force;
    force_j -= force;
  }
  /// A force on marker i whose reaction acts on body j at the very point of marker i: with a torque about marker j.
  void push_at_i(const Eigen::Vector3d& force, const Eigen::Vector3d& distance_m) {
    push(force);
    torque_j -= distance_m.cross(force);
  }
  void turn(const Eigen::Vector3d& torque) {
    torque_i += torque;
    torque_j -= torque;
  }
};

/// Groups of inputs of a joint, for its feed-through.
enum InputGroup : unsigned { points = 1, frame_i = 2, frame_j = 4 };

/// The ports of a joint. Only what its law looks at is a port:
///   position_i, velocity_i, position_j, velocity_j            and force_i, force_j     if it looks at points
///   axes_i, angular_velocity_i                                and torque_i             if it looks at the frame of i
///   axes_j, angular_velocity_j                                and torque_j             if it looks at the frame of j
/// World vectors and wrenches are exchanged, never angles: there is no singular position to go through.
class JointPorts {
 public:
  /// On which groups of inputs each output depends; an output that depends on nothing does not exist.
  struct Dependence {
    unsigned force = 0, torque_i = 0, torque_j = 0;
  };
  JointPorts(Space space, const Dependence& dependence)
      : space_(space), on_(dependence), groups_(on_.force | on_.torque_i | on_.torque_j) {}

  [[nodiscard]] Description describe() const;
  [[nodiscard]] JointMotion read(const double* u) const;
  /// What the motion changes by with input scalar `input`.
  [[nodiscard]] JointMotion change(std::size_t input) const;
  static constexpr std::size_t most_inputs = 36;
  [[nodiscard]] std::size_t input_count() const;
  [[nodiscard]] std::size_t output_count() const;
  void write(const JointWrench& wrench, double* y) const;

 private:
  [[nodiscard]] bool has(InputGroup group) const { return (groups_ & group) != 0; }

  Space space_;
  Dependence on_;
  unsigned groups_;
};

}  // namespace ergon

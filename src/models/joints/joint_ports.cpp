#include "ergon/models/joints/joint_ports.hpp"

namespace ergon {

std::size_t EndPorts::size() const {
  return (point_ ? 2 * vector_size(space_) : 0) + (frame_ ? frame_size(space_) + rotation_size(space_) : 0);
}

MarkerMotion EndPorts::read(const double* u) const {
  MarkerMotion motion;
  if (point_) {
    motion.position_m = read_vector(space_, u);
    motion.velocity_m_s = read_vector(space_, u + velocity_offset());
  }
  if (frame_) {
    motion.axes = read_frame(space_, u + axes_offset());
    motion.angular_velocity_rad_s = read_rotation(space_, u + angular_velocity_offset());
  }
  return motion;
}

MarkerMotion EndPorts::change(const double* u, const double* du, Eigen::Vector3d& turning) const {
  MarkerMotion motion;
  motion.axes.setZero();
  turning.setZero();
  if (point_) {
    motion.position_m = read_vector(space_, du);
    motion.velocity_m_s = read_vector(space_, du + velocity_offset());
  }
  if (frame_) {
    turning = frame_turning(space_, u + axes_offset(), du + axes_offset());
    const Eigen::Matrix3d axes = read_frame(space_, u + axes_offset());
    for (Eigen::Index axis = 0; axis < 3; ++axis) motion.axes.col(axis) = turning.cross(axes.col(axis));
    motion.angular_velocity_rad_s = read_rotation(space_, du + angular_velocity_offset());
  }
  return motion;
}

Description JointPorts::describe() const {
  Description description;
  description.algebraic = true;
  std::vector<unsigned> group_of_input;
  i_.describe([](const std::string& quantity) { return quantity + "_i"; }, description.inputs,
              group_of_input);
  j_.describe([](const std::string& quantity) { return quantity + "_j"; }, description.inputs,
              group_of_input);
  const auto output = [&](std::string name, const char* unit, std::size_t size, const char* help,
                          unsigned depends_on) {
    if (depends_on == 0) return;
    for (std::size_t i = 0; i < group_of_input.size(); ++i) {
      if ((depends_on & group_of_input[i]) != 0)
        description.feedthrough.push_back({description.outputs.size(), i});
    }
    description.outputs.push_back({std::move(name), Unit::of(unit), size, help});
  };
  const std::size_t vector = vector_size(space_);
  const std::size_t rotation = rotation_size(space_);
  output("force_i", "N", vector, "force on marker i, world coordinates", on_.force);
  output("torque_i", "N.m", rotation, "torque on the body of marker i, world coordinates", on_.torque_i);
  output("force_j", "N", vector, "force on marker j, world coordinates", on_.force);
  output("torque_j", "N.m", rotation, "torque on the body of marker j, world coordinates", on_.torque_j);
  return description;
}

JointMotion JointPorts::change(const double* u, std::size_t input) const {
  double du[2 * EndPorts::max_scalars] = {};
  du[input] = 1.0;
  Eigen::Vector3d turning;
  return {i_.change(u, du, turning), j_.change(u + i_.size(), du + i_.size(), turning)};
}

std::size_t JointPorts::output_count() const {
  return (on_.force != 0 ? 2 * vector_size(space_) : 0) + (on_.torque_i != 0 ? rotation_size(space_) : 0) +
         (on_.torque_j != 0 ? rotation_size(space_) : 0);
}

void JointPorts::write(const JointWrench& wrench, double* y) const {
  const auto write_end = [&](const Wrench& end, unsigned torque_exists) {
    if (on_.force != 0) {
      write_vector(space_, end.force, y);
      y += vector_size(space_);
    }
    if (torque_exists != 0) {
      write_rotation(space_, end.torque, y);
      y += rotation_size(space_);
    }
  };
  write_end(wrench.i, on_.torque_i);
  write_end(wrench.j, on_.torque_j);
}

}  // namespace ergon

#include "models/joints/joint_ports.hpp"

namespace ergon {

Description JointPorts::describe() const {
  const std::size_t vector = vector_size(space_);
  const std::size_t rotation = rotation_size(space_);
  Description description;
  description.algebraic = true;
  std::vector<unsigned> group_of_input;
  const auto input = [&](std::string name, const char* unit, std::size_t size, const char* help,
                         InputGroup group) {
    description.inputs.push_back({std::move(name), Unit::of(unit), size, help});
    group_of_input.push_back(group);
  };
  for (const char* end : {"_i", "_j"}) {
    const InputGroup frame = end[1] == 'i' ? frame_i : frame_j;
    const std::string suffix = end;
    if (has(points)) {
      input("position" + suffix, "m", vector, "position of the marker, world coordinates", points);
      input("velocity" + suffix, "m/s", vector, "velocity of the marker, world coordinates", points);
    }
    if (has(frame)) {
      input("axes" + suffix, "1", axes_size(space_), "unit vectors of the marker, world coordinates", frame);
      input("angular_velocity" + suffix, "rad/s", rotation, "of the body, world coordinates", frame);
    }
  }
  const auto output = [&](std::string name, const char* unit, std::size_t size, const char* help,
                          unsigned depends_on) {
    if (depends_on == 0) return;
    for (std::size_t i = 0; i < group_of_input.size(); ++i) {
      if ((depends_on & group_of_input[i]) != 0)
        description.feedthrough.push_back({description.outputs.size(), i});
    }
    description.outputs.push_back({std::move(name), Unit::of(unit), size, help});
  };
  output("force_i", "N", vector, "force on marker i, world coordinates", on_.force);
  output("torque_i", "N.m", rotation, "torque on the body of marker i, world coordinates", on_.torque_i);
  output("force_j", "N", vector, "force on marker j, world coordinates", on_.force);
  output("torque_j", "N.m", rotation, "torque on the body of marker j, world coordinates", on_.torque_j);
  return description;
}

JointMotion JointPorts::read(const double* u) const {
  JointMotion motion;
  for (EndMotion* end : {&motion.i, &motion.j}) {
    if (has(points)) {
      end->position_m = read_vector(space_, u);
      u += vector_size(space_);
      end->velocity_m_s = read_vector(space_, u);
      u += vector_size(space_);
    }
    if (has(end == &motion.i ? frame_i : frame_j)) {
      end->axes = read_axes(space_, u);
      u += axes_size(space_);
      end->angular_velocity_rad_s = read_rotation(space_, u);
      u += rotation_size(space_);
    }
  }
  return motion;
}

JointMotion JointPorts::change(std::size_t input) const {
  double u[most_inputs] = {};
  const JointMotion origin = read(u);
  u[input] = 1.0;
  JointMotion motion = read(u);  // linear, but for the axes that are no ports
  motion.i.axes -= origin.i.axes;
  motion.j.axes -= origin.j.axes;
  return motion;
}

std::size_t JointPorts::input_count() const {
  const std::size_t frame = axes_size(space_) + rotation_size(space_);
  return (has(points) ? 4 * vector_size(space_) : 0) + (has(frame_i) ? frame : 0) +
         (has(frame_j) ? frame : 0);
}

std::size_t JointPorts::output_count() const {
  return (on_.force != 0 ? 2 * vector_size(space_) : 0) + (on_.torque_i != 0 ? rotation_size(space_) : 0) +
         (on_.torque_j != 0 ? rotation_size(space_) : 0);
}

void JointPorts::write(const JointWrench& wrench, double* y) const {
  const auto force = [&](const Eigen::Vector3d& vector) {
    if (on_.force == 0) return;
    write_vector(space_, vector, y);
    y += vector_size(space_);
  };
  const auto torque = [&](const Eigen::Vector3d& vector, unsigned exists) {
    if (exists == 0) return;
    write_rotation(space_, vector, y);
    y += rotation_size(space_);
  };
  force(wrench.force_i);
  torque(wrench.torque_i, on_.torque_i);
  force(wrench.force_j);
  torque(wrench.torque_j, on_.torque_j);
}

}  // namespace ergon

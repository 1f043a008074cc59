#include "ergon/models/joints/two_point_actuator.hpp"

#include "ergon/models/joints/joint_parameters.hpp"

namespace ergon {

Description TwoPointActuator::describe() const {
  const std::size_t n = vector_size(space_);
  const Unit metre = Unit::of("m");
  const Unit metre_per_second = Unit::of("m/s");
  const Unit newton = Unit::of("N");
  Description description;
  description.inputs = {{"position_i", metre, n, "position of marker i, world coordinates"},
                        {"velocity_i", metre_per_second, n, "velocity of marker i, world coordinates"},
                        {"position_j", metre, n, "position of marker j, world coordinates"},
                        {"velocity_j", metre_per_second, n, "velocity of marker j, world coordinates"},
                        {"force", newton, 1, "positive: pushes the markers apart"}};
  description.outputs = {{"force_i", newton, n, "force on marker i, world coordinates"},
                         {"force_j", newton, n, "force on marker j, world coordinates"},
                         {"length", metre, 1, "distance of both markers"},
                         {"rate", metre_per_second, 1, "rate of the length"}};
  for (const std::size_t output : {0U, 1U}) {
    for (const std::size_t input : {0U, 2U, 4U}) description.feedthrough.push_back({output, input});
  }
  for (const std::size_t input : {0U, 2U}) description.feedthrough.push_back({2, input});
  for (const std::size_t input : {0U, 1U, 2U, 3U}) description.feedthrough.push_back({3, input});
  description.algebraic = true;
  return description;
}

JointMotion TwoPointActuator::motion_of(const double* u) const {
  const std::size_t n = vector_size(space_);
  JointMotion motion;
  motion.i.position_m = read_vector(space_, u);
  motion.i.velocity_m_s = read_vector(space_, u + n);
  motion.j.position_m = read_vector(space_, u + 2 * n);
  motion.j.velocity_m_s = read_vector(space_, u + 3 * n);
  return motion;
}

void TwoPointActuator::evaluate(const double* u, double* y) const {
  const std::size_t n = vector_size(space_);
  const LineBetween line(motion_of(u));
  const Eigen::Vector3d force = u[force_input()] * line.along;
  write_vector(space_, force, y);
  write_vector(space_, -force, y + n);
  y[2 * n] = line.length_m;
  y[2 * n + 1] = line.rate_m_s;
}

void TwoPointActuator::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const std::size_t n = vector_size(space_);
  const std::size_t inputs = force_input() + 1;
  const JointMotion motion = motion_of(u);
  const LineBetween line(motion);
  const auto write_column = [&](std::size_t column, const Eigen::Vector3d& force, double length,
                                double rate) {
    double values[8];
    write_vector(space_, force, values);
    write_vector(space_, -force, values + n);
    values[2 * n] = length;
    values[2 * n + 1] = rate;
    for (std::size_t row = 0; row < outputs(); ++row) jacobian[row * inputs + column] = values[row];
  };
  for (std::size_t column = 0; column < force_input(); ++column) {
    double du[12] = {};
    du[column] = 1.0;
    const LineChange d(line, motion, motion_of(du));
    write_column(column, u[force_input()] * d.along, d.length_m, d.rate_m_s);
  }
  write_column(force_input(), line.along, 0.0, 0.0);
}

ElementInfo two_point_actuator_element() {
  ElementInfo info;
  info.name = "joint.actuator";
  info.summary = "a given force along the line between two markers; gives its length and rate";
  info.parameters = {planar_parameter()};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<TwoPointActuator>(space_of(given));
  };
  info.examples = {{"in the plane", {{"planar", {true, {}}}}}};
  return info;
}

}  // namespace ergon

#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A point of a body with a frame: its position and its axes in coordinates of the body, seen from the centre of mass.
struct Marker {
  std::string name;
  Eigen::Vector3d position_m = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns x, y, z
};

/// What moves: a body in space, or in the plane x, y, whose ports leave out what is always 0.
enum class Space { plane, three_dimensional };

/// Components of a world vector (position, velocity, force), of a torque or angular velocity, and of a frame: its unit
/// vectors one after the other, z left out in the plane.
constexpr std::size_t vector_size(Space space) {
  return space == Space::plane ? 2 : 3;
}
constexpr std::size_t rotation_size(Space space) {
  return space == Space::plane ? 1 : 3;
}
constexpr std::size_t axes_size(Space space) {
  return space == Space::plane ? 4 : 9;
}
/// Components that tell a frame: its x and y axes; in the plane x alone. They are the first ones of its axes.
constexpr std::size_t frame_size(Space space) {
  return space == Space::plane ? 2 : 6;
}

// Between a port and vectors in space.
inline Eigen::Vector3d read_vector(Space space, const double* port) {
  return {port[0], port[1], space == Space::plane ? 0.0 : port[2]};
}
inline void write_vector(Space space, const Eigen::Vector3d& vector, double* port) {
  for (std::size_t i = 0; i < vector_size(space); ++i) port[i] = vector[static_cast<Eigen::Index>(i)];
}
inline Eigen::Vector3d read_rotation(Space space, const double* port) {
  if (space == Space::plane) return {0.0, 0.0, port[0]};
  return {port[0], port[1], port[2]};
}
inline void write_rotation(Space space, const Eigen::Vector3d& vector, double* port) {
  if (space == Space::plane) {
    port[0] = vector[2];
  } else {
    write_vector(space, vector, port);
  }
}
void write_axes(Space space, const Eigen::Matrix3d& axes, double* port);

/// The right-handed frame whose x axis is along the first vector of a port of `frame_size`, and whose y axis is on the side of the
/// second: polynomials between frames are not frames, and no law shall see axes that are stretched or skewed. A port that is 0, one
/// that nobody feeds, is the frame of the world; two parallel vectors give NaN.
Eigen::Matrix3d read_frame(Space space, const double* port);
/// The angular velocity of that frame (world coordinates) where the port changes with the rates `port_rate`.
Eigen::Vector3d frame_turning(Space space, const double* port, const double* port_rate);

/// `markers`, `marker_positions`, `marker_axes`.
std::vector<ParameterInfo> marker_parameters(Space space);
/// Adds the markers that were asked for to `markers`; false after reporting what is wrong.
bool read_markers(const ModelRequest& request, Space space, std::vector<Marker>& markers,
                  ProblemList& problems);

/// Adds the ports of a marker: NAME_force, NAME_torque; NAME_position, NAME_velocity, NAME_axes, NAME_axes_rate.
void add_marker_inputs(Space space, const std::string& name, std::vector<Port>& inputs);
void add_marker_outputs(Space space, const std::string& name, std::vector<Port>& outputs);
/// Scalars of these ports.
constexpr std::size_t marker_input_size(Space space) {
  return vector_size(space) + rotation_size(space);
}
constexpr std::size_t marker_output_size(Space space) {
  return 2 * vector_size(space) + 2 * axes_size(space);
}

/// Motion of a body: centre of mass, rotation from body to world, angular velocity in world coordinates.
struct BodyMotion {
  Eigen::Vector3d position_m, velocity_m_s;
  Eigen::Matrix3d rotation;
  Eigen::Vector3d angular_velocity_rad_s;
};

/// Of a body whose centre of mass moves so.
[[nodiscard]] inline Momentum momentum_of(double mass_kg, const BodyMotion& motion) {
  const Eigen::Vector3d momentum = mass_kg * motion.velocity_m_s;
  return {mass_kg, {momentum[0], momentum[1], momentum[2]}};
}

/// Motion of a marker, in world coordinates.
struct MarkerMotion {
  Eigen::Vector3d position_m = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity_m_s = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns x, y, z
  Eigen::Vector3d angular_velocity_rad_s = Eigen::Vector3d::Zero();
};
[[nodiscard]] MarkerMotion motion_of_marker(const Marker& marker, const BodyMotion& body);
/// What is seen of a body of which no more is known: bars from its centre of mass to its markers.
[[nodiscard]] std::vector<VisibleShape> marker_shapes(const std::vector<Marker>& markers);
/// Writes what the ports of `add_marker_outputs` give.
void write_marker_outputs(Space space, const Marker& marker, const BodyMotion& motion, double* y);

}  // namespace ergon

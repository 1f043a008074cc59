#include "ergon/core/geometry.hpp"

#include <cmath>
#include <limits>

namespace ergon {

const char* name_of(VisibleShapeKind kind) {
  switch (kind) {
    case VisibleShapeKind::sphere:
      return "sphere";
    case VisibleShapeKind::box:
      return "box";
    case VisibleShapeKind::cylinder:
      return "cylinder";
    case VisibleShapeKind::capsule:
      return "capsule";
    case VisibleShapeKind::plane:
      return "plane";
  }
  return "";
}

std::size_t Scene::moving_bodies() const {
  std::size_t count = 0;
  for (const VisibleBody& body : bodies) count += body.fixed ? 0 : 1;
  return count;
}

std::size_t Scene::line_points() const {
  std::size_t count = 0;
  for (const VisibleLine& line : lines) count += line.points;
  return count;
}

ForceArrow no_arrow() {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {{none, none, none}, {none, none, none}};
}

/// The half-way quaternion of z and d: (1 + z·d, z × d), normalised; a half turn about x where d = −z.
std::array<double, 4> turn_z_to(const Point3& direction) {
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  if (!(length > 0.0)) return {1.0, 0.0, 0.0, 0.0};
  const double x = direction[0] / length;
  const double y = direction[1] / length;
  const double z = direction[2] / length;
  const double norm = std::sqrt((1.0 + z) * (1.0 + z) + x * x + y * y);
  if (norm < 1e-9) return {0.0, 1.0, 0.0, 0.0};
  return {(1.0 + z) / norm, -y / norm, x / norm, 0.0};
}

VisibleShape bar(const Point3& from, const Point3& to, double radius_m) {
  VisibleShape shape;
  shape.kind = VisibleShapeKind::capsule;
  Point3 along{};
  for (std::size_t k = 0; k < 3; ++k) {
    along[k] = to[k] - from[k];
    shape.in_body.position_m[k] = 0.5 * (from[k] + to[k]);
  }
  shape.size_m = {radius_m, std::hypot(along[0], along[1], along[2]), 0.0};
  shape.in_body.orientation = turn_z_to(along);
  return shape;
}

VisibleShape ball(const Point3& centre, double radius_m) {
  return {VisibleShapeKind::sphere, {radius_m, 0.0, 0.0}, {centre, {1.0, 0.0, 0.0, 0.0}}};
}

Pose planar_pose(double x_m, double y_m, double angle_rad) {
  return {{x_m, y_m, 0.0}, {std::cos(0.5 * angle_rad), 0.0, 0.0, std::sin(0.5 * angle_rad)}};
}

Point3 up_against(double gx, double gy, double gz) {
  const double g = std::hypot(gx, gy, gz);
  if (!(g > 0.0)) return {};
  return {-gx / g, -gy / g, -gz / g};
}

}  // namespace ergon

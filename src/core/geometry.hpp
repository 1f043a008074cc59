#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon {

// What of a subsystem can be seen: bodies made of simple shapes, lines through points, arrows. For pictures only; nothing is
// computed from it. World coordinates, m; systems in the plane have z = 0.

using Point3 = std::array<double, 3>;

/// Where a body or a shape is: x_outer = position + R(orientation) x_inner, a unit quaternion (w, x, y, z).
struct Pose {
  Point3 position_m{};
  std::array<double, 4> orientation{1.0, 0.0, 0.0, 0.0};
};

enum class VisibleShapeKind {
  sphere,    ///< size: radius
  box,       ///< size: half lengths along x, y, z
  cylinder,  ///< size: radius, length along z
  capsule,   ///< size: radius, length along z between the centres of its ends
  plane,     ///< z is its outward normal
};
[[nodiscard]] ERGON_API const char* name_of(VisibleShapeKind kind);

struct VisibleShape {
  VisibleShapeKind kind = VisibleShapeKind::sphere;
  std::array<double, 3> size_m{};
  Pose in_body{};
};

struct VisibleBody {
  std::string name;
  bool fixed = false;  ///< stays in the world frame: no pose is told
  std::vector<VisibleShape> shapes;
};

/// A line through points that move: a cable, the rod of an actuator.
struct VisibleLine {
  std::string name;
  std::size_t points = 2;
  double radius_m = 0.0;
};

/// What there is to see, told once before t₀.
struct Scene {
  std::vector<VisibleBody> bodies;
  std::vector<VisibleLine> lines;
  std::vector<std::string> arrows;  ///< forces, one name each
  Point3 up{};                      ///< against gravity; 0: no matter

  [[nodiscard]] std::size_t moving_bodies() const;
  [[nodiscard]] std::size_t line_points() const;
};

/// A force at a point. One that does not act now has NaN in all six places.
struct ForceArrow {
  Point3 point_m{};
  Point3 force_N{};
};
[[nodiscard]] ERGON_API ForceArrow no_arrow();

/// Where everything is at one instant; the caller's arrays, in the order of the scene.
struct SceneFrame {
  std::span<Pose> poses;  ///< of the bodies that are not fixed
  std::span<Point3> points;
  std::span<ForceArrow> arrows;
};

/// Can be looked at.
class ERGON_API Geometry {
 public:
  virtual ~Geometry() = default;
  [[nodiscard]] virtual Scene scene() const = 0;
  /// At the present state; fills everything and allocates nothing.
  virtual void draw(SceneFrame frame) const = 0;
};

/// A capsule between two points.
[[nodiscard]] ERGON_API VisibleShape bar(const Point3& from, const Point3& to, double radius_m);
/// A sphere about a point.
[[nodiscard]] ERGON_API VisibleShape ball(const Point3& centre, double radius_m);
/// Turned about z by an angle.
[[nodiscard]] ERGON_API Pose planar_pose(double x_m, double y_m, double angle_rad);
/// The unit quaternion that turns z into this direction.
[[nodiscard]] ERGON_API std::array<double, 4> turn_z_to(const Point3& direction);
/// Unit vector against gravity; 0 where there is none.
[[nodiscard]] ERGON_API Point3 up_against(double gx, double gy, double gz);

}  // namespace ergon

#include "ergon/core/geometry.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ergon {
namespace {

/// R z of a unit quaternion: its third column.
Point3 turned_z(const std::array<double, 4>& q) {
  const auto& [w, x, y, z] = q;
  return {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)};
}

TEST(Geometry, ABarRunsFromOnePointToTheOther) {
  const Point3 from{1.0, 2.0, 3.0};
  for (const Point3& to :
       {Point3{1.0, 2.0, 8.0}, Point3{1.0, 2.0, -8.0}, Point3{4.0, -2.0, 2.5}, Point3{0.0, 2.0, 3.0}}) {
    const VisibleShape shape = bar(from, to, 0.1);
    const Point3 along = turned_z(shape.in_body.orientation);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(shape.in_body.position_m[k] - 0.5 * shape.size_m[1] * along[k], from[k], 1e-12);
      EXPECT_NEAR(shape.in_body.position_m[k] + 0.5 * shape.size_m[1] * along[k], to[k], 1e-12);
    }
  }
}

TEST(Geometry, UpIsAgainstGravity) {
  EXPECT_EQ(up_against(0.0, -9.81, 0.0), (Point3{0.0, 1.0, 0.0}));
  const Point3 up = up_against(-3.0, 6.0, -6.0);
  EXPECT_DOUBLE_EQ(up[0], 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(up[1], -2.0 / 3.0);
  EXPECT_DOUBLE_EQ(up[2], 2.0 / 3.0);
  EXPECT_EQ(up_against(0.0, 0.0, 0.0), (Point3{}));
}

TEST(Geometry, ABallIsWhereItsCentreIs) {
  const VisibleShape shape = ball({1.0, -2.0, 3.0}, 0.25);
  EXPECT_EQ(shape.in_body.position_m, (Point3{1.0, -2.0, 3.0}));
  EXPECT_EQ(shape.size_m[0], 0.25);
}

// A turn by φ about z: (cos φ, sin φ, 0) is its first column.
TEST(Geometry, APoseInThePlaneTurnsAboutZ) {
  const Pose pose = planar_pose(2.0, -3.0, 0.7);
  EXPECT_EQ(pose.position_m, (Point3{2.0, -3.0, 0.0}));
  const auto& [w, x, y, z] = pose.orientation;
  EXPECT_NEAR(1.0 - 2.0 * (y * y + z * z), std::cos(0.7), 1e-15);
  EXPECT_NEAR(2.0 * (x * y + w * z), std::sin(0.7), 1e-15);
  EXPECT_NEAR(2.0 * (x * z - w * y), 0.0, 1e-15);
}

TEST(Geometry, CountsWhatMoves) {
  Scene scene;
  scene.bodies = {{"a", false, {}}, {"b", true, {}}, {"c", false, {}}};
  scene.lines = {{"rope", 5, 0.0}, {"rod", 2, 0.0}};
  EXPECT_EQ(scene.moving_bodies(), 2U);
  EXPECT_EQ(scene.line_points(), 7U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(std::isnan(no_arrow().point_m[k]));
    EXPECT_TRUE(std::isnan(no_arrow().force_N[k]));
  }
}

}  // namespace
}  // namespace ergon

// Corners, ends and rims that touch, one by one, against points, normals and gaps that are known by construction. All is in a frame that is
// turned and far from the origin, with three different lengths along its axes: each component counts by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ergon/models/nonsmooth/collide.hpp"
#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Quaterniond;
using Eigen::Vector3d;

const Quaterniond oblique_frame = Quaterniond(0.7, -0.3, 0.5, 0.4).normalized();
const Vector3d away(3.0, -2.0, 5.0);

/// In the frame.
struct Touch {
  Vector3d point;
  Vector3d normal;  ///< from "lower" to "upper"
  double gap;
};

/// Both bodies have the axes of the frame, "upper" its centre at `place`; shapes have places of their own on them.
void expect_touches(const ShapeDescription& upper, const ShapeDescription& lower, const Vector3d& place,
                    const std::vector<Touch>& expected) {
  MachineDescription machine;
  machine.bodies = {block("lower", 5.0, {1.0, 1.0, 1.0}, away),
                    block("upper", 1.0, {1.0, 1.0, 1.0}, away + oblique_frame * place)};
  for (BodyDescription& b : machine.bodies) b.orientation = oblique_frame;
  machine.shapes = {upper, lower};
  machine.materials = {{"dry", 0.3}};
  machine.contacts = {{upper.name, lower.name, "dry"}};
  const auto made = Running::made_of(machine);
  ASSERT_NE(made, nullptr);
  Kinematics kinematics;
  kinematics.evaluate(*made, described_state(*made, machine));
  std::vector<ContactPoint> contacts;
  find_contacts(*made, kinematics, contacts);
  ASSERT_EQ(contacts.size(), expected.size());
  for (const Touch& touch : expected) {
    const Vector3d point = away + oblique_frame * touch.point;
    const auto distance = [&](const ContactPoint& c) { return (c.point - point).norm(); };
    const auto nearest =
        std::min_element(contacts.begin(), contacts.end(),
                         [&](const auto& x, const auto& y) { return distance(x) < distance(y); });
    SCOPED_TRACE(touch.point.transpose());
    EXPECT_LT(distance(*nearest), 1e-12);
    const bool upper_is_a = contacts.front().a > contacts.front().b;
    const Vector3d normal = oblique_frame * (upper_is_a ? touch.normal : Vector3d(-touch.normal));
    EXPECT_LT((nearest->normal - normal).norm(), 1e-12);
    EXPECT_NEAR(nearest->gap, touch.gap, 1e-12);
  }
}

ShapeDescription long_shape(const std::string& name, ShapeType type, const Vector3d& axis, double radius,
                            double length) {
  ShapeDescription shape{name, name, type};
  shape.axis = axis;
  shape.radius_m = radius;
  shape.length_m = length;
  return shape;
}

// Its plane is above all of the box: each corner is as deep as n says.
TEST(CollideCorners, AllCornersOfABoxMeetAPlane) {
  const Vector3d half(0.5, 0.7, 0.9);
  const Vector3d n = Vector3d(2.0, -1.0, 2.0) / 3.0;
  const Vector3d on_plane(0.3, -0.4, 0.6);
  const Vector3d place = on_plane - 2.0 * n;
  ShapeDescription body = box("upper", "upper", 2.0 * half);
  body.position_m = {0.07, 0.11, -0.13};
  std::vector<Touch> expected;
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      for (const double z : {-1.0, 1.0}) {
        const Vector3d corner = place + body.position_m + Vector3d(x, y, z).cwiseProduct(half);
        const double gap = n.dot(corner - on_plane);
        ASSERT_LT(gap, 0.0);
        expected.push_back({corner - gap * n, n, gap});
      }
    }
  }
  expect_touches(body, plane("lower", on_plane, n, "lower"), place, expected);
}

// A box on another, along each axis: pushed aside, so that two of its corners are beyond the edge of the face, and none of the other's under it
// but those at its side.
TEST(CollideCorners, BoxesMeetWithTheCornersThatAreOverTheFaceOfTheOther) {
  const Vector3d lower_half(0.5, 0.7, 0.9);
  const Vector3d upper_half(0.3, 0.4, 0.45);
  constexpr double depth = 0.01;
  for (Eigen::Index k = 0; k < 3; ++k) {
    for (const double side : {1.0, -1.0}) {
      const Eigen::Index i = (k + 1) % 3;
      const Eigen::Index j = (k + 2) % 3;
      Vector3d place = Vector3d::Zero();
      place[k] = side * (lower_half[k] + upper_half[k] - depth);
      place[i] = lower_half[i];  // half of it is beyond the edge
      place[j] = 0.05;
      Vector3d normal = Vector3d::Zero();
      normal[k] = side;
      std::vector<Touch> expected;
      for (const double along : {-1.0, 1.0}) {
        Vector3d corner = place;
        corner[k] = side * (lower_half[k] - depth);
        corner[i] = lower_half[i] - upper_half[i];
        corner[j] = place[j] + along * upper_half[j];
        expected.push_back({corner, normal, -depth});
      }
      SCOPED_TRACE(k);
      expect_touches(box("upper", "upper", 2.0 * upper_half), box("lower", "lower", 2.0 * lower_half), place,
                     expected);
    }
  }
}

// The lower one is the smaller: its corners are under the face of the upper one.
TEST(CollideCorners, BoxesMeetWithTheCornersOfEither) {
  const Vector3d lower_half(0.1, 0.15, 0.2);
  const Vector3d upper_half(0.5, 0.6, 0.7);
  constexpr double depth = 0.02;
  std::vector<Touch> expected;
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0})
      expected.push_back({{x * lower_half[0], y * lower_half[1], lower_half[2]}, Vector3d::UnitZ(), -depth});
  }
  expect_touches(box("upper", "upper", 2.0 * upper_half), box("lower", "lower", 2.0 * lower_half),
                 {0.05, -0.04, lower_half[2] + upper_half[2] - depth}, expected);
}

TEST(CollideCorners, BothEndsOfACapsuleMeetAPlane) {
  const Vector3d n = Vector3d(2.0, -1.0, 2.0) / 3.0;
  const Vector3d on_plane(0.3, -0.4, 0.6);
  const Vector3d axis = Vector3d(1.0, 2.0, 2.0) / 3.0;
  const ShapeDescription capsule = long_shape("upper", ShapeType::capsule, axis, 0.5, 1.6);
  const Vector3d place = on_plane - 1.0 * n;
  std::vector<Touch> expected;
  for (const double end : {-0.8, 0.8}) {
    const Vector3d centre = place + end * axis;
    const double distance = n.dot(centre - on_plane);
    expected.push_back({centre - distance * n, n, distance - 0.5});
  }
  expect_touches(capsule, plane("lower", on_plane, n, "lower"), place, expected);
}

// Of the lines of 1.6 m and 1.0 m, shifted by 0.5 m along each other, what is shared is from −0.3 to 0.5 of the lower one. Either way round.
TEST(CollideCorners, ParallelCapsulesMeetAtBothEndsOfWhatTheyShare) {
  const Vector3d axis = Vector3d(1.0, 2.0, 2.0) / 3.0;
  const Vector3d across = Vector3d(2.0, 1.0, -2.0) / 3.0;
  for (const double direction : {1.0, -1.0}) {
    const ShapeDescription upper = long_shape("upper", ShapeType::capsule, direction * axis, 0.25, 1.6);
    const ShapeDescription lower = long_shape("lower", ShapeType::capsule, axis, 0.5, 1.0);
    // Radii overlap by 0.05: the middle is 0.475 from the lower line.
    const std::vector<Touch> expected = {{-0.3 * axis + 0.475 * across, across, -0.05},
                                         {0.5 * axis + 0.475 * across, across, -0.05}};
    expect_touches(upper, lower, 0.5 * axis + 0.7 * across, expected);
  }
}

// Lines at an angle of cos = 4/9, nearest at 0.3 m and −0.2 m of them, along their common normal.
TEST(CollideCorners, CrossingCapsulesMeetWhereTheirLinesAreNearest) {
  const Vector3d axis = Vector3d(1.0, 2.0, 2.0) / 3.0;
  const Vector3d other = Vector3d(2.0, -1.0, 2.0) / 3.0;
  const Vector3d normal = axis.cross(other).normalized();
  const Vector3d place = -0.2 * axis + 0.7 * normal - 0.3 * other;
  expect_touches(long_shape("upper", ShapeType::capsule, other, 0.25, 1.6),
                 long_shape("lower", ShapeType::capsule, axis, 0.5, 1.6), place,
                 {{-0.2 * axis + 0.475 * normal, normal, -0.05}});
  // Beyond the end of the upper line the nearest point is that end.
  const Vector3d beyond = -0.2 * axis + 0.7 * normal - 0.3 * other;
  const double half = 0.1;
  const Vector3d end = beyond + half * other;
  const double along = axis.dot(end);
  const Vector3d between = end - along * axis;
  const double distance = between.norm();
  ASSERT_LT(distance, 0.25 + 0.5);
  expect_touches(long_shape("upper", ShapeType::capsule, other, 0.25, 2.0 * half),
                 long_shape("lower", ShapeType::capsule, axis, 0.5, 1.6), beyond,
                 {{along * axis + (0.5 + 0.5 * (distance - 0.75)) * between / distance, between / distance,
                   distance - 0.75}});
}

// A cylinder that lies on a plane, tilted: the lowest points of its two ends, straight down across its axis.
TEST(CollideCorners, BothRimsOfACylinderMeetAPlane) {
  const Vector3d n = Vector3d(2.0, -1.0, 2.0) / 3.0;
  const Vector3d on_plane(0.3, -0.4, 0.6);
  const Vector3d axis =
      (Vector3d(1.0, 2.0, 0.0).normalized() + 0.1 * n).normalized();  // the first part is ⟂ n
  const Vector3d down = -(n - axis.dot(n) * axis).normalized();
  const Vector3d place = on_plane + 0.2 * n;
  std::vector<Touch> expected;
  for (const double end : {-0.8, 0.8}) {
    const Vector3d low = place + end * axis + 0.5 * down;
    const double gap = n.dot(low - on_plane);
    ASSERT_LT(gap, 0.0);
    expected.push_back({low, n, gap});
  }
  expect_touches(long_shape("upper", ShapeType::cylinder, axis, 0.5, 1.6),
                 plane("lower", on_plane, n, "lower"), place, expected);
}

// Seen from the axis of a cylinder of 0.5 m: all corners of a box along it that are within its length, those inside by as much as they are.
TEST(CollideCorners, CornersOfABoxMeetTheSideOfACylinder) {
  const Vector3d half(0.2, 0.15, 0.3);
  const Vector3d place(0.55, 0.03, 0.1);
  std::vector<Touch> expected;
  for (const double y : {-1.0, 1.0}) {
    for (const double z : {-1.0, 1.0}) {
      const Vector3d corner = place + Vector3d(-half[0], y * half[1], z * half[2]);
      const Vector3d radial(corner[0], corner[1], 0.0);
      const double gap = radial.norm() - 0.5;
      ASSERT_LT(gap, 0.0);
      expected.push_back({corner - gap * radial.normalized(), radial.normalized(), gap});
    }
  }
  expect_touches(box("upper", "upper", 2.0 * half),
                 long_shape("lower", ShapeType::cylinder, Vector3d::UnitZ(), 0.5, 1.6), place, expected);
}

}  // namespace
}  // namespace ergon

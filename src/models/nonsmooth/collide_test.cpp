// Where shapes touch, against points and normals that are known by construction. Nothing is at the origin, and nothing is along an
// axis of the world: a component that is forgotten shows.
#include "ergon/models/nonsmooth/collide.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Quaterniond;
using Eigen::Vector3d;

const Quaterniond oblique = Quaterniond(0.7, -0.3, 0.5, 0.4).normalized();
const Vector3d far_away(3.0, -2.0, 5.0);

std::vector<ContactPoint> contacts_of(const MachineDescription& description) {
  const auto machine = Running::made_of(description);
  if (machine == nullptr) return {};
  Kinematics kinematics;
  kinematics.evaluate(*machine, described_state(*machine, description));
  std::vector<ContactPoint> contacts;
  find_contacts(*machine, kinematics, contacts);
  return contacts;
}

/// A ball of radius 0.2 m with its centre at a point of the frame of something else, which is turned, off the origin, and off the
/// centre of its own body.
MachineDescription ball_at(const ShapeDescription& other, const Vector3d& place) {
  constexpr double radius = 0.2;
  MachineDescription machine;
  machine.bodies = {block("other", 5.0, {1.0, 1.0, 1.0}, far_away),
                    ball("ball", 1.0, radius, far_away + oblique * (other.position_m + place))};
  machine.bodies[0].orientation = oblique;
  machine.shapes = {sphere("ball", "ball", radius), other};
  machine.materials = {{"dry", 0.3}};
  machine.contacts = {{"ball", other.name, "dry"}};
  return machine;
}

/// One contact at a point of the frame of the other shape, with a normal in that frame.
void expect_touch(const ShapeDescription& other, const Vector3d& place, const Vector3d& point,
                  const Vector3d& normal, double gap) {
  const auto contacts = contacts_of(ball_at(other, place));
  ASSERT_EQ(contacts.size(), 1U) << place.transpose();
  const Vector3d expected_point = far_away + oblique * (other.position_m + point);
  const Vector3d expected_normal = oblique * normal;
  EXPECT_LT((contacts[0].point - expected_point).norm(), 1e-12) << place.transpose();
  EXPECT_LT((contacts[0].normal - expected_normal).norm(), 1e-12) << place.transpose();
  EXPECT_NEAR(contacts[0].gap, gap, 1e-12) << place.transpose();
}

ShapeDescription placed_box() {
  ShapeDescription shape = box("other", "other", {1.0, 1.4, 1.8});  // halves 0.5, 0.7, 0.9
  shape.position_m = {0.3, -0.4, 0.6};
  return shape;
}

TEST(Collide, ASphereTouchesTheFaceOfABoxThatItIsOver) {
  const Vector3d half(0.5, 0.7, 0.9);
  for (Eigen::Index k = 0; k < 3; ++k) {
    for (const double side : {1.0, -1.0}) {
      Vector3d on_face(0.11, -0.13, 0.17);
      on_face[k] = side * half[k];
      Vector3d normal = Vector3d::Zero();
      normal[k] = side;
      expect_touch(placed_box(), on_face + 0.15 * normal, on_face, normal, 0.15 - 0.2);
      // With its centre inside, it is pushed out through the nearest face.
      Vector3d inside = Vector3d::Zero();
      inside[k] = side * (half[k] - 0.05);
      expect_touch(placed_box(), inside, inside + 0.05 * normal, normal, -0.05 - 0.2);
    }
  }
}

TEST(Collide, ASphereTouchesEdgesAndCornersOfABoxAlongTheirDistance) {
  const Vector3d half(0.5, 0.7, 0.9);
  // An edge along each axis, and corners.
  for (const Vector3d& sides : {Vector3d(0, 1, -1), Vector3d(-1, 0, 1), Vector3d(1, -1, 0), Vector3d(1, 1, 1),
                                Vector3d(-1, 1, -1), Vector3d(-1, -1, 1)}) {
    const Vector3d nearest = sides.cwiseProduct(half);
    const Vector3d normal = sides.normalized();
    expect_touch(placed_box(), nearest + 0.12 * normal, nearest, normal, 0.12 - 0.2);
    EXPECT_TRUE(contacts_of(ball_at(placed_box(), nearest + 0.21 * normal)).empty()) << sides.transpose();
  }
}

TEST(Collide, ASphereTouchesAPlaneBelowItsCentre) {
  ShapeDescription shape = plane("other", {0.3, -0.4, 0.6}, {2.0, -1.0, 2.0}, "other");
  const Vector3d n = Vector3d(2.0, -1.0, 2.0) / 3.0;
  const Vector3d on_plane = 0.7 * Vector3d(1.0, 2.0, 0.0) - 0.4 * Vector3d(0.0, 2.0, 1.0);  // ⟂ n
  expect_touch(shape, on_plane + 0.1 * n, on_plane, n, 0.1 - 0.2);
}

TEST(Collide, ASphereTouchesSideAndEndOfACylinder) {
  ShapeDescription shape{"other", "other", ShapeType::cylinder};
  shape.position_m = {0.3, -0.4, 0.6};
  shape.axis = Vector3d(1.0, 2.0, 2.0) / 3.0;
  shape.radius_m = 0.5;
  shape.length_m = 1.6;
  const Vector3d radial = Vector3d(2.0, 1.0, -2.0) / 3.0;  // ⟂ axis
  const Vector3d on_side = 0.5 * radial + 0.3 * shape.axis;
  expect_touch(shape, on_side + 0.1 * radial, on_side, radial, 0.1 - 0.2);
  for (const double end : {0.8, -0.8}) {
    const Vector3d outward = end > 0.0 ? shape.axis : Vector3d(-shape.axis);
    const Vector3d on_end = 0.2 * radial + end * shape.axis;
    expect_touch(shape, on_end + 0.1 * outward, on_end, outward, 0.1 - 0.2);
  }
}

TEST(Collide, ASphereTouchesACapsuleAcrossItsMiddleLine) {
  ShapeDescription shape{"other", "other", ShapeType::capsule};
  shape.position_m = {0.3, -0.4, 0.6};
  shape.axis = Vector3d(1.0, 2.0, 2.0) / 3.0;
  shape.radius_m = 0.5;
  shape.length_m = 1.6;
  const Vector3d radial = Vector3d(2.0, 1.0, -2.0) / 3.0;
  // The contact is in the middle of the overlap of 0.06: 0.47 from the line.
  expect_touch(shape, 0.3 * shape.axis + 0.64 * radial, 0.3 * shape.axis + 0.47 * radial, radial, -0.06);
}

ShapeDescription shape_of(ShapeType type, const std::string& name) {
  ShapeDescription shape{name, name, type};
  shape.radius_m = 0.3;
  shape.length_m = 0.4;
  shape.half_m = {0.3, 0.3, 0.3};
  return shape;
}

/// Names of kinds, and which pairs touch: every kind with every other, but planes and cylinders with their like and each other's
/// surfaces that have no points.
struct Pairing {
  ShapeType first;
  ShapeType second;
  bool touch;
};

TEST(Collide, EveryPairOfShapesTouchesOrIsRefusedInEitherOrder) {
  using enum ShapeType;
  const std::vector<Pairing> pairings = {
      {sphere, sphere, true},    {sphere, capsule, true},  {sphere, box, true},        {sphere, plane, true},
      {sphere, cylinder, true},  {capsule, capsule, true}, {capsule, box, true},       {capsule, plane, true},
      {capsule, cylinder, true}, {box, box, true},         {box, plane, true},         {box, cylinder, true},
      {plane, plane, false},     {plane, cylinder, true},  {cylinder, cylinder, false}};
  for (const Pairing& pairing : pairings) {
    for (const bool turned : {false, true}) {
      MachineDescription machine;
      machine.bodies = {block("a", 1.0, {1.0, 1.0, 1.0}, far_away),
                        block("b", 1.0, {1.0, 1.0, 1.0}, far_away + Vector3d(0.4, 0.2, 0.15))};
      machine.shapes = {shape_of(turned ? pairing.second : pairing.first, "a"),
                        shape_of(turned ? pairing.first : pairing.second, "b")};
      machine.materials = {{"dry", 0.3}};
      machine.contacts = {{"a", "b", "dry"}};
      ProblemList problems;
      const auto made = make_machine(machine, problems);
      SCOPED_TRACE(static_cast<int>(pairing.first) * 10 + static_cast<int>(pairing.second));
      if (pairing.touch) {
        ASSERT_NE(made, nullptr);
        EXPECT_TRUE(problems.all().empty());
        EXPECT_FALSE(contacts_of(machine).empty());
      } else {
        EXPECT_EQ(made, nullptr);
        ASSERT_EQ(problems.all().size(), 1U);
        EXPECT_NE(problems.all()[0].what.find("no contact between 'a' and 'b'"), std::string::npos)
            << problems.all()[0].what;
      }
    }
  }
}

}  // namespace
}  // namespace ergon

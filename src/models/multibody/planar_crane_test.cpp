#include "ergon/models/multibody/planar_crane.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

constexpr double pi = std::numbers::pi;

// [rodriguez2022, Sect. 4.4]: the actuator ends at the middle of link 1.
TEST(PlanarCrane, ActuatorGeometryAndStaticForceOfTheBenchmark) {
  const PlanarCrane crane({});
  const PlanarCrane::Actuator actuator = crane.actuator(pi / 6.0);
  EXPECT_NEAR(actuator.length_m, 0.5, 1e-15);
  EXPECT_NEAR(actuator.arm_m, 0.4330127, 5e-8);
  const double q[] = {pi / 6.0, 1.5 * pi};
  const double v[] = {0.0, 0.0};
  double a[2];
  crane.acceleration_under(8829.0, q, v, a);
  EXPECT_NEAR(a[0], 0.0, 1e-12);
  EXPECT_NEAR(a[1], 0.0, 1e-12);
}

// T + V of the masses themselves: ½ ∫ ẋ² dm of a uniform rod, and two points.
TEST(PlanarCrane, EnergyIsThatOfItsMasses) {
  const PlanarCrane::Parameters p;
  const PlanarCrane crane(p);
  const double q[] = {0.7, -0.4}, v[] = {1.3, -2.1}, hanging[] = {-pi / 2.0, -pi / 2.0}, rest[] = {0.0, 0.0};
  const double vx = -p.l1_m * std::sin(q[0]) * v[0], vy = p.l1_m * std::cos(q[0]) * v[0];
  const double wx = vx - p.l2_m * std::sin(q[1]) * v[1], wy = vy + p.l2_m * std::cos(q[1]) * v[1];
  const double kinetic = p.m1_kg / 6.0 * (vx * vx + vy * vy) + 0.5 * p.m2_kg * (vx * vx + vy * vy) +
                         0.5 * p.m3_kg * (wx * wx + wy * wy);
  const double height1 = p.l1_m * (std::sin(q[0]) + 1.0), height2 = height1 + p.l2_m * (std::sin(q[1]) + 1.0);
  const double potential = p.gravity_m_s2 * (0.5 * p.m1_kg * height1 + p.m2_kg * height1 + p.m3_kg * height2);
  EXPECT_NEAR(crane.stored_J(nullptr, q, v), kinetic + potential, 1e-9);
  EXPECT_NEAR(crane.stored_J(nullptr, hanging, rest), 0.0, 1e-9);
}

// Equations of motion against the energy: free of forces it is kept, to the order of the method.
TEST(PlanarCrane, KeepsItsEnergyWithoutForces) {
  const auto crane =
      make_model("multibody.planar_crane", {}, {{"theta1", 0.3}, {"theta2", -1.0}, {"omega2", 3.0}},
                 {.method = "rk4", .step_s = 1e-4});
  const std::vector<double> u = {0.0};
  const double start = account_of(*crane, u).stored_J;
  ASSERT_TRUE(step_held(*crane, 2.0, u).ok);
  EXPECT_NEAR(account_of(*crane, u).stored_J, start, 1e-8 * start);
}

// Two independent ways to what a force at the actuator meets: s̈ from the outputs' second difference.
TEST(PlanarCrane, EffectiveInertiaIsWhatAForceMoves) {
  const Values moving = {{"theta1", 0.8}, {"theta2", -1.0}, {"omega1", 0.5}, {"omega2", -1.0}};
  for (const double force : {0.0, 5e3}) {
    const double h = 1e-4;
    const auto crane = make_model("multibody.planar_crane", {}, moving, {.method = "rk4", .step_s = 1e-5});
    const std::vector<double> u = {force};
    const auto met = interface_of(*crane, {0}, {1}, u);
    const double mass = met.mass.at(0);
    const double free = met.force.at(0) / mass;
    const double v0 = outputs(*crane, u)[1];
    ASSERT_TRUE(step_held(*crane, h, u).ok);
    const double v1 = outputs(*crane, u)[1];
    EXPECT_NEAR((v1 - v0) / h, free + force / mass, 2e-2);
  }
}

TEST(PlanarCrane, AnActuatorWithoutLengthIsRefused) {
  const std::string text =
      refusal("multibody.planar_crane", {{"base", std::vector<double>{0.5, 0.0}}}, {{"theta1", 0.0}});
  EXPECT_NE(text.find("the actuator has no length at the start"), std::string::npos) << text;
  EXPECT_NE(
      refusal("multibody.planar_crane", {{"base", std::vector<double>{1.0}}}).find("'base' has 1 numbers"),
      std::string::npos);
}

}  // namespace
}  // namespace ergon

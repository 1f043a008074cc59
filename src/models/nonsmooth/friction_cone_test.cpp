// Coulomb's cone against closed forms and against its own law, contact by contact.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Vector2d;
using Eigen::Vector3d;
constexpr double gravity = 9.81;

/// A flat block on a plane that falls along `heading`; gravity is tilted instead of the plane.
MachineDescription tilted_block(double friction, double slope_rad, double heading_rad = 0.0) {
  MachineDescription machine;
  const Vector3d downhill(std::cos(heading_rad), std::sin(heading_rad), 0.0);
  machine.gravity_m_s2 = gravity * (std::sin(slope_rad) * downhill - std::cos(slope_rad) * Vector3d::UnitZ());
  const Vector3d size(0.4, 0.4, 0.05);
  machine.bodies = {block("block", 5.0, size, {0.0, 0.0, 0.025})};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), box("block", "block", size)};
  machine.materials = {{"dry", friction}};
  machine.contacts = {{"block", "floor", "dry"}};
  return machine;
}

/// v̇ = g_t − μ g_n v/|v| from v₀ = (0, 2.5 m/s), integrated by Runge and Kutta in 20,000 steps: how far downhill.
double downhill_of_a_point_m(double friction, double slope_rad, double duration_s) {
  const Vector2d g_t(gravity * std::sin(slope_rad), 0.0);
  const double braking = friction * gravity * std::cos(slope_rad);
  const auto rate = [&](const Vector2d& v) { return Vector2d(g_t - braking * v.normalized()); };
  constexpr int steps = 20000;
  const double h = duration_s / steps;
  Vector2d v(0.0, 2.5);
  double x = 0.0;
  for (int i = 0; i < steps; ++i) {
    const Vector2d k1 = rate(v), k2 = rate(v + 0.5 * h * k1), k3 = rate(v + 0.5 * h * k2),
                   k4 = rate(v + h * k3);
    x += h * (v[0] + h / 6.0 * (k1[0] + k2[0] + k3[0]));
    v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return x;
}

double downhill_of_the_block_m(double friction, double slope_rad, double duration_s, double h) {
  MachineDescription machine = tilted_block(friction, slope_rad);
  machine.bodies[0].velocity_m_s = {0.0, 2.5, 0.0};
  // It starts as deep as it lies, so that nothing but sliding happens.
  machine.bodies[0].position_m[2] -= 5.0 * gravity * std::cos(slope_rad) / 4e6;
  Running run(machine);
  run.run(duration_s, h);
  return run.state.position[0][0];
}

constexpr double slope_of_22_5_deg = 22.5 * std::numbers::pi / 180.0;

TEST(FrictionCone, ABlockAcrossASlopeComesDownAsAPointWithCoulombFrictionDoes) {
  EXPECT_NEAR(downhill_of_a_point_m(0.6, slope_of_22_5_deg, 0.35), 0.16083, 1e-5);
  EXPECT_NEAR(downhill_of_a_point_m(0.3, slope_of_22_5_deg, 1.0), 1.241, 1e-3);
  EXPECT_NEAR(downhill_of_the_block_m(0.6, slope_of_22_5_deg, 0.35, 1e-3), 0.16083, 9e-4);
  EXPECT_NEAR(downhill_of_the_block_m(0.3, slope_of_22_5_deg, 1.0, 1e-3),
              downhill_of_a_point_m(0.3, slope_of_22_5_deg, 1.0), 3e-3);
}

TEST(FrictionCone, TheErrorAcrossASlopeHalvesWithTheStep) {
  const double exact = downhill_of_a_point_m(0.6, slope_of_22_5_deg, 0.35);
  double before = 0.0;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4}) {
    // 0.35 s is not a multiple of 4 ms: compared where the steps end.
    const double end = h * std::round(0.35 / h);
    const double error = std::abs(downhill_of_the_block_m(0.6, slope_of_22_5_deg, end, h) -
                                  (end == 0.35 ? exact : downhill_of_a_point_m(0.6, slope_of_22_5_deg, end)));
    if (before > 0.0) {
      EXPECT_GT(std::log2(before / error), 0.9) << h;
      EXPECT_LT(std::log2(before / error), 1.3) << h;
    }
    before = error;
  }
}

// From rest a block on a slope stays where tan α < μ, whatever the slope is turned to; where it does not, it goes straight
// downhill with g(sin α − μ cos α).
TEST(FrictionCone, StickingAndSlidingAreTheSameInTwentyFourDirections) {
  constexpr double mu = 0.5;
  for (int k = 0; k < 24; ++k) {
    const double heading = k * std::numbers::pi / 12.0;
    const Vector2d downhill(std::cos(heading), std::sin(heading));
    Running sticking(tilted_block(mu, std::atan(0.999 * mu), heading));
    sticking.run(0.5, 1e-3);
    EXPECT_LT(sticking.velocity(0).norm(), 1e-5) << k;  // mg sin α/ΣB_t is 5e-7
    for (const double angle : {std::atan(1.01 * mu), std::numbers::pi / 6.0}) {
      Running sliding(tilted_block(mu, angle, heading));
      sliding.run(0.2, 1e-3);
      const Vector2d before = sliding.velocity(0).head<2>();
      sliding.run(0.3, 1e-3);
      const Vector2d gained = sliding.velocity(0).head<2>() - before;
      const double expected = 0.3 * gravity * (std::sin(angle) - mu * std::cos(angle));
      EXPECT_NEAR(gained.dot(downhill), expected, 1e-3 * expected) << k << ' ' << angle;
      EXPECT_LT((gained - gained.dot(downhill) * downhill).norm(), 1e-3 * expected) << k << ' ' << angle;
    }
  }
}

// One contact of a body that cannot turn: v⁺ = f max(0, 1 − hμg_n/|f|), f = v + h g_t.
TEST(FrictionCone, OneContactStepsAsInClosedForm) {
  constexpr double mu = 0.4, h = 2e-3, mass = 5.0;
  MachineDescription machine = tilted_block(mu, 0.3, 0.7);
  machine.bodies = {body("block", mass, Vector3d::Constant(1e12), {0.0, 0.0, 0.1})};
  machine.shapes[1] = sphere("block", "block", 0.1);
  const Vector3d pull = machine.gravity_m_s2;
  machine.bodies[0].position_m[2] += mass * pull[2] / 1e6;
  machine.bodies[0].velocity_m_s = {-0.05, 0.07, 0.0};
  Running run(machine);
  Vector2d v(-0.05, 0.07);
  for (int i = 0; i < 200; ++i) {
    const Vector2d f = v + h * pull.head<2>();
    v = f * std::max(0.0, 1.0 + h * mu * pull[2] / f.norm());
    run.step(h);
    ASSERT_LT((run.velocity(0).head<2>() - v).norm(), 1e-5) << i;  // creep at rest: mg_t/B_t
  }
}

/// How far the contacts of the last step are from the law: relative to the largest impulse, or to the sliding.
struct LawErrors {
  double outside = 0.0;  ///< |λ_t| − μλ_n
  double crooked = 0.0;  ///< of a contact that slides: how far w_t⁺ is from against λ_t, m/s
  int sliding = 0, sticking = 0;
};
LawErrors law_errors(const Running& run) {
  LawErrors errors;
  double largest = 0.0;
  for (const ContactRows& contact : run.stepper->contacts()) largest = std::max(largest, contact.impulse[0]);
  for (const ContactRows& contact : run.stepper->contacts()) {
    if (contact.impulse[0] < 1e-3 * largest) continue;
    const Vector2d x(contact.impulse[1], contact.impulse[2]);
    const Vector2d w(contact.row[1].rate(run.state.velocity), contact.row[2].rate(run.state.velocity));
    const double bound = contact.friction * contact.impulse[0];
    errors.outside = std::max(errors.outside, (x.norm() - bound) / largest);
    const bool slides = contact.state[1] != RowState::active;
    ++(slides ? errors.sliding : errors.sticking);
    if (slides) {
      EXPECT_NE(contact.state[2], RowState::active);
      EXPECT_NEAR(x.norm(), bound, 1e-6 * largest);
      errors.crooked = std::max(errors.crooked, (w + w.norm() * x.normalized()).norm());
    } else {
      // It creeps: the impulse is that of the tangential damper.
      EXPECT_LT((w + contact.compliance[1] * x).norm(), 1e-6);
    }
  }
  return errors;
}

// Boxes thrown over each other, some on joints: several contacts at once, with and without joints in their island.
TEST(FrictionCone, EveryContactOfAHeapObeysTheLaw) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> between(-1.0, 1.0);
  for (const bool jointed : {false, true}) {
    MachineDescription machine;
    machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ())};
    machine.materials = {{"dry", 0.4}};
    machine.solver.tolerance = 1e-10;
    const Vector3d size(0.3, 0.3, 0.2);
    for (int i = 0; i < 6; ++i) {
      const std::string name = "box" + std::to_string(i);
      machine.bodies.push_back(
          block(name, 2.0 + i, size, {0.35 * (i % 2), 0.1 * between(generator), 0.1 + 0.2 * (i / 2)}));
      machine.bodies.back().velocity_m_s = {between(generator), between(generator), 0.0};
      machine.bodies.back().angular_velocity_rad_s = {0.0, 0.0, 2.0 * between(generator)};
      machine.shapes.push_back(box(name, name, size));
    }
    if (jointed)
      machine.joints = {
          joint("hinge", JointType::revolute, "box0", "box1", {0.175, 0.0, 0.1}, Vector3d::UnitZ())};
    machine.contacts = {{"box*", "floor", "dry"}, {"box*", "box*", "dry"}};
    Running run(machine);
    int sliding = 0, sticking = 0;
    for (int i = 0; i < 300; ++i) {
      run.step(2e-3);
      ASSERT_TRUE(run.stepper->report().solved) << i << " residual " << run.stepper->report().residual;
      const LawErrors errors = law_errors(run);
      ASSERT_LT(errors.outside, 1e-12) << i;
      ASSERT_LT(errors.crooked, 1e-7) << i;
      sliding += errors.sliding;
      sticking += errors.sticking;
    }
    EXPECT_GT(sliding, 100);
    EXPECT_GT(sticking, 100);
  }
}

// Two boxes of rows do: friction twice as strong across as it may be, and a block that slides off its line.
TEST(FrictionBox, KeepsWhatItsBenchmarkWasPublishedWith) {
  MachineDescription machine = tilted_block(0.6, slope_of_22_5_deg);
  machine.solver.friction_law = FrictionLaw::box;
  machine.bodies[0].velocity_m_s = {0.0, 2.5, 0.0};
  Running run(machine);
  run.run(0.35, 1e-3);
  EXPECT_LT(run.state.position[0][0], 1e-3);
}

}  // namespace
}  // namespace ergon

// Contact and friction against what is known in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Vector3d;
constexpr double g = 9.81;

/// A block on a plane; gravity is tilted instead of the plane.
MachineDescription block_on_plane(double friction, double slope_rad, double speed_m_s = 0.0) {
  MachineDescription machine;
  machine.gravity_m_s2 = g * Vector3d(std::sin(slope_rad), 0.0, -std::cos(slope_rad));
  const Vector3d size(0.4, 0.3, 0.1);
  machine.bodies = {block("block", 5.0, size, {0.0, 0.0, 0.05})};
  machine.bodies[0].velocity_m_s = {speed_m_s, 0.0, 0.0};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), box("block", "block", size)};
  machine.materials = {{"dry", friction}};
  machine.contacts = {{"block", "floor", "dry"}};
  return machine;
}

// A block slides down where tan α > μ, and accelerates with g(sin α − μ cos α); below it stays, but for the creep of the
// regularised friction, mg sin α/(4 B_t).
TEST(Friction, SlipStartsWhereTheTangentOfTheSlopeIsTheCoefficient) {
  constexpr double mu = 0.4;
  for (const double factor : {0.9, 0.99, 0.999}) {
    Running block(block_on_plane(mu, std::atan(factor * mu)));
    block.run(1.0, 1e-3);
    const double before = block.state.position[0][0];
    block.run(1.0, 1e-3);
    const double creep = 5.0 * g * std::sin(std::atan(factor * mu)) / (4.0 * 1e7);
    EXPECT_NEAR(block.state.position[0][0] - before, creep, 0.1 * creep) << factor;
  }
  for (const double factor : {1.001, 1.01, 1.1}) {
    const double slope = std::atan(factor * mu);
    Running block(block_on_plane(mu, slope));
    block.run(1.0, 1e-3);
    const double before = block.velocity(0)[0];
    block.run(1.0, 1e-3);
    const double acceleration = g * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(block.velocity(0)[0] - before, acceleration, 1e-3 * acceleration + 1e-6) << factor;
  }
}

TEST(Friction, SlidingDeceleratesWithMuGInEveryDirection) {
  constexpr double mu = 0.3;
  for (const double heading : {0.0, 0.3, 0.785, 2.0}) {
    MachineDescription machine = block_on_plane(mu, 0.0);
    machine.bodies[0].velocity_m_s = 3.0 * Vector3d(std::cos(heading), std::sin(heading), 0.0);
    Running block(machine);
    block.run(0.2, 1e-3);
    const double before = block.velocity(0).norm();
    block.run(0.4, 1e-3);
    EXPECT_NEAR((before - block.velocity(0).norm()) / 0.4, mu * g, 1e-3 * mu * g) << heading;
  }
}

TEST(Friction, BoundsOfThePreviousStepGiveTheSameSlidingWithOneSolve) {
  MachineDescription machine = block_on_plane(0.3, 0.0, 3.0);
  machine.solver.friction_from_previous_step = true;
  Running block(machine);
  block.run(0.2, 1e-3);
  const double before = block.velocity(0)[0];
  block.run(0.4, 1e-3);
  EXPECT_EQ(block.stepper->report().fixed_point, 1);
  EXPECT_NEAR((before - block.velocity(0)[0]) / 0.4, 0.3 * g, 1e-3 * 0.3 * g);
}

// A ball rolls without slipping at 5/7 of its speed when it was thrown sliding: angular momentum about the contact point stays.
TEST(Friction, ASlidingBallComesToRollAtFiveSeventhsOfItsSpeed) {
  MachineDescription machine;
  machine.bodies = {ball("ball", 2.0, 0.1, {0.0, 0.0, 0.1})};
  machine.bodies[0].velocity_m_s = {1.4, 0.0, 0.0};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), sphere("skin", "ball", 0.1)};
  machine.materials = {{"felt", 0.3}};
  machine.contacts = {{"ball", "floor", "felt"}};
  Running run(machine);
  run.run(1.0, 5e-4);
  EXPECT_NEAR(run.velocity(0)[0], 1.0, 2e-3);
  // About the point of contact, which has sunk in by mg/K.
  EXPECT_NEAR(run.state.velocity[4] * run.state.position[0][2], run.velocity(0)[0], 1e-5);
}

/// Height of the apex after the first bounce of a ball that falls from 1 m.
double bounce_height(double restitution, double h) {
  constexpr double radius = 0.1;
  MachineDescription machine;
  machine.bodies = {ball("ball", 1.0, radius, {0.0, 0.0, 1.0 + radius})};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), sphere("skin", "ball", radius)};
  machine.materials = {{"steel", 0.0, restitution}};
  machine.contacts = {{"ball", "floor", "steel"}};
  Running run(machine);
  bool rising = false;
  double highest = 0.0;
  while (run.t < 2.0) {
    run.step(h);
    if (run.velocity(0)[2] > 0.0) rising = true;
    if (rising) highest = std::max(highest, run.state.position[0][2] - radius);
    if (rising && run.velocity(0)[2] < 0.0) break;
  }
  return highest;
}

// e²H; the impact is noticed up to a step late, so that the error goes away with the step.
TEST(Restitution, HeightsAreThoseOfNewtonsLaw) {
  for (const double e : {0.3, 0.6, 0.9, 1.0}) {
    EXPECT_NEAR(bounce_height(e, 1e-4), e * e, 0.01 * e * e) << e;
    EXPECT_LT(std::abs(bounce_height(e, 1e-4) - e * e), std::abs(bounce_height(e, 2e-3) - e * e) + 2e-4) << e;
  }
}

TEST(Restitution, ABouncingBallComesToRest) {
  MachineDescription machine;
  machine.bodies = {ball("ball", 1.0, 0.1, {0.0, 0.0, 0.6})};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), sphere("skin", "ball", 0.1)};
  machine.materials = {{"rubber", 0.5, 0.7}};
  machine.contacts = {{"ball", "floor", "rubber"}};
  Running run(machine);
  run.run(6.0, 1e-3);
  EXPECT_NEAR(run.state.position[0][2], 0.1, 1e-4);
  EXPECT_LT(run.velocity(0).norm(), 1e-6);
}

/// Works of all contact rows over the displacements of their steps, and what was in the springs that were found closed.
struct ContactWork {
  double done_J = 0.0;
  double found_J = 0.0;
  double worst_excess_J = 0.0;
  void look_at(const Running& run) {
    std::map<std::uint64_t, double> now;
    for (const ContactRows& contact : run.stepper->contacts()) {
      const double K = run.machine->materials[contact.at.material].stiffness_N_m;
      const double spring = 0.5 * K * contact.at.gap * contact.at.gap;
      const auto before = left_.find(contact.at.identity);
      // What the spring has beyond what the last step left in it was released by geometry or by closing between two steps.
      found_J += std::max(0.0, spring - (before == left_.end() ? 0.0 : before->second));
      for (std::size_t k = 0; k < 3; ++k)
        done_J += contact.impulse[k] * contact.row[k].rate(run.state.velocity);
      const double gap = std::min(0.0, contact.at.gap + last_h * contact.row[0].rate(run.state.velocity));
      now[contact.at.identity] = 0.5 * K * gap * gap;
    }
    left_ = std::move(now);
    worst_excess_J = std::max(worst_excess_J, done_J - found_J);
  }
  double last_h = 0.0;

 private:
  std::map<std::uint64_t, double> left_;
};

// λ = −K(Φ + hw⁺) − Bw⁺ works over the displacement hw⁺:  hλw⁺ ≤ ½KΦ² − ½K(Φ + hw⁺)²; friction opposes its displacement.
TEST(Contact, DoesNoPositiveWorkBeyondWhatItsSpringsReleased) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int repeat = 0; repeat < 10; ++repeat) {
    MachineDescription machine;
    const Vector3d size(0.3, 0.2, 0.25);
    machine.bodies = {block("block", 4.0, size, {0.0, 0.0, 1.0}), ball("ball", 2.0, 0.15, {0.1, 0.05, 1.6})};
    machine.bodies[0].orientation =
        Eigen::Quaterniond(uniform(generator), uniform(generator), uniform(generator), 1.0);
    machine.bodies[0].angular_velocity_rad_s =
        3.0 * Vector3d(uniform(generator), uniform(generator), uniform(generator));
    machine.bodies[0].velocity_m_s = {uniform(generator), uniform(generator), 0.0};
    machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), box("block", "block", size),
                      sphere("ball", "ball", 0.15)};
    machine.materials = {{"stuff", 0.5}};
    machine.materials[0].damping_Ns_m = repeat % 2 == 0 ? 1e5 : 1e3;
    machine.contacts = {{"block", "floor", "stuff"}, {"ball", "floor", "stuff"}, {"ball", "block", "stuff"}};
    Running run(machine);
    constexpr double h = 1e-3;
    ContactWork work;
    work.last_h = h;
    const double energy = run.energy_J();
    bool touched = false;
    for (int i = 0; i < 1500; ++i) {
      run.step(h);
      work.look_at(run);
      touched = touched || !run.stepper->contacts().empty();
    }
    EXPECT_TRUE(touched);
    EXPECT_LE(work.worst_excess_J, 1e-9 * energy) << repeat;
  }
}

TEST(Contact, AStackOfFiveBoxesStandsForTenSeconds) {
  MachineDescription machine;
  const Vector3d size(0.5, 0.5, 0.3);
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ())};
  machine.materials = {{"wood", 0.5}};
  for (int i = 0; i < 5; ++i) {
    const std::string name = "box" + std::to_string(i);
    machine.bodies.push_back(block(name, 10.0, size, {0.0, 0.0, 0.15 + 0.3 * i}));
    machine.shapes.push_back(box(name, name, size));
    machine.contacts.push_back({name, i == 0 ? "floor" : "box" + std::to_string(i - 1), "wood"});
  }
  Running run(machine);
  double worst = 0.0;
  for (int i = 0; i < 2000; ++i) {
    run.step(5e-3);
    worst = std::max(worst, run.stepper->report().residual);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    // Sinking by the compliance of the contacts below, at most the weight of all over one stiffness each.
    EXPECT_NEAR(run.state.position[i][2], 0.15 + 0.3 * static_cast<double>(i), 5e-4);
    EXPECT_LT(run.state.position[i].head<2>().norm(), 1e-4);
    EXPECT_LT(run.velocity(i).norm(), 1e-5);
  }
  EXPECT_LE(worst, 1e-8);
}

// A bar on a narrow pedestal touches it with the corners of the pedestal: it tips where its centre is beyond them.
TEST(Contact, ABarTipsWhereItsCentreIsBeyondTheCornersThatCarryIt) {
  for (const double centre : {0.15, 0.25}) {
    MachineDescription machine;
    const Vector3d size(1.0, 0.3, 0.1);
    machine.bodies = {block("bar", 3.0, size, {centre, 0.0, 0.05})};
    ShapeDescription pedestal = box("pedestal", ground_name, {0.4, 0.1, 1.0});
    pedestal.position_m = {0.0, 0.0, -0.5};
    machine.shapes = {pedestal, box("bar", "bar", size)};
    machine.materials = {{"wood", 0.5}};
    machine.contacts = {{"bar", "pedestal", "wood"}};
    Running run(machine);
    run.run(0.5, 1e-3);
    const double tilt = run.state.orientation[0].angularDistance(Eigen::Quaterniond::Identity());
    if (centre < 0.2) {
      EXPECT_LT(tilt, 1e-4);
    } else {
      EXPECT_GT(tilt, 0.1);
    }
  }
}

TEST(Contact, ACylinderLiesOnBothItsEndsAndRolls) {
  MachineDescription machine;
  machine.bodies = {body("log", 100.0, {10.0, 1.0, 10.0}, {0.0, 0.0, 0.25})};
  machine.bodies[0].velocity_m_s = {0.5, 0.0, 0.0};
  machine.bodies[0].angular_velocity_rad_s = {0.0, 2.0, 0.0};
  ShapeDescription trunk{"trunk", "log", ShapeType::cylinder};
  trunk.axis = Vector3d::UnitY();
  trunk.radius_m = 0.25;
  trunk.length_m = 2.0;
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), trunk};
  machine.materials = {{"wood", 0.5}};
  machine.contacts = {{"log", "floor", "wood"}};
  Running run(machine);
  run.run(2.0, 1e-3);
  EXPECT_EQ(run.stepper->contacts().size(), 2U);
  EXPECT_NEAR(run.state.position[0][0], 1.0, 1e-2);
  EXPECT_NEAR(run.velocity(0)[0], 0.5, 1e-2);
}

}  // namespace
}  // namespace ergon

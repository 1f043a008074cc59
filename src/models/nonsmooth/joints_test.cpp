// Joints: what each of them holds, what assembling and statics do, and books that close.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "ergon/models/nonsmooth/state_bytes.hpp"
#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Vector3d;

/// Two bars of random pose, joined at a random point about a random axis, spinning.
MachineDescription two_bars(JointType type, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto random = [&] { return Vector3d(uniform(generator), uniform(generator), uniform(generator)); };
  MachineDescription machine;
  machine.gravity_m_s2.setZero();
  machine.bodies = {body("one", 2.0, {0.2, 0.3, 0.4}, random()), body("two", 3.0, {0.5, 0.4, 0.3}, random())};
  for (BodyDescription& each : machine.bodies) {
    each.orientation = Eigen::Quaterniond(uniform(generator), uniform(generator), uniform(generator), 1.0);
    each.orientation.normalize();
    each.velocity_m_s = random();
    each.angular_velocity_rad_s = 2.0 * random();
  }
  JointDescription said = joint("joint", type, "one", "two", 0.5 * random(), random());
  said.reference = said.axis.cross(random());
  machine.joints = {said};
  return machine;
}

/// Largest |A v| and |Φ| of the rows of a machine in its state.
struct Violation {
  double gap = 0.0;
  double rate = 0.0;
};
Violation violation(const Machine& machine, const MachineState& state) {
  Kinematics kinematics;
  kinematics.evaluate(machine, state);
  Bilateral rows(machine);
  std::vector<double> angles = state.angles;
  rows.evaluate(kinematics, 0.0, 0.0, {}, angles);
  Violation worst;
  for (std::size_t i = 0; i < rows.joint_rows(); ++i) {
    worst.gap = std::max(worst.gap, std::abs(rows.rows()[i].gap));
    worst.rate = std::max(worst.rate, std::abs(rows.rows()[i].rate(state.velocity)));
  }
  return worst;
}

class EveryJoint : public ::testing::TestWithParam<JointType> {};

// A and Ȧv are the first and second derivatives of Φ: along q(t) = q ⊕ tv, Φ(t) = Φ + tAv + ½t²Ȧv.
TEST_P(EveryJoint, RowsAreDerivativesOfTheirGaps) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    MachineDescription description = two_bars(GetParam(), seed);
    ProblemList problems;
    const auto machine = make_machine(description, problems);
    ASSERT_NE(machine, nullptr);
    const MachineState state = described_state(*machine, description);
    const auto gaps_at = [&](double t, std::vector<Row>* rows) {
      MachineState moved = state;
      move(*machine, state.velocity, t, moved);
      Kinematics kinematics;
      kinematics.evaluate(*machine, moved);
      Bilateral bilateral(*machine);
      std::vector<double> angles = state.angles;
      bilateral.evaluate(kinematics, 0.0, 0.0, {}, angles);
      if (rows != nullptr) *rows = bilateral.rows();
      std::vector<double> gaps;
      for (const Row& row : bilateral.rows()) gaps.push_back(row.gap);
      return gaps;
    };
    std::vector<Row> rows;
    const auto now = gaps_at(0.0, &rows);
    constexpr double t = 1e-4;
    const auto later = gaps_at(t, nullptr);
    const auto earlier = gaps_at(-t, nullptr);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR((later[i] - earlier[i]) / (2.0 * t), rows[i].rate(state.velocity), 1e-5) << i;
      EXPECT_NEAR((later[i] - 2.0 * now[i] + earlier[i]) / (t * t), rows[i].drift, 1e-4) << i;
    }
  }
}

TEST_P(EveryJoint, HoldsWhatItSaysAndKeepsEnergyAndMomentum) {
  Running run(two_bars(GetParam(), 7));
  const double energy = run.energy_J();
  Vector3d momentum = 2.0 * run.velocity(0) + 3.0 * run.velocity(1);
  run.run(0.5, 1e-4);
  const Violation worst = violation(*run.machine, run.state);
  EXPECT_LT(worst.gap, 2e-6);
  EXPECT_LT(worst.rate, 2e-2);  // of the new pose: one step's turning
  EXPECT_NEAR(run.energy_J(), energy, 5e-3 * energy);
  EXPECT_LT((2.0 * run.velocity(0) + 3.0 * run.velocity(1) - momentum).norm(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, EveryJoint,
                         ::testing::Values(JointType::weld, JointType::revolute, JointType::prismatic,
                                           JointType::spherical, JointType::universal));

TEST(Joints, RowsAreWhatIsLeftOfSix) {
  const std::pair<JointType, std::size_t> freedom[] = {{JointType::weld, 0},
                                                       {JointType::revolute, 1},
                                                       {JointType::prismatic, 1},
                                                       {JointType::spherical, 3},
                                                       {JointType::universal, 2}};
  for (const auto& [type, relative] : freedom) {
    const Running run(two_bars(type, 3));
    const ConstraintCount count = count_constraints(*run.machine, run.state, 0.0);
    EXPECT_EQ(count.degrees_of_freedom, 6 + relative);
    EXPECT_TRUE(count.redundant.empty());
  }
}

TEST(Joints, AFreeBodyKeepsItsEnergyAndAngularMomentum) {
  MachineDescription machine;
  machine.gravity_m_s2.setZero();
  machine.bodies = {body("top", 1.0, {0.1, 0.2, 0.28}, Vector3d::Zero())};
  machine.bodies[0].angular_velocity_rad_s = {0.1, 8.0, 0.2};  // about the unstable axis: it tumbles
  Running run(machine);
  const double energy = run.energy_J();
  const auto momentum = [&] {
    const Eigen::Matrix3d R = run.state.orientation[0].toRotationMatrix();
    return Vector3d(R * run.machine->bodies[0].inertia * R.transpose() * run.state.velocity.segment<3>(3));
  };
  const Vector3d before = momentum();
  run.run(5.0, 1e-3);
  EXPECT_NEAR(run.energy_J(), energy, 1e-6 * energy);
  EXPECT_LT((momentum() - before).norm(), 1e-2 * before.norm());
}

// Two wheels on one carrier: what one turns, the other turns back, over many turns.
TEST(Joints, AGearKeepsItsRatioOverManyTurns) {
  MachineDescription machine;
  machine.gravity_m_s2.setZero();
  machine.bodies = {body("left", 1.0, {0.1, 0.1, 0.1}, {-0.2, 0.0, 0.0}),
                    body("right", 2.0, {0.3, 0.3, 0.3}, {0.2, 0.0, 0.0})};
  machine.bodies[0].angular_velocity_rad_s = {0.0, 20.0, 0.0};
  machine.joints = {joint("a", JointType::revolute, ground_name, "left", {-0.2, 0.0, 0.0}),
                    joint("b", JointType::revolute, ground_name, "right", {0.2, 0.0, 0.0})};
  JointDescription gear = joint("gear", JointType::gear, ground_name, "left", Vector3d::Zero());
  gear.c = "right";
  gear.ratio = 2.0;
  machine.joints.push_back(gear);
  Running run(machine);
  // The impulse that meshes them keeps ratio·J_l ω_l − J_r ω_r: ω_l = 20·0.1·4/(0.1·4 + 0.3)
  const double left = 20.0 * 0.4 / 0.7;
  EXPECT_NEAR(run.state.velocity[4], left, 1e-9);
  run.run(3.0, 1e-3);
  EXPECT_NEAR(run.state.velocity[4], left, 1e-6);
  EXPECT_NEAR(run.state.velocity[10], -0.5 * left, 1e-6);
  EXPECT_NEAR(run.state.angles[0] + 2.0 * run.state.angles[1], 0.0, 1e-6);
  EXPECT_GT(std::abs(run.state.angles[0]), 30.0);
}

TEST(Joints, ADrivenOneFollowsItsAngle) {
  MachineDescription machine;
  machine.bodies = {body("arm", 5.0, {0.1, 0.5, 0.5}, {0.5, 0.0, 0.0})};
  machine.joints = {joint("motor", JointType::revolute, ground_name, "arm", Vector3d::Zero())};
  machine.joints[0].drive = Drive{1.2, 0.2, 1.0};
  Running run(machine);
  run.run(0.6, 1e-3);
  EXPECT_NEAR(run.state.position[0][2], -0.5 * std::sin(0.6), 1e-3);
  run.run(0.6, 1e-3);
  EXPECT_NEAR(run.state.angles[0], 1.2, 1e-6);
  // About +y, a positive angle lowers the arm.
  EXPECT_NEAR(run.state.position[0][2], -0.5 * std::sin(1.2), 1e-5);
}

TEST(Joints, ADamperStopsASpinningWheelExponentially) {
  MachineDescription machine;
  machine.gravity_m_s2.setZero();
  machine.bodies = {body("wheel", 1.0, {0.2, 0.4, 0.2}, Vector3d::Zero())};
  machine.bodies[0].angular_velocity_rad_s = {0.0, 5.0, 0.0};
  machine.joints = {joint("axle", JointType::revolute, ground_name, "wheel", Vector3d::Zero())};
  machine.joints[0].damping = 0.8;
  Running run(machine);
  run.run(1.0, 1e-4);
  EXPECT_NEAR(run.state.velocity[4], 5.0 * std::exp(-2.0), 1e-3);
  EXPECT_NEAR(run.state.by_dampers_J, 0.5 * 0.4 * 25.0 * (1.0 - std::exp(-4.0)), 2e-3);
}

TEST(Joints, ASoftOneSwingsWithItsStiffness) {
  MachineDescription machine;
  machine.gravity_m_s2.setZero();
  machine.bodies = {body("mass", 2.0, {0.1, 0.1, 0.1}, Vector3d::Zero())};
  machine.bodies[0].velocity_m_s = {0.0, 0.0, 1.0};
  machine.joints = {joint("mount", JointType::weld, ground_name, "mass", Vector3d::Zero())};
  machine.joints[0].stiffness = 800.0;
  ProblemList problems;
  const auto made = make_machine(machine, problems);
  MachineState state = described_state(*made, machine);
  MachineStepper stepper(made);
  // x = v/ω sin ωt, ω = 20 rad/s; the implicit spring damps with ωh/2
  constexpr double h = 1e-5;
  const std::vector<double> none;
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(stepper.step(0.0, h, {none, {}, {}}, state), nullptr);
  EXPECT_NEAR(state.position[0][2], std::sin(2.0) / 20.0, 2e-4);
}

TEST(Redundancy, IsToldByNameAndBreaksNothing) {
  Running run(parallelogram());
  const ConstraintCount count = count_constraints(*run.machine, run.state, 0.0);
  EXPECT_EQ(count.rows, 20U);
  EXPECT_EQ(count.rank, 17U);
  EXPECT_EQ(count.degrees_of_freedom, 1U);
  ASSERT_EQ(count.redundant.size(), 3U);
  for (const std::string& name : count.redundant) EXPECT_TRUE(name.starts_with("D: ")) << name;
  // It falls as a pendulum of one degree of freedom: energy stays.
  run.state.velocity[0 + 4] = run.state.velocity[6 + 4] = 0.5;
  make_velocities_consistent(*run.machine, 0.0, run.state);
  const double energy = run.energy_J();
  run.run(1.0, 5e-4);
  EXPECT_NEAR(run.energy_J(), energy, 1e-2 * energy);
  EXPECT_LT(violation(*run.machine, run.state).gap, 1e-5);
}

TEST(Assembly, ClosesALoopFromAPerturbedPose) {
  Running run(parallelogram());
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d way(uniform(generator), uniform(generator), uniform(generator));
    run.state.position[i] += 0.02 * way;
    run.state.orientation[i] =
        Eigen::Quaterniond(Eigen::AngleAxisd(0.02, way.normalized())) * run.state.orientation[i];
  }
  const Assembly assembly = assemble(*run.machine, 0.0, run.state);
  EXPECT_TRUE(assembly.assembled);
  EXPECT_LE(assembly.largest_gap, 1e-10);
  EXPECT_LE(violation(*run.machine, run.state).gap, 1e-10);
}

TEST(Assembly, TellsWhichJointStaysOpen) {
  // A bar of 1 m between points 3 m apart.
  MachineDescription machine;
  machine.bodies = {block("bar", 1.0, {1.0, 0.1, 0.1}, {0.5, 0.0, 0.0})};
  machine.joints = {joint("near", JointType::spherical, ground_name, "bar", {0.0, 0.0, 0.0}),
                    joint("far", JointType::spherical, ground_name, "bar", {3.0, 0.0, 0.0})};
  machine.joints[1].end_b.point_m = Vector3d(0.5, 0.0, 0.0);
  ProblemList problems;
  const auto made = make_machine(machine, problems);
  MachineState state = described_state(*made, machine);
  const Assembly assembly = assemble(*made, 0.0, state);
  EXPECT_FALSE(assembly.assembled);
  EXPECT_GT(assembly.largest_gap, 0.5);
  EXPECT_NE(assembly.worst.find(": point x"), std::string::npos);
}

// Moments about the pivot of a horizontal arm: its weight at its middle, the load at its tip, the jack at a quarter.
TEST(Statics, HoldingForceOfALever) {
  MachineDescription machine;
  machine.bodies = {block("arm", 10.0, {1.0, 0.1, 0.1}, {0.5, 0.0, 0.0}),
                    ball("load", 4.0, 0.05, {1.0, 0.0, -0.5})};
  machine.joints = {joint("pivot", JointType::revolute, ground_name, "arm", {0.0, 0.0, 0.0}),
                    joint("hook", JointType::spherical, "arm", "load", {1.0, 0.0, 0.0})};
  machine.actuators = {{"jack", ground_name, "arm", {0.25, 0.0, -1.0}, {0.25, 0.0, 0.0}}};
  Running run(machine);
  const double expected = 9.81 * (10.0 * 0.5 + 4.0 * 1.0) / 0.25;
  const InterfaceModel model = run.interface(0.0);
  EXPECT_NEAR(model.holding_N()[0], expected, 1e-6 * expected);
  // The load starts beside its rest and swings until it hangs; the actuator keeps its length.
  run.state.orientation[1] =
      Eigen::Quaterniond(Eigen::AngleAxisd(0.3, Vector3d::UnitY())) * run.state.orientation[1];
  assemble(*run.machine, 0.0, run.state);
  const StaticEquilibrium rest = find_static_equilibrium(*run.machine, 0.0, run.state);
  EXPECT_TRUE(rest.found);
  EXPECT_NEAR(rest.holding_N[0], expected, 1e-3 * expected);
  EXPECT_NEAR(run.state.position[1][0], run.state.position[0][0] + 0.5, 2e-3);
}

TEST(Statics, SaysSoWhereNothingHolds) {
  MachineDescription machine;
  machine.bodies = {ball("stone", 1.0, 0.1, Vector3d::Zero())};
  Running run(machine);
  EXPECT_FALSE(find_static_equilibrium(*run.machine, 0.0, run.state).found);
}

// A force F at the arm r of a free body turns it by r × F: J ω̇ = r × F, and moves it by F/m.
TEST(Markers, AForceAtAnArmTurnsTheBody) {
  MachineDescription machine;
  machine.gravity_m_s2 = Vector3d::Zero();
  machine.bodies = {body("plate", 2.0, {0.5, 0.6, 0.8}, {0.0, 0.0, 1.0})};
  machine.markers = {{"corner", "plate", {0.3, 0.0, 0.0}}};
  Running run(machine);
  run.wrenches[0] << 0.0, 4.0, 0.0, 0.0, 0.0, 0.0;
  constexpr double h = 1e-3;
  run.step(h);
  EXPECT_NEAR(run.velocity(0)[1], h * 4.0 / 2.0, 1e-15);
  EXPECT_NEAR(run.state.velocity[5], h * 0.3 * 4.0 / 0.8, 1e-15);
}

TEST(MachineState, BytesAreTheWholeState) {
  MachineDescription machine = parallelogram();
  machine.bodies.push_back(ball("ball", 1.0, 0.1, {3.0, 0.0, 0.099}));
  machine.shapes = {plane("floor", {0.0, 0.0, 0.0}, Vector3d::UnitZ()), sphere("ball", "ball", 0.1)};
  machine.materials = {{"steel"}};
  machine.contacts = {{"ball", "floor", "steel"}};
  Running run(machine);
  run.run(0.1, 1e-3);
  ASSERT_EQ(run.state.contacts.size(), 1U);
  std::vector<std::byte> bytes, again;
  write_state(run.state, bytes);
  MachineState other = run.state;
  run.run(0.05, 1e-3);
  write_state(run.state, again);
  ASSERT_TRUE(read_state(bytes, other));
  Running second(machine);
  second.state = other;
  second.t = 0.1;
  second.run(0.05, 1e-3);
  write_state(second.state, bytes);
  EXPECT_EQ(bytes, again);
  bytes.pop_back();
  EXPECT_FALSE(read_state(bytes, other));
}

}  // namespace
}  // namespace ergon

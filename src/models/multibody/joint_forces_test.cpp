// Springs, limits, motors and friction of joints, and what joints, actuators and contacts have as outputs: against formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "support/machine_building.hpp"
#include "support/named_ports.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using namespace testing_models;
using Eigen::Vector3d;

constexpr double standard_g = 9.81;

Driven driven_machine(const MachineDescription& description, bool at_rest = false) {
  ProblemList problems;
  auto ready = make_ready(description, problems);
  if (!ready) throw std::runtime_error(text_of(problems));
  if (at_rest) {
    EXPECT_TRUE(find_static_equilibrium(*ready->machine, 0.0, ready->state).found);
  }
  return Driven(std::make_unique<NonsmoothMachine>(
      NonsmoothMachine::Setting{ready->machine, ready->state, std::nullopt}));
}

void run_for(Driven& machine, double duration, double h) {
  for (long i = std::lround(duration / h); i > 0 && !::testing::Test::HasFatalFailure(); --i) machine.step(h);
}

/// A wheel of J = 2 kg m² on an axle along z through its centre, without weight.
MachineDescription wheel_on_axle(double omega = 0.0) {
  MachineDescription machine;
  machine.gravity_m_s2.setZero();
  machine.bodies = {body("wheel", 5.0, {2.0, 2.0, 2.0}, Vector3d::Zero())};
  machine.bodies[0].angular_velocity_rad_s = {0.0, 0.0, omega};
  machine.joints = {
      joint("axle", JointType::revolute, ground_name, "wheel", Vector3d::Zero(), Vector3d::UnitZ())};
  machine.joints[0].outputs.coordinate = machine.joints[0].outputs.rate = true;
  return machine;
}

/// A carriage of 10 kg on a rail along z, under gravity.
MachineDescription carriage_on_rail() {
  MachineDescription machine;
  machine.bodies = {body("carriage", 10.0, {1.0, 1.0, 1.0}, Vector3d::Zero())};
  machine.joints = {
      joint("rail", JointType::prismatic, ground_name, "carriage", Vector3d::Zero(), Vector3d::UnitZ())};
  machine.joints[0].outputs.coordinate = machine.joints[0].outputs.rate = true;
  return machine;
}

// q = r(1 − cos ωt), ω² = k/J.
TEST(JointForces, AWheelOnATorsionSpringSwingsAboutTheRestAngle) {
  const auto error = [](double h) {
    MachineDescription machine = wheel_on_axle();
    machine.joints[0].spring = JointSpring{50.0, 0.3};
    Driven driven = driven_machine(machine);
    double worst = 0.0;
    for (long i = 1; i <= std::lround(2.0 / h); ++i) {
      driven.step(h);
      const double exact = 0.3 * (1.0 - std::cos(5.0 * h * static_cast<double>(i)));
      worst = std::max(worst, std::abs(driven.number("axle_angle") - exact));
    }
    return worst;
  };
  const double coarse = error(2e-3);
  EXPECT_LT(coarse, 0.3 * 5.0 * 2e-3);
  EXPECT_NEAR(coarse / error(1e-3), 2.0, 0.05);  // the start of a leapfrog is of first order
}

// ω² = (k + mgl)/(J + ml²) for small swings; the period is of second order in the step.
TEST(JointForces, APendulumWithATorsionSpringHasItsFrequency) {
  MachineDescription machine;
  constexpr double m = 3.0, J = 0.2, l = 0.7, k = 12.0, amplitude = 1e-3, h = 1e-3;
  machine.bodies = {body("rod", m, {J, J, J}, {0.0, 0.0, -l})};
  machine.joints = {joint("pivot", JointType::revolute, ground_name, "rod", Vector3d::Zero())};
  machine.joints[0].spring = JointSpring{k, 0.0};
  machine.joints[0].outputs.coordinate = true;
  const double omega = std::sqrt((k + m * standard_g * l) / (J + m * l * l));
  machine.bodies[0].angular_velocity_rad_s = {0.0, amplitude * omega, 0.0};
  machine.bodies[0].velocity_m_s = {-amplitude * omega * l, 0.0, 0.0};
  Driven driven = driven_machine(machine);
  double before = 0.0;
  double last_crossing = 0.0;
  int crossings = 0;
  double first_crossing = 0.0;
  double largest = 0.0;
  for (int i = 1; i <= 10000; ++i) {
    driven.step(h);
    const double now = driven.number("pivot_angle");
    largest = std::max(largest, i > 9000 ? std::abs(now) : 0.0);
    if (before < 0.0 && now >= 0.0) {
      last_crossing = h * (i - now / (now - before));
      if (crossings++ == 0) first_crossing = last_crossing;
    }
    before = now;
  }
  ASSERT_GT(crossings, 3);
  const double period = (last_crossing - first_crossing) / (crossings - 1);
  EXPECT_NEAR(period * omega / (2.0 * std::numbers::pi), 1.0, 1e-5);
  // It is not damped: ten seconds later the swing is as large.
  EXPECT_NEAR(largest / amplitude, 1.0, 1e-2);
}

TEST(JointForces, ASpringThatIsStifferThanTheStepComesToRest) {
  MachineDescription machine = wheel_on_axle();
  machine.joints[0].spring = JointSpring{2e8, 0.1};  // h²k/J = 100
  Driven driven = driven_machine(machine);
  run_for(driven, 0.1, 1e-3);
  EXPECT_NEAR(driven.number("axle_angle"), 0.1, 1e-9);
}

TEST(JointForces, ASlidingSpringCarriesAWeight) {
  MachineDescription machine = carriage_on_rail();
  machine.joints[0].spring = JointSpring{1000.0, 0.2};
  machine.joints[0].damping = 300.0;
  Driven driven = driven_machine(machine);
  run_for(driven, 5.0, 1e-3);
  EXPECT_NEAR(driven.number("rail_position"), 0.2 - 10.0 * standard_g / 1000.0, 1e-6);
  // mgz + ½ k (z − r)² went into the damper.
  const double z = driven.number("rail_position");
  const double lost = 0.5 * 1000.0 * 0.04 - (10.0 * standard_g * z + 0.5 * 1000.0 * (z - 0.2) * (z - 0.2));
  EXPECT_NEAR(driven.energy().dissipated_J, lost, 0.02 * lost);
}

TEST(JointForces, LimitsHoldWhereTheirSpringCarriesTheLoad) {
  MachineDescription machine = carriage_on_rail();
  machine.joints[0].limits = JointLimits{-0.1, 0.5, 1e4, 1e3};
  Driven driven = driven_machine(machine);
  run_for(driven, 3.0, 1e-3);
  EXPECT_NEAR(driven.number("rail_position"), -0.1 - 10.0 * standard_g / 1e4, 1e-6);
  EXPECT_NEAR(driven.number("rail_rate"), 0.0, 1e-6);
  machine.gravity_m_s2 = -machine.gravity_m_s2;
  Driven upwards = driven_machine(machine);
  run_for(upwards, 3.0, 1e-3);
  EXPECT_NEAR(upwards.number("rail_position"), 0.5 + 10.0 * standard_g / 1e4, 1e-6);
}

TEST(JointForces, ATorqueMotorAcceleratesUpToItsLimit) {
  MachineDescription machine = wheel_on_axle();
  machine.joints[0].motor = JointMotor{MotorInput::torque, 4.0};
  Driven driven = driven_machine(machine);
  driven.set("axle_torque", {3.0});
  run_for(driven, 1.0, 1e-2);
  EXPECT_NEAR(driven.number("axle_rate"), 1.5, 1e-9);
  EXPECT_NEAR(driven.received("axle_torque"), 0.5 * 2.0 * 1.5 * 1.5, 1e-9);
  driven.set("axle_torque", {-100.0});
  run_for(driven, 1.0, 1e-2);
  EXPECT_NEAR(driven.number("axle_rate"), 1.5 - 2.0, 1e-9);
}

// q̇ = min(speed, T t/J), and the torque is that of the acceleration.
TEST(JointForces, ASpeedMotorReachesItsSpeedAsFastAsItsLimitAllows) {
  MachineDescription machine = wheel_on_axle();
  machine.joints[0].motor = JointMotor{MotorInput::speed, 4.0};
  Driven driven = driven_machine(machine);
  driven.set("axle_speed", {3.0});
  run_for(driven, 1.0, 1e-2);
  EXPECT_NEAR(driven.number("axle_rate"), 2.0, 1e-9);
  EXPECT_NEAR(driven.number("axle_torque"), 4.0, 1e-9);
  run_for(driven, 1.0, 1e-2);
  EXPECT_NEAR(driven.number("axle_rate"), 3.0, 1e-7);
  EXPECT_NEAR(driven.number("axle_torque"), 0.0, 1e-6);
  EXPECT_NEAR(driven.received("axle_speed"), 0.5 * 2.0 * 9.0, 1e-6);
}

// ω = ω₀ − (T/J)t: it stops after Jω₀/T at Jω₀²/2T, and stays.
TEST(JointForces, FrictionStopsAWheelAtTheRightAngleAndTime) {
  MachineDescription machine = wheel_on_axle(3.0);
  machine.joints[0].friction = 1.5;
  Driven driven = driven_machine(machine);
  run_for(driven, 3.9, 1e-3);
  EXPECT_NEAR(driven.number("axle_rate"), 3.0 - 0.75 * 3.9, 1e-9);
  run_for(driven, 0.1, 1e-3);
  EXPECT_NEAR(driven.number("axle_rate"), 0.0, 1e-8);
  const double stopped = driven.number("axle_angle");
  EXPECT_NEAR(stopped, 6.0, 2e-3);  // ½hω₀ of a first-order step
  run_for(driven, 2.0, 1e-3);
  EXPECT_NEAR(driven.number("axle_angle"), stopped, 1e-8);
  EXPECT_NEAR(driven.energy().dissipated_J, 0.5 * 2.0 * 9.0, 1e-6);
}

TEST(JointForces, FrictionHoldsWhatIsBelowItAndOpposesWhatIsAbove) {
  MachineDescription machine = wheel_on_axle();
  machine.joints[0].friction = 1.5;
  machine.joints[0].motor = JointMotor{MotorInput::torque, std::nullopt};
  Driven driven = driven_machine(machine);
  driven.set("axle_torque", {1.4});
  run_for(driven, 1.0, 1e-2);
  EXPECT_NEAR(driven.number("axle_rate"), 0.0, 1e-7);
  driven.set("axle_torque", {-1.6});
  run_for(driven, 1.0, 1e-2);
  EXPECT_NEAR(driven.number("axle_rate"), -0.05, 1e-6);
}

// Turning about the vertical, a bob at r is held by mω²r inwards and mg upwards; the joint carries the moment of the weight.
TEST(JointForces, TheReactionOfATurningPendulumIsItsCentripetalForceAndItsWeight) {
  constexpr double m = 3.0, r = 0.8, omega = 4.0, h = 1e-4;
  MachineDescription machine;
  machine.bodies = {body("bob", m, {0.1, 0.1, 0.1}, {r, 0.0, 0.0})};
  machine.bodies[0].angular_velocity_rad_s = {0.0, 0.0, omega};
  machine.bodies[0].velocity_m_s = {0.0, omega * r, 0.0};
  machine.joints = {
      joint("axle", JointType::revolute, ground_name, "bob", Vector3d::Zero(), Vector3d::UnitZ())};
  JointOutputs& outputs = machine.joints[0].outputs;
  outputs.force = outputs.torque = outputs.coordinate = true;
  Driven driven = driven_machine(machine);
  run_for(driven, 0.5, h);
  const double angle = driven.number("axle_angle");
  const Vector3d radial(std::cos(angle), std::sin(angle), 0.0);
  const Vector3d force = driven.vector("axle_reaction_force");
  const Vector3d exact = -m * omega * omega * r * radial + Vector3d(0.0, 0.0, m * standard_g);
  EXPECT_LT((force - exact).norm(), 2e-3 * exact.norm());
  const Vector3d moment = r * radial.cross(Vector3d(0.0, 0.0, m * standard_g));
  EXPECT_LT((driven.vector("axle_reaction_torque") - moment).norm(), 2e-3 * moment.norm());
}

TEST(JointForces, ReactionsInAxesOfTheJointTurnWithBodyA) {
  MachineDescription machine;
  machine.bodies = {block("beam", 4.0, {1.0, 0.1, 0.1}, {0.5, 0.0, 0.0})};
  machine.joints = {joint("wall", JointType::weld, ground_name, "beam", Vector3d::Zero(), Vector3d::UnitX())};
  JointOutputs& outputs = machine.joints[0].outputs;
  outputs.force = outputs.torque = outputs.in_joint_axes = true;
  machine.joints[0].reference = Vector3d::UnitZ();  // z along world x, so y against world y
  Driven driven = driven_machine(machine);
  run_for(driven, 0.1, 1e-3);
  EXPECT_LT((driven.vector("wall_reaction_force") - Vector3d(4.0 * standard_g, 0.0, 0.0)).norm(), 1e-6);
  EXPECT_LT((driven.vector("wall_reaction_torque") - Vector3d(0.0, 2.0 * standard_g, 0.0)).norm(), 1e-6);
}

/// A block of 10 kg on a floor, with friction, that gravity pushes along x by a part of the weight.
MachineDescription block_on_floor(double slope) {
  MachineDescription machine;
  machine.gravity_m_s2 = {standard_g * std::sin(slope), 0.0, -standard_g * std::cos(slope)};
  machine.bodies = {block("block", 10.0, {0.4, 0.4, 0.2}, {0.0, 0.0, 0.1})};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()),
                    box("sides", "block", {0.4, 0.4, 0.2})};
  machine.materials = {{"wood", 0.5}};
  machine.contacts = {{"block", "floor", "wood"}};
  machine.contacts[0].name = "feet";
  machine.contacts[0].outputs = {true, true, true, true};
  machine.markers = {{"centre", "block"}};
  return machine;
}

TEST(ContactOutputs, AFloorCarriesTheWeightOfABlockAtRest) {
  Driven driven = driven_machine(block_on_floor(0.0), true);
  EXPECT_NEAR(driven.number("feet_normal_force"), 10.0 * standard_g,
              1e-4);  // what the search for rest ends with
  run_for(driven, 0.5, 1e-3);
  EXPECT_NEAR(driven.number("feet_normal_force"), 10.0 * standard_g, 1e-4);
  EXPECT_NEAR(driven.number("feet_friction_force"), 0.0, 1e-4);
  EXPECT_LT((driven.vector("feet_force") - Vector3d(0.0, 0.0, 10.0 * standard_g)).norm(), 1e-4);
  EXPECT_NEAR(driven.number("feet_gap"), -10.0 * standard_g / (4.0 * 1e6),
              1e-9);  // four corners, each a spring
}

TEST(ContactOutputs, FrictionHoldsABlockOnASlope) {
  const double slope = 0.3;
  Driven driven = driven_machine(block_on_floor(slope));
  run_for(driven, 2.0, 1e-3);
  EXPECT_NEAR(driven.number("feet_normal_force"), 10.0 * standard_g * std::cos(slope), 1e-3);
  EXPECT_NEAR(driven.vector("feet_force")[0], -10.0 * standard_g * std::sin(slope), 1e-3);
}

TEST(ContactOutputs, TheForceActsOnAWhateverSideHasThePoints) {
  MachineDescription machine = block_on_floor(0.0);
  std::swap(machine.contacts[0].a, machine.contacts[0].b);
  Driven driven = driven_machine(machine, true);
  EXPECT_NEAR(driven.vector("feet_force")[2], -10.0 * standard_g, 1e-4);
}

TEST(ContactOutputs, TheGapOfABallInTheAirIsItsHeight) {
  MachineDescription machine;
  machine.bodies = {ball("ball", 1.0, 0.1, {0.0, 0.0, 2.0}), ball("other", 1.0, 0.1, {0.0, 0.5, 2.0})};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), sphere("skin", "ball", 0.1),
                    sphere("skin2", "other", 0.1)};
  machine.materials = {{"rubber", 0.5}};
  machine.contacts = {{"ball", "floor", "rubber"}, {"ball", "other", "rubber"}};
  machine.contacts[0].name = "below";
  machine.contacts[1].name = "beside";
  machine.contacts[0].outputs.gap = machine.contacts[1].outputs.gap = true;
  Driven driven = driven_machine(machine);
  EXPECT_DOUBLE_EQ(driven.number("below_gap"), 1.9);
  EXPECT_DOUBLE_EQ(driven.number("beside_gap"), 0.3);
}

TEST(ActuatorOutputs, TheLoadIsWhatTheActuatorCarries) {
  for (const ActuatorInput input : {ActuatorInput::force, ActuatorInput::motion}) {
    MachineDescription machine = carriage_on_rail();
    machine.actuators = {{"jack", ground_name, "carriage", {0.0, 0.0, -1.0}, {0.0, 0.0, 0.0}, input}};
    machine.actuators[0].load_output = true;
    Driven driven = driven_machine(machine);
    if (input == ActuatorInput::force) {
      driven.set("jack_force", {10.0 * standard_g});
    } else {
      driven.set("jack_length_in", {1.0});
    }
    run_for(driven, 0.2, 1e-3);
    EXPECT_NEAR(driven.number("jack_load"), 10.0 * standard_g, 1e-6);
  }
}

// Outputs are functions of the state: what is restored shows what was saved.
TEST(JointForces, OutputsAndWarmStartsAreSavedWithTheState) {
  MachineDescription machine = wheel_on_axle(3.0);
  machine.joints[0].friction = 1.5;
  machine.joints[0].limits = JointLimits{std::nullopt, 1.0, 1e4, 10.0};
  machine.joints[0].motor = JointMotor{MotorInput::speed, 1.0};
  machine.joints[0].outputs.torque = true;
  Driven driven = driven_machine(machine);
  run_for(driven, 0.4, 1e-3);
  const auto slot = driven.subsystem().rewindable()->make_slot();
  driven.subsystem().rewindable()->save(*slot);
  const double torque = driven.number("axle_reaction_torque", 2);
  run_for(driven, 0.4, 1e-3);
  const double angle = driven.number("axle_angle");
  driven.subsystem().rewindable()->restore(*slot);
  EXPECT_EQ(driven.number("axle_reaction_torque", 2), torque);
  run_for(driven, 0.4, 1e-3);
  EXPECT_EQ(driven.number("axle_angle"), angle);
}

/// Crank 0.5, coupler 1.2, rocker 0.9, frame 1.3 in the plane x, z, drawn with the crank straight up.
struct FourBar {
  static constexpr double crank = 0.5, coupler = 1.2, rocker = 0.9, frame = 1.3;
  /// Where coupler and rocker meet: the upper crossing of two circles.
  static Vector3d meeting(const Vector3d& end_of_crank) {
    const Vector3d pivot(frame, 0.0, 0.0);
    const Vector3d line = pivot - end_of_crank;
    const double d = line.norm();
    const double along = (d * d + coupler * coupler - rocker * rocker) / (2.0 * d);
    const double across = std::sqrt(coupler * coupler - along * along);
    const Vector3d n = line / d;
    return end_of_crank + along * n + across * Vector3d(-n[2], 0.0, n[0]);
  }
  /// About −y, so that angles count from x towards z.
  static Vector3d end_of_crank(double angle) {
    return crank * Vector3d(std::cos(angle), 0.0, std::sin(angle));
  }
  static MachineDescription machine() {
    const Vector3d a = end_of_crank(0.5 * std::numbers::pi);
    const Vector3d b = meeting(a);
    const Vector3d pivot(frame, 0.0, 0.0);
    MachineDescription result;
    result.bodies = {body("crank", 1.0, {0.1, 0.1, 0.1}, 0.5 * a),
                     body("coupler", 1.0, {0.1, 0.1, 0.1}, 0.5 * (a + b)),
                     body("rocker", 1.0, {0.1, 0.1, 0.1}, 0.5 * (b + pivot))};
    const Vector3d axis = -Vector3d::UnitY();
    result.joints = {joint("A", JointType::revolute, ground_name, "crank", Vector3d::Zero(), axis),
                     joint("B", JointType::revolute, "crank", "coupler", a, axis),
                     joint("C", JointType::revolute, "coupler", "rocker", b, axis),
                     joint("D", JointType::revolute, "rocker", ground_name, pivot, axis)};
    result.joints[0].outputs.coordinate = true;
    return result;
  }
};

TEST(Poses, AFourBarIsAssembledAtTheAngleOfItsCrank) {
  for (const double turned : {0.6, -0.9, 2.5}) {
    MachineDescription machine = FourBar::machine();
    machine.initial = {{"A", turned}};
    ProblemList problems;
    const auto ready = make_ready(machine, problems);
    ASSERT_TRUE(ready) << text_of(problems);
    const Vector3d a = FourBar::end_of_crank(0.5 * std::numbers::pi + turned);
    const Vector3d b = FourBar::meeting(a);
    EXPECT_LT((ready->state.position[0] - 0.5 * a).norm(), 1e-9) << turned;
    EXPECT_LT((ready->state.position[1] - 0.5 * (a + b)).norm(), 1e-9) << turned;
    EXPECT_LT((ready->state.position[2] - 0.5 * (b + Vector3d(FourBar::frame, 0.0, 0.0))).norm(), 1e-9)
        << turned;
    Driven driven = driven_machine(machine);
    EXPECT_NEAR(driven.number("A_angle"), turned, 1e-9);
  }
}

TEST(Poses, ALoopThatCannotCloseIsReportedWithItsJoint) {
  MachineDescription machine = FourBar::machine();
  machine.initial = {{"A", 0.3}, {"D", 2.0}};
  ProblemList problems;
  EXPECT_FALSE(make_ready(machine, problems));
  EXPECT_NE(text_of(problems).find("cannot be assembled with these coordinates"), std::string::npos)
      << text_of(problems);
  EXPECT_NE(text_of(problems).find("stays open by"), std::string::npos);
}

TEST(Poses, SlidersAndRatesAreGivenToo) {
  MachineDescription slider = carriage_on_rail();
  slider.initial = {{"rail", 0.75}};
  Driven placed = driven_machine(slider);
  EXPECT_NEAR(placed.number("rail_position"), 0.75, 1e-12);
  MachineDescription machine = FourBar::machine();
  machine.initial = {{"A", 0.6}};
  machine.initial_rate = {{"A", 1.5}};
  ProblemList problems;
  const auto ready = make_ready(machine, problems);
  ASSERT_TRUE(ready) << text_of(problems);
  const Vector3d velocity = ready->state.velocity.segment<3>(0);
  EXPECT_NEAR(velocity.norm(), 1.5 * 0.5 * FourBar::crank, 1e-9);
  // As the closed form moves.
  constexpr double dt = 1e-6;
  const auto middle = [](double angle) {
    const Vector3d a = FourBar::end_of_crank(0.5 * std::numbers::pi + angle);
    return Vector3d(0.5 * (a + FourBar::meeting(a)));
  };
  const Vector3d of_coupler = (middle(0.6 + 1.5 * dt) - middle(0.6 - 1.5 * dt)) / (2.0 * dt);
  EXPECT_LT((Vector3d(ready->state.velocity.segment<3>(6)) - of_coupler).norm(), 1e-8);
}

TEST(JointForces, MisuseIsRefused) {
  const auto refused = [](const MachineDescription& machine) {
    ProblemList problems;
    EXPECT_FALSE(check_machine(machine, problems));
    return text_of(problems);
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  MachineDescription machine = wheel_on_axle();
  machine.joints[0].limits = JointLimits{1.0, 0.5};
  has(refused(machine), "lower limit that is not below");
  machine = wheel_on_axle();
  machine.joints[0].friction = -1.0;
  has(refused(machine), "friction of -1");
  machine = wheel_on_axle();
  machine.joints[0].type = JointType::spherical;
  has(refused(machine), "Only revolute and prismatic");
  machine = wheel_on_axle();
  machine.markers = {{"axle", "wheel"}};
  has(refused(machine), "two of the name 'axle'");
  machine = block_on_floor(0.0);
  machine.contacts[0].name.clear();
  has(refused(machine), "no name for their ports");
  machine = wheel_on_axle();
  machine.initial = {{"axel", 0.5}};
  has(refused(machine), "Did you mean 'axle'?");
}

}  // namespace
}  // namespace ergon

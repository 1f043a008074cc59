// Machines as subsystems: against the multibody models in other coordinates, their ports, their books.
#include "ergon/models/multibody/nonsmooth_machine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ergon/models/constrained/constrained_subsystem.hpp"
#include "support/machine_building.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using namespace testing_models;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// In the plane x, y, turning about z, as the planar models have it.
BodyDescription planar_body(const std::string& name, double mass_kg, double inertia, const Vector2d& centre) {
  return body(name, mass_kg, Vector3d::Constant(inertia), {centre[0], centre[1], 0.0});
}
JointDescription pin(const std::string& name, const std::string& a, const std::string& b,
                     const Vector2d& at) {
  return joint(name, JointType::revolute, a, b, {at[0], at[1], 0.0}, Vector3d::UnitZ());
}
MachineDescription planar_machine() {
  MachineDescription machine;
  machine.gravity_m_s2 = {0.0, -9.81, 0.0};
  return machine;
}
// Of a point mass: no inertia, as far as numbers go.
constexpr double point_inertia = 1e-7;

Vector2d in_plane(const Vector3d& position) {
  return position.head<2>();
}
Vector2d direction(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

/// Largest distance of a point of two models over 1 s, looked at every 0.1 s, with a step for both.
template <typename First, typename Second>
double largest_distance(First first, Second second, double h) {
  double worst = 0.0;
  const long between = std::lround(0.1 / h);
  for (int i = 0; i < 10; ++i) {
    for (long k = 0; k < between; ++k) {
      first.step(h);
      second.step(h);
    }
    worst = std::max(worst, (first.point() - second.point()).norm());
  }
  return worst;
}

/// A machine, by a point of it.
struct MachinePoint {
  MachinePoint(const MachineDescription& machine, std::size_t body_index) : run(machine), index(body_index) {}
  void step(double h) { run.step(h); }
  [[nodiscard]] Vector2d point() const { return in_plane(run.state.position[index]); }
  Running run;
  std::size_t index;
};

/// A planar model of the registry, by one of its output ports.
struct ModelPoint {
  ModelPoint(const std::string& name, const Values& parameters, const Values& initial,
             std::size_t first_output, std::vector<double> inputs)
      : model(make_model(name, parameters, initial)), first(first_output), u(std::move(inputs)) {}
  void step(double h) { ASSERT_TRUE(step_held(*model, h, u).ok); }
  [[nodiscard]] Vector2d point() const {
    const auto y = outputs(*model, u);
    return {y[first], y[first + 1]};
  }
  std::unique_ptr<Subsystem> model;
  std::size_t first;
  std::vector<double> u;
};

/// Distances with a step and with half of it: both models come to the same motion, with order one.
template <typename Compare>
void expect_convergence(Compare compare, double limit_m) {
  const double coarse = compare(1e-3);
  const double fine = compare(2.5e-4);
  EXPECT_LT(fine, limit_m);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.4);
}

TEST(SmoothLimit, APendulumIsThatOfTheConstrainedModels) {
  constexpr double phi = -0.4;
  MachineDescription machine = planar_machine();
  machine.bodies = {planar_body("bob", 2.0, point_inertia, 1.5 * direction(phi))};
  machine.joints = {pin("pivot", ground_name, "bob", {0.0, 0.0})};
  expect_convergence(
      [&](double h) {
        return largest_distance(
            MachinePoint(machine, 0),
            ModelPoint("multibody.pendulum", {{"m", 2.0}, {"length", 1.5}}, {{"phi", phi}}, 0, {0.0, 0.0}),
            h);
      },
      2e-3);
}

TEST(SmoothLimit, ADoublePendulumIsTheTwoLinksInMinimalCoordinates) {
  // Link 1 uniform with a point mass at its end, which moves its centre and adds to its inertia.
  constexpr double m1 = 20.0, m2 = 10.0, m3 = 30.0, l1 = 1.0, l2 = 0.5, theta1 = 0.5, theta2 = 4.4;
  const double mass = m1 + m2;
  const double centre = (0.5 * m1 + m2) * l1 / mass;
  const double inertia = m1 * l1 * l1 / 3.0 + m2 * l1 * l1 - mass * centre * centre;
  MachineDescription machine = planar_machine();
  const Vector2d Q = l1 * direction(theta1);
  machine.bodies = {planar_body("link", mass, inertia, centre * direction(theta1)),
                    planar_body("load", m3, point_inertia, Q + l2 * direction(theta2))};
  machine.joints = {pin("A", ground_name, "link", {0.0, 0.0}), pin("Q", "link", "load", Q)};
  expect_convergence(
      [&](double h) {
        return largest_distance(MachinePoint(machine, 1),
                                ModelPoint("multibody.planar_crane", {{"m1", m1}, {"m2", m2}, {"m3", m3}},
                                           {{"theta1", theta1}, {"theta2", theta2}}, 6, {0.0}),
                                h);
      },
      1e-2);
}

constexpr double crank_m = 0.3, rod_m = 0.9, crank_kg = 2.0, rod_kg = 3.0, slider_kg = 4.0;

/// Slider and crank in natural coordinates: q = [Q, P], P on the x axis.
class SliderCrank final : public ConstrainedModel {
 public:
  SliderCrank() : ConstrainedModel(masses(), links()) {}
  [[nodiscard]] Description describe() const override {
    Description description;
    description.outputs = {{"q", Unit::of("m"), 4, "Q and P"}};
    return description;
  }
  void forces(const double* /*u*/, const double* /*q*/, const double* /*v*/, double* Q) const override {
    Q[0] = Q[2] = 0.0;
    Q[1] = -9.81 * 0.5 * (crank_kg + rod_kg);
    Q[3] = -9.81 * (0.5 * rod_kg + slider_kg);
  }
  void powers(const double*, const double*, const double*, const double*, const double*,
              Tell) const override {}
  [[nodiscard]] double stored_J(const double*, const double*, const double*) const override { return 0.0; }
  [[nodiscard]] Momentum momentum(const double*, const double*) const override { return {}; }
  void outputs(const double* /*u*/, const double* q, const double* /*v*/, double* y) const override {
    std::copy_n(q, 4, y);
  }
  void output_jacobian(const double*, const double*, const double*, double*) const override {}

 private:
  static Eigen::MatrixXd masses() {
    Eigen::Matrix4d M = Eigen::Matrix4d::Zero();
    for (Eigen::Index k = 0; k < 2; ++k) {
      M(k, k) = crank_kg / 3.0 + rod_kg / 3.0;
      M(k, k + 2) = M(k + 2, k) = rod_kg / 6.0;
      M(k + 2, k + 2) = rod_kg / 3.0 + slider_kg;
    }
    return M;
  }
  static ConstraintSet links() {
    const VectorOf Q = VectorOf::coordinates(0);
    const VectorOf P = VectorOf::coordinates(2);
    ConstraintSet constraints(2);
    constraints.constant_length({Q}, crank_m);
    constraints.constant_length({P, Q}, rod_m);
    constraints.perpendicular({P}, {VectorOf::fixed({0.0, 1.0, 0.0})});
    return constraints;
  }
};

struct SliderCrankPoint {
  SliderCrankPoint(const Vector2d& Q, const Vector2d& P) {
    ConstrainedIntegration options;
    options.integration.method = NativeMethod::newmark;
    const std::array<double, 4> q = {Q[0], Q[1], P[0], P[1]}, v = {};
    model = std::make_unique<ConstrainedSubsystem>(std::make_unique<SliderCrank>(), options, q, v);
  }
  void step(double h) { ASSERT_TRUE(step_held(*model, h, {}).ok); }
  [[nodiscard]] Vector2d point() const { return model->q().tail<2>(); }
  std::unique_ptr<ConstrainedSubsystem> model;
};

// A planar loop of revolute and prismatic joints in space: three rows are redundant, and change nothing.
TEST(SmoothLimit, ASliderCrankIsThatInNaturalCoordinates) {
  const Vector2d Q = crank_m * direction(1.2);
  const Vector2d P(Q[0] + std::sqrt(rod_m * rod_m - Q[1] * Q[1]), 0.0);
  MachineDescription machine = planar_machine();
  machine.bodies = {planar_body("crank", crank_kg, crank_kg * crank_m * crank_m / 12.0, 0.5 * Q),
                    planar_body("rod", rod_kg, rod_kg * rod_m * rod_m / 12.0, 0.5 * (Q + P)),
                    planar_body("slider", slider_kg, 1.0, P)};
  machine.joints = {
      pin("A", ground_name, "crank", {0.0, 0.0}), pin("Q", "crank", "rod", Q), pin("P", "rod", "slider", P),
      joint("guide", JointType::prismatic, ground_name, "slider", {P[0], 0.0, 0.0}, Vector3d::UnitX())};
  const Running run(machine);
  const ConstraintCount count = count_constraints(*run.machine, run.state, 0.0);
  EXPECT_EQ(count.degrees_of_freedom, 1U);
  EXPECT_EQ(count.redundant.size(), 3U);
  expect_convergence(
      [&](double h) { return largest_distance(MachinePoint(machine, 2), SliderCrankPoint(Q, P), h); }, 5e-3);
}

/// An arm on a pivot with an actuator below; a motion-driven one on request.
MachineDescription arm(ActuatorInput input) {
  MachineDescription machine;
  machine.bodies = {block("arm", 10.0, {1.0, 0.1, 0.1}, {0.5, 0.0, 0.0})};
  machine.joints = {joint("pivot", JointType::revolute, ground_name, "arm", Vector3d::Zero())};
  machine.actuators = {{"jack", ground_name, "arm", {0.25, 0.0, -1.0}, {0.25, 0.0, 0.0}, input}};
  return machine;
}

std::unique_ptr<NonsmoothMachine> subsystem_of(const MachineDescription& description, bool at_rest = false,
                                               std::optional<double> step_s = {}) {
  ProblemList problems;
  auto ready = make_ready(description, problems);
  EXPECT_TRUE(ready.has_value()) << text_of(problems);
  if (at_rest) {
    EXPECT_TRUE(find_static_equilibrium(*ready->machine, 0.0, ready->state).found);
  }
  return std::make_unique<NonsmoothMachine>(NonsmoothMachine::Setting{ready->machine, ready->state, step_s});
}

// Driven along s(t) = 1 + 0.1 sin t the actuator has that length, and does the work that lifts the arm.
TEST(NonsmoothMachine, AnActuatorLedByItsLengthFollowsItAndTellsItsForce) {
  const auto machine = subsystem_of(arm(ActuatorInput::motion));
  const std::vector<double> start = {1.0, 0.1};
  EXPECT_EQ(machine->inconsistency_at_start(start.data()), "");
  const std::vector<double> elsewhere = {1.2, 0.0};
  EXPECT_NE(machine->inconsistency_at_start(elsewhere.data()).find("'jack' is 1 m long"), std::string::npos);
  constexpr double h = 1e-3;
  double t = 0.0;
  AccountSample before, after;
  std::vector<double> none(2), received(2);
  before.received_J = none;
  after.received_J = received;
  machine->sample({}, before);
  for (int i = 0; i < 800; ++i, t += h) {
    // The length now, and with its slope the rate at the end of the step.
    const double u[] = {1.0 + 0.1 * std::sin(t), 0.1 * std::cos(t), 0.1 * std::cos(t), -0.1 * std::sin(t)};
    ASSERT_TRUE(machine->step(t, h, {u, 2, 1}).ok);
  }
  const auto y = outputs(*machine, {0.0, 0.0});
  EXPECT_NEAR(y[0], 1.0 + 0.1 * std::sin(t), 1e-5);
  EXPECT_NEAR(y[1], 0.1 * std::cos(t), 1e-3);
  EXPECT_NEAR(y[2], -0.1 * std::sin(t), 1e-2);
  EXPECT_NEAR(y[3], 10.0 * 9.81 * 0.5 / 0.25, 25.0);
  machine->sample({}, after);
  const double lifted = after.stored_J - before.stored_J;
  EXPECT_GT(lifted, 5.0);
  EXPECT_NEAR(received[0] + received[1], lifted + after.dissipated_J - before.dissipated_J, 0.02 * lifted);
}

// The derivative that an equilibrium solver looks at vanishes at the holding force, and is the acceleration elsewhere.
TEST(NonsmoothMachine, ItsActuatorsAreAtRestUnderTheHoldingForce) {
  const auto machine = subsystem_of(arm(ActuatorInput::force), true);
  EXPECT_EQ(machine->state_names(), std::vector<std::string>{"jack_rate"});
  const double holding = 10.0 * 9.81 * 0.5 / 0.25;
  double rate = -1.0, acceleration = 0.0;
  machine->states(&rate);
  EXPECT_NEAR(rate, 0.0, 1e-9);
  ASSERT_TRUE(machine->derivative(0.0, &holding, &acceleration));
  EXPECT_NEAR(acceleration, 0.0, 1e-4);
  const double more = holding + 100.0;
  ASSERT_TRUE(machine->derivative(0.0, &more, &acceleration));
  // J about the pivot is m(l²/3 + w²/12...), here ⅓·10·1 + what its thickness adds: s̈ = F r²/J
  const double J = 10.0 * (1.0 + 0.01) / 12.0 + 10.0 * 0.25;
  EXPECT_NEAR(acceleration, 100.0 * 0.25 * 0.25 / J, 1e-3);
  const double pushed = 0.2;
  machine->set_states(&pushed);
  machine->states(&rate);
  EXPECT_NEAR(rate, pushed, 1e-9);
}

// The arm as its jack feels it: J/r², and −λ̃ is what holds it. Its next rate is that of the step, which begins with what was evaluated.
TEST(NonsmoothMachine, TellsTheInterfaceOfItsActuators) {
  for (const std::optional<double> internal : {std::optional<double>{}, std::optional<double>{5e-4}}) {
    const auto machine = subsystem_of(arm(ActuatorInput::force), true, internal);
    InterfaceInertia& interface = *machine->interface_inertia();
    const InterfacePort with_length{0, 0}, with_rate{0, 1};
    EXPECT_FALSE(interface.prepare_interface({&with_length, 1}));
    ASSERT_TRUE(interface.prepare_interface({&with_rate, 1}));
    const double J = 10.0 * (1.0 + 0.01) / 12.0 + 10.0 * 0.25;
    const double u = 300.0;
    double mass = 0.0, force = 0.0;
    constexpr double h = 1e-3;
    interface.interface_inertia(0.0, h, &u, &mass, &force);
    EXPECT_NEAR(mass, J / (0.25 * 0.25), 1e-4 * mass);
    EXPECT_NEAR(force, -10.0 * 9.81 * 0.5 / 0.25, 0.05);
    ASSERT_TRUE(step_held(*machine, h, {u}).ok);
    const auto y = outputs(*machine, {u});
    EXPECT_NEAR(y[1], h * (force + u) / mass, 1e-4 * std::abs(y[1]));
    EXPECT_NEAR(y[2], y[1] / h, 1e-6);
  }
}

// Led, it tells in advance the force that a step to another rate takes: λ = M̃ ẇ − λ̃. The machine is moving, so that Ḋv counts.
TEST(NonsmoothMachine, TellsWhatLeadingAnActuatorTakes) {
  for (const std::optional<double> internal : {std::optional<double>{}, std::optional<double>{5e-4}}) {
    // Exactly so where Ḋv is that of the start; the turning of the step itself contains the force.
    MachineDescription description = arm(ActuatorInput::motion);
    description.solver.turning = TurningRule::end;
    const auto machine = subsystem_of(description, false, internal);
    InterfaceInertia& interface = *machine->interface_inertia();
    const InterfacePort pushed{0, 1}, by_length{3, 0, true}, by_rate{3, 1, true};
    EXPECT_FALSE(interface.prepare_interface({&pushed, 1}));
    EXPECT_FALSE(interface.prepare_interface({&by_length, 1}));
    ASSERT_TRUE(interface.prepare_interface({&by_rate, 1}));
    constexpr double h = 5e-4;
    double length = 1.0;
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(step_held(*machine, h, {length, 0.8}).ok);
      length = outputs(*machine, {0.0, 0.0})[0];
    }
    const double rate = outputs(*machine, {0.0, 0.0})[1];
    const double J = 10.0 * (1.0 + 0.01) / 12.0 + 10.0 * 0.25;
    for (const double acceleration : {0.0, 7.0, -30.0}) {
      double mass = 0.0, force = 0.0;
      const double other[] = {3.0, -1.0};  // what it is told at the start of the step has no say
      interface.interface_inertia(0.0, h, other, &mass, &force);
      EXPECT_GT(mass, J / (0.25 * 0.25));
      const auto slot = machine->rewindable()->make_slot();
      machine->rewindable()->save(*slot);
      ASSERT_TRUE(step_held(*machine, h, {length, rate + h * acceleration}).ok);
      const double told = outputs(*machine, {0.0, 0.0})[3];
      EXPECT_NEAR(told, mass * acceleration - force, 1e-8 * std::abs(told)) << acceleration;
      machine->rewindable()->restore(*slot);
    }
  }
}

TEST(NonsmoothMachine, AStepThatFailsLeavesTheStateAsItWas) {
  const auto machine = subsystem_of(arm(ActuatorInput::force));
  const auto before = outputs(*machine, {0.0});
  const StepStatus status = step_held(*machine, 1e-3, {std::nan("")});
  EXPECT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("not finite"), std::string::npos);
  EXPECT_EQ(outputs(*machine, {0.0}), before);
}

// Dissipated by friction: a block that slides to rest loses its kinetic energy to it, and nothing else.
TEST(NonsmoothMachine, BooksTellFrictionFromImpact) {
  MachineDescription machine;
  const Vector3d size(0.4, 0.3, 0.1);
  machine.bodies = {block("block", 5.0, size, {0.0, 0.0, 0.05}), ball("ball", 2.0, 0.1, {2.0, 0.0, 0.6})};
  machine.bodies[0].velocity_m_s = {1.0, 0.0, 0.0};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), box("block", "block", size),
                    sphere("ball", "ball", 0.1)};
  machine.materials = {{"dry", 0.4}};
  machine.contacts = {{"block", "floor", "dry"}, {"ball", "floor", "dry"}};
  const auto subsystem = subsystem_of(machine);
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(step_held(*subsystem, 5e-4, {}).ok);
  EXPECT_NEAR(subsystem->state().by_friction_J, 0.5 * 5.0, 0.02);
  EXPECT_NEAR(subsystem->state().by_contact_J, 2.0 * 9.81 * 0.5, 0.05);
}

}  // namespace
}  // namespace ergon

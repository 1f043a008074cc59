#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ergon/models/nonsmooth/interface_model.hpp"
#include "ergon/models/nonsmooth/machine_analysis.hpp"

// Machines written down in a few lines, and runs of them without a subsystem around.

namespace ergon::testing_machines {

inline BodyDescription body(const std::string& name, double mass_kg, const Eigen::Vector3d& inertia,
                            const Eigen::Vector3d& position) {
  BodyDescription result;
  result.name = name;
  result.mass_kg = mass_kg;
  result.inertia_kg_m2 = inertia.asDiagonal();
  result.position_m = position;
  return result;
}

inline BodyDescription ball(const std::string& name, double mass_kg, double radius,
                            const Eigen::Vector3d& position) {
  return body(name, mass_kg, Eigen::Vector3d::Constant(0.4 * mass_kg * radius * radius), position);
}

/// A homogeneous box.
inline BodyDescription block(const std::string& name, double mass_kg, const Eigen::Vector3d& size,
                             const Eigen::Vector3d& position) {
  const Eigen::Vector3d s = size.cwiseProduct(size);
  return body(name, mass_kg, mass_kg / 12.0 * Eigen::Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1]),
              position);
}

inline JointDescription joint(const std::string& name, JointType type, const std::string& a,
                              const std::string& b, const Eigen::Vector3d& point,
                              const Eigen::Vector3d& axis = Eigen::Vector3d::UnitY()) {
  JointDescription result;
  result.name = name;
  result.type = type;
  result.a = a;
  result.b = b;
  result.point_m = point;
  result.axis = axis;
  return result;
}

inline ShapeDescription plane(const std::string& name, const Eigen::Vector3d& position,
                              const Eigen::Vector3d& normal, const std::string& on = ground_name) {
  ShapeDescription shape{name, on, ShapeType::plane};
  shape.position_m = position;
  shape.axis = normal;
  return shape;
}

inline ShapeDescription sphere(const std::string& name, const std::string& on, double radius) {
  ShapeDescription shape{name, on, ShapeType::sphere};
  shape.radius_m = radius;
  return shape;
}

inline ShapeDescription box(const std::string& name, const std::string& on, const Eigen::Vector3d& size) {
  ShapeDescription shape{name, on, ShapeType::box};
  shape.half_m = 0.5 * size;
  return shape;
}

/// Two parallel bars between the same two bodies by revolute joints: planar loops have three redundant rows in space.
inline MachineDescription parallelogram() {
  MachineDescription machine;
  machine.bodies = {block("left", 1.0, {0.1, 0.1, 1.0}, {0.0, 0.0, 0.5}),
                    block("right", 1.0, {0.1, 0.1, 1.0}, {1.0, 0.0, 0.5}),
                    block("top", 1.0, {1.0, 0.1, 0.1}, {0.5, 0.0, 1.0})};
  machine.joints = {joint("A", JointType::revolute, ground_name, "left", {0.0, 0.0, 0.0}),
                    joint("B", JointType::revolute, ground_name, "right", {1.0, 0.0, 0.0}),
                    joint("C", JointType::revolute, "left", "top", {0.0, 0.0, 1.0}),
                    joint("D", JointType::revolute, "right", "top", {1.0, 0.0, 1.0})};
  return machine;
}

/// A machine that is stepped without a subsystem around it.
struct Running {
  explicit Running(const MachineDescription& description) : machine(made_of(description)) {
    state = described_state(*machine, description);
    EXPECT_TRUE(assemble(*machine, 0.0, state).assembled);
    make_velocities_consistent(*machine, 0.0, state);
    begin();
  }
  /// In a state that is given, as it is.
  Running(const MachineDescription& description, MachineState given)
      : machine(made_of(description)), state(std::move(given)) {
    begin();
  }
  static std::shared_ptr<const Machine> made_of(const MachineDescription& description) {
    ProblemList problems;
    auto made = make_machine(description, problems);
    for (const Problem& problem : problems.all()) ADD_FAILURE() << to_string(problem);
    return made;
  }
  void begin() {
    stepper = std::make_unique<MachineStepper>(machine);
    forces.assign(machine->actuators.size(), 0.0);
    wrenches.assign(machine->markers.size(), Vector6d::Zero());
    prescribed = present_lengths(*machine, state);
  }
  void step(double h) {
    const char* failure = stepper->step(t, h, {forces, prescribed, wrenches}, state);
    ASSERT_EQ(failure, nullptr) << failure;
    t += h;
  }
  void run(double duration, double h) {
    const long steps = std::lround(duration / h);
    for (long i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) step(h);
  }
  /// As its actuators feel it before a step; 0: at rest.
  [[nodiscard]] InterfaceModel interface(double h) const { return interface(h, t, state); }
  [[nodiscard]] InterfaceModel interface(double h, double at_s, const MachineState& at) const {
    MachineRows rows(machine);
    InterfaceEvaluator evaluator(*machine);
    InterfaceModel model;
    rows.evaluate(at_s, h, prescribed, at);
    evaluator.evaluate(rows, h, at, {forces, prescribed, wrenches}, model);
    return model;
  }
  [[nodiscard]] Eigen::Vector3d velocity(std::size_t body_index) const {
    return state.velocity.segment<3>(static_cast<Eigen::Index>(6 * body_index));
  }
  [[nodiscard]] double energy_J() const {
    const MachineEnergy energy = energy_of(*machine, state, state.velocity);
    return energy.kinetic_J + energy.potential_J;
  }

  std::shared_ptr<const Machine> machine;
  MachineState state;
  std::unique_ptr<MachineStepper> stepper;
  std::vector<double> forces;
  std::vector<Vector6d> wrenches;
  std::vector<PrescribedMotion> prescribed;
  double t = 0.0;
};

}  // namespace ergon::testing_machines

#include <fmt/format.h>

#include "ergon/models/integrator_options.hpp"
#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/models/nonsmooth/pose.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;

const std::vector<std::string>& methods() {
  static const std::vector<std::string> all = {"semi-implicit-euler"};
  return all;
}

/// What is shown and tested where no file is given: an arm on a pivot, held by an actuator, over a floor.
std::shared_ptr<const MachineDescription> small_arm() {
  auto machine = std::make_shared<MachineDescription>();
  machine->file = "a small arm";
  machine->solver.joint_compliance_m_N =
      1e-16;  // rigid to bodies of some kilograms in steps of microseconds, too
  BodyDescription arm;
  arm.name = "arm";
  arm.mass_kg = 2.0;
  arm.inertia_kg_m2 = Vector3d(0.01, 0.2, 0.2).asDiagonal();
  arm.position_m = {0.5, 0.0, 1.0};
  machine->bodies = {arm};
  JointDescription pivot;
  pivot.name = "pivot";
  pivot.type = JointType::revolute;
  pivot.a = ground_name;
  pivot.b = "arm";
  pivot.point_m = {0.0, 0.0, 1.0};
  pivot.axis = -Vector3d::UnitY();
  pivot.damping = 0.1;
  machine->joints = {pivot};
  machine->actuators = {{"cylinder", ground_name, "arm", {0.2, 0.0, 0.4}, {0.6, 0.0, 1.0}}};
  machine->markers = {{"tip", "arm", {0.5, 0.0, 0.0}}};
  return machine;
}

/// A ball that lies on a floor and can be pushed: contact and friction.
std::shared_ptr<const MachineDescription> ball_on_floor() {
  auto machine = std::make_shared<MachineDescription>();
  machine->file = "a ball on a floor";
  BodyDescription ball;
  ball.name = "ball";
  ball.inertia_kg_m2 = Vector3d(0.004, 0.004, 0.004).asDiagonal();
  ball.position_m = {0.0, 0.0, 0.1};
  machine->bodies = {ball};
  machine->shapes.resize(2);
  machine->shapes[0] = {"floor", ground_name, ShapeType::plane};
  machine->shapes[1] = {"skin", "ball", ShapeType::sphere};
  machine->shapes[1].radius_m = 0.1;
  machine->materials = {{"rubber", 0.8}};
  machine->contacts = {{"ball", "floor", "rubber"}};
  machine->markers = {{"centre", "ball"}};
  return machine;
}

/// An arm whose pivot has a spring, limits, friction and a motor, and a wheel on it that a motor turns.
std::shared_ptr<const MachineDescription> arm_with_motors() {
  auto machine = std::make_shared<MachineDescription>(*small_arm());
  machine->file = "an arm with motors";
  machine->actuators.clear();
  JointDescription& pivot = machine->joints[0];
  pivot.spring = JointSpring{30.0, 0.2};
  pivot.limits = JointLimits{-0.05, 0.05, 2e3, 20.0};
  pivot.friction = 0.3;
  pivot.motor = JointMotor{MotorInput::torque, 40.0};
  pivot.outputs.force = pivot.outputs.torque = true;
  BodyDescription wheel;
  wheel.name = "wheel";
  wheel.inertia_kg_m2 = Vector3d(0.02, 0.03, 0.02).asDiagonal();
  wheel.position_m = {1.0, 0.0, 1.0};
  machine->bodies.push_back(wheel);
  JointDescription axle;
  axle.name = "axle";
  axle.type = JointType::revolute;
  axle.a = "arm";
  axle.b = "wheel";
  axle.point_m = wheel.position_m;
  axle.axis = Vector3d::UnitY();
  axle.motor = JointMotor{MotorInput::speed, 2.0};
  machine->joints.push_back(axle);
  return machine;
}

std::unique_ptr<Subsystem> make_nonsmooth(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, methods(), problems);
  const auto description = request.machine ? request.machine : small_arm();
  auto ready = make_ready(*description, problems);
  if (!integration || !ready) return nullptr;
  if (ready->machine->actuators.empty() && ready->machine->markers.empty() &&
      ready->machine->motors.empty() && ready->machine->sensed_count == 0) {
    problems.error({description->file, 1, 1},
                   "The machine has neither actuators, markers, motors nor sensed forces: it has no ports.",
                   "Give it a marker, for example: [[marker]] with name and body.");
    return nullptr;
  }
  if (request.parameters.text("start") == "static") {
    const StaticEquilibrium rest = find_static_equilibrium(*ready->machine, 0.0, ready->state);
    if (!rest.found) {
      problems.error(
          request.where,
          fmt::format("'{}': the machine does not come to rest with its actuators held; what is left is an "
                      "acceleration of {:.3g} m/s2.",
                      request.name, rest.largest_acceleration),
          "Support every body by joints or contacts, or start = \"given\".");
      return nullptr;
    }
  }
  problems.note(request.where, fmt::format("'{}': {}", request.name, tell_constraints(ready->constraints)));
  return std::make_unique<NonsmoothMachine>(
      NonsmoothMachine::Setting{ready->machine, ready->state, integration->step_s});
}

}  // namespace

std::string tell_constraints(const ConstraintCount& count) {
  std::string text = fmt::format("{} constraint rows of rank {}, {} degrees of freedom", count.rows,
                                 count.rank, count.degrees_of_freedom);
  if (!count.redundant.empty()) text += fmt::format("; redundant: {}", fmt::join(count.redundant, ", "));
  return text + ".";
}

std::optional<ReadyMachine> make_ready(const MachineDescription& description, ProblemList& problems) {
  ReadyMachine ready;
  ready.machine = make_machine(description, problems);
  if (!ready.machine) return std::nullopt;
  ready.state = described_state(*ready.machine, description);
  const bool posed = !description.initial.empty();
  const Assembly assembly = posed ? pose_joints(*ready.machine, description.initial, ready.state)
                                  : assemble(*ready.machine, 0.0, ready.state);
  if (!assembly.assembled) {
    // The row begins with the name of its joint.
    const std::string joint = assembly.worst.substr(0, assembly.worst.find(": "));
    SourceLocation where{description.file, 1, 1};
    for (const JointDescription& said : description.joints)
      if (said.name == joint) where = said.where;
    if (posed) {
      problems.error(
          description.initial.front().where,
          fmt::format("The machine cannot be assembled with these coordinates of joints: '{}' stays open by "
                      "{:.3g} m or rad.",
                      assembly.worst, assembly.largest_gap),
          "Give coordinates that its loops can have, nearer to the described pose, or of fewer joints.");
      return std::nullopt;
    }
    problems.error(where,
                   fmt::format("The parts cannot be assembled: '{}' stays open by {:.3g} m or rad.",
                               assembly.worst, assembly.largest_gap),
                   "Check the points and axes of this joint and of the loop that it closes.");
    return std::nullopt;
  }
  constexpr double noticeable = 1e-6;
  if (!posed && (assembly.moved_m > noticeable || assembly.turned_rad > noticeable)) {
    problems.note({description.file, 1, 1},
                  fmt::format("Assembling moved a body by {:.3g} m and turned one by {:.3g} rad.",
                              assembly.moved_m, assembly.turned_rad));
  }
  if (!description.initial_rate.empty())
    set_joint_rates(*ready.machine, description.initial_rate, ready.state);
  const double rate = make_velocities_consistent(*ready.machine, 0.0, ready.state);
  if (rate > noticeable) {
    problems.note(
        {description.file, 1, 1},
        fmt::format("Velocities that joints do not allow, up to {:.3g} m/s or rad/s, were taken out.", rate));
  }
  ready.constraints = count_constraints(*ready.machine, ready.state, 0.0);
  return ready;
}

ModelInfo nonsmooth_machine_model() {
  ModelInfo info;
  info.name = "multibody.nonsmooth";
  info.summary = "machine of rigid bodies with joints, contact and friction, described in a file of its own";
  info.parameters = {{"description", "", std::string(), "file of the machine (docs/machines.md)"},
                     {"start",
                      "",
                      std::string("given"),
                      "pose at the start: as described and assembled, or at rest with held actuators",
                      {"given", "static"}}};
  info.make = make_nonsmooth;
  info.integrators = methods();
  info.takes_description = true;
  info.examples = {
      {"ball on a floor"}, {"arm at rest", {{"start", {std::string("static"), {}}}}}, {"arm with motors"}};
  info.examples[0].machine = ball_on_floor();
  info.examples[2].machine = arm_with_motors();
  return info;
}

}  // namespace ergon

// Motors, and outputs that a machine has where its file asks for them: reactions of joints, loads of actuators, forces and gaps of
// contacts.
#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/models/nonsmooth/sense.hpp"

namespace ergon {
namespace {

/// Words for a coordinate that turns, or slides.
struct CoordinateWords {
  explicit CoordinateWords(const Machine::Joint& joint) : turns(joint.type != JointType::prismatic) {}
  bool turns;
  [[nodiscard]] std::string coordinate() const { return turns ? "_angle" : "_position"; }
  [[nodiscard]] std::string effort() const { return turns ? "_torque" : "_force"; }
  [[nodiscard]] Unit coordinate_unit() const { return Unit::of(turns ? "rad" : "m"); }
  [[nodiscard]] Unit rate_unit() const { return Unit::of(turns ? "rad/s" : "m/s"); }
  [[nodiscard]] Unit effort_unit() const { return Unit::of(turns ? "N.m" : "N"); }
};

}  // namespace

void NonsmoothMachine::describe_motors_and_sensors(Description& description) const {
  const Machine& machine = *setting_.machine;
  for (const std::size_t index : machine.motors) {
    const Machine::Joint& joint = machine.joints[index];
    const CoordinateWords words(joint);
    if (joint.motor->input == MotorInput::torque) {
      description.inputs.push_back({joint.name + words.effort(), words.effort_unit(), 1,
                                    "of the motor, on b about or along the axis"});
    } else {
      description.inputs.push_back({joint.name + "_speed", words.rate_unit(), 1, "that the motor holds"});
    }
  }
  auto& outputs = description.outputs;
  for (const Machine::Joint& joint : machine.joints) {
    const CoordinateWords words(joint);
    if (joint.outputs.coordinate)
      outputs.push_back({joint.name + words.coordinate(), words.coordinate_unit(), 1,
                         "of b against a, 0 in the described pose"});
    if (joint.outputs.rate) {
      outputs.push_back({joint.name + "_rate", words.rate_unit(), 1, "of b against a"});
      if (joint.outputs.coordinate) outputs.back().rate_of = joint.name + words.coordinate();
    }
    const char* on = joint.outputs.in_joint_axes ? "of the last step, on b, axes of the joint"
                                                 : "of the last step, on b, world coordinates";
    if (joint.outputs.force) outputs.push_back({joint.name + "_reaction_force", Unit::of("N"), 3, on});
    if (joint.outputs.torque) outputs.push_back({joint.name + "_reaction_torque", Unit::of("N.m"), 3, on});
    if (joint.motor && joint.motor->input == MotorInput::speed)
      outputs.push_back(
          {joint.name + words.effort(), words.effort_unit(), 1, "of the motor in the last step"});
  }
  for (const Machine::Actuator& actuator : machine.actuators)
    if (actuator.load_output)
      outputs.push_back({actuator.name + "_load", Unit::of("N"), 1, "in the last step, > 0 where it pushes"});
  for (const Machine::ContactSensor& sensor : machine.contact_sensors) {
    if (sensor.outputs.force)
      outputs.push_back(
          {sensor.name + "_force", Unit::of("N"), 3, "of the last step, on a, world coordinates"});
    if (sensor.outputs.normal_force)
      outputs.push_back(
          {sensor.name + "_normal_force", Unit::of("N"), 1, "of the last step, sum of all points"});
    if (sensor.outputs.friction_force)
      outputs.push_back(
          {sensor.name + "_friction_force", Unit::of("N"), 1, "of the last step, sum of all points"});
    if (sensor.outputs.gap)
      outputs.push_back(
          {sensor.name + "_gap", Unit::of("m"), 1, "smallest distance of its shapes, < 0 inside"});
  }
}

std::size_t NonsmoothMachine::sensor_count() const {
  const Machine& machine = *setting_.machine;
  const auto one = [](bool is_there) { return is_there ? std::size_t{1} : std::size_t{0}; };
  std::size_t count = 0;
  for (const Machine::Joint& joint : machine.joints) {
    const bool by_speed = joint.motor && joint.motor->input == MotorInput::speed;
    count += one(joint.outputs.coordinate) + one(joint.outputs.rate) + one(by_speed) +
             3 * (one(joint.outputs.force) + one(joint.outputs.torque));
  }
  for (const Machine::Actuator& actuator : machine.actuators) count += one(actuator.load_output);
  for (const Machine::ContactSensor& sensor : machine.contact_sensors)
    count += 3 * one(sensor.outputs.force) + one(sensor.outputs.normal_force) +
             one(sensor.outputs.friction_force) + one(sensor.outputs.gap);
  return count;
}

void NonsmoothMachine::write_sensors(double* y) const {
  const Machine& machine = *setting_.machine;
  const double* sensed = state_.sensed.data();
  const auto copy = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) *y++ = *sensed++;
  };
  Row row;
  for (const Machine::Joint& joint : machine.joints) {
    if (joint.outputs.coordinate)
      *y++ = joint_coordinate(joint, now_, joint.tracked ? state_.angles[joint.angle_b] : 0.0);
    if (joint.outputs.rate) {
      joint_motion_row(joint, now_, row);
      *y++ = row.rate(state_.velocity);
    }
    if (joint.outputs.force) copy(3);
    if (joint.outputs.torque) copy(3);
    if (joint.motor && joint.motor->input == MotorInput::speed) copy(1);
  }
  for (const Machine::Actuator& actuator : machine.actuators)
    if (actuator.load_output) copy(1);
  bool any_gap = false;
  for (const Machine::ContactSensor& sensor : machine.contact_sensors)
    any_gap = any_gap || sensor.outputs.gap;
  if (any_gap) smallest_gaps(machine, now_, near_, gaps_);
  for (std::size_t i = 0; i < machine.contact_sensors.size(); ++i) {
    const ContactOutputs& wanted = machine.contact_sensors[i].outputs;
    if (wanted.force)
      for (std::size_t k = 0; k < 3; ++k) *y++ = sensed[k];
    if (wanted.normal_force) *y++ = sensed[3];
    if (wanted.friction_force) *y++ = sensed[4];
    if (wanted.gap) *y++ = gaps_[i];
    sensed += contact_numbers;
  }
}

}  // namespace ergon

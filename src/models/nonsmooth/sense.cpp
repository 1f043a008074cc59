#include "ergon/models/nonsmooth/sense.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

/// Everything that the joint does to b: its own rows, damper, spring, limits, friction and motor.
ReactionWrench wrench_on_b(const MachineRows& rows, const SolvedStep& step, double h, std::size_t which) {
  const Machine& machine = rows.machine();
  const Machine::Joint& joint = machine.joints[which];
  ReactionWrench wrench;
  constexpr std::size_t slot_of_b = 1;
  const Bilateral& bilateral = rows.bilateral();
  for (std::size_t i = 0; i < bilateral.size(); ++i) {
    const Bilateral::RowInfo& info = bilateral.infos()[i];
    if (info.kind == Bilateral::Kind::motion_driven || info.owner != which) continue;
    add_row_to_wrench(bilateral.rows()[i], step.bilateral_impulses[static_cast<Index>(i)] / h, slot_of_b,
                      wrench);
  }
  for (const ContactRows& contact : rows.contacts().contacts()) {
    if (contact.kind == BoundedKind::contact || contact.joint != which) continue;
    add_row_to_wrench(contact.row[0], contact.impulse[0] / h, slot_of_b, wrench);
  }
  if (joint.motor) {
    const auto motor = static_cast<std::size_t>(
        std::find(machine.motors.begin(), machine.motors.end(), which) - machine.motors.begin());
    const double told = motor < step.motor.size() ? step.motor[motor] : 0.0;
    add_row_to_wrench(rows.joint_forces().motor_row(motor), rows.joint_forces().torque_of(motor, told),
                      slot_of_b, wrench);
  }
  move_wrench_to_joint(joint, rows.kinematics(), wrench);
  return wrench;
}

}  // namespace

double bounded_impulse(const MachineRows& rows, std::size_t joint, BoundedKind kind) {
  double sum = 0.0;
  for (const ContactRows& contact : rows.contacts().contacts())
    if (contact.kind == kind && contact.joint == joint) sum += contact.impulse[0];
  return sum;
}

void sense(const MachineRows& rows, const SolvedStep& step, double h, std::span<double> sensed) {
  const Machine& machine = rows.machine();
  double* to = sensed.data();
  for (std::size_t i = 0; i < machine.joints.size(); ++i) {
    const Machine::Joint& joint = machine.joints[i];
    if (joint.outputs.force || joint.outputs.torque) {
      const ReactionWrench wrench = wrench_on_b(rows, step, h, i);
      if (joint.outputs.force) to = std::copy_n(wrench.force.data(), 3, to);
      if (joint.outputs.torque) to = std::copy_n(wrench.torque.data(), 3, to);
    }
    if (joint.motor && joint.motor->input == MotorInput::speed)
      *to++ = bounded_impulse(rows, i, BoundedKind::motor) / h;
  }
  Index driven = step.bilateral_impulses.size();
  for (const Machine::Actuator& actuator : machine.actuators)
    if (actuator.is_motion_driven()) --driven;
  for (std::size_t i = 0; i < machine.actuators.size(); ++i) {
    const bool by_motion = machine.actuators[i].is_motion_driven();
    const double load = by_motion ? step.bilateral_impulses[driven++] / h : step.actuator_N[i];
    if (machine.actuators[i].load_output) *to++ = load;
  }
  for (const Machine::ContactSensor& sensor : machine.contact_sensors) {
    Vector3d force = Vector3d::Zero();
    double normal = 0.0;
    double friction = 0.0;
    for (const ContactRows& contact : rows.contacts().contacts()) {
      if (contact.kind != BoundedKind::contact) break;
      const Machine::Pair& pair = machine.pairs[pair_of(contact.at)];
      if (pair.contact != sensor.contact) continue;
      const std::size_t count = contact.friction > 0.0 ? 3 : 1;
      for (std::size_t k = 0; k < count; ++k)
        force += (pair.swapped ? -1.0 : 1.0) / h * contact.impulse[k] * contact.row[k].jacobian[0].head<3>();
      normal += contact.impulse[0] / h;
      if (count == 3) friction += std::hypot(contact.impulse[1], contact.impulse[2]) / h;
    }
    to = std::copy_n(force.data(), 3, to);
    *to++ = normal;
    *to++ = friction;
  }
}

void smallest_gaps(const Machine& machine, const Kinematics& kinematics, std::vector<ContactPoint>& scratch,
                   std::vector<double>& gaps) {
  gaps.assign(machine.contact_sensors.size(), max_gap_m);
  find_contacts(machine, kinematics, scratch, max_gap_m);
  for (const ContactPoint& point : scratch) {
    const std::size_t contact = machine.pairs[pair_of(point)].contact;
    for (std::size_t i = 0; i < gaps.size(); ++i)
      if (machine.contact_sensors[i].contact == contact) gaps[i] = std::min(gaps[i], point.gap);
  }
}

}  // namespace ergon

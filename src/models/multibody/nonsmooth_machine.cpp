#include "ergon/models/multibody/nonsmooth_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/models/internal_steps.hpp"
#include "ergon/models/multibody/markers.hpp"
#include "ergon/models/nonsmooth/state_bytes.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

constexpr Space space = Space::three_dimensional;

struct Slot final : StateSlot {
  MachineState state;
};

/// ½k(q − rest)² of the springs about axes, whose work is not part of what joints are booked with.
double axis_springs_J(const Machine& machine, const Kinematics& now, const std::vector<double>& angles) {
  double sum = 0.0;
  for (const Machine::Joint& joint : machine.joints) {
    if (!joint.spring) continue;
    const double before = joint.tracked ? angles[joint.angle_b] : 0.0;
    const double stretch = joint_coordinate(joint, now, before) - joint.spring->rest;
    sum += 0.5 * joint.spring->stiffness * stretch * stretch;
  }
  return sum;
}

}  // namespace

NonsmoothMachine::NonsmoothMachine(Setting setting)
    : setting_(std::move(setting)),
      stepper_(setting_.machine),
      rows_at_rest_(setting_.machine),
      interface_(*setting_.machine) {
  const Machine& machine = *setting_.machine;
  setting_.start.received_J.assign(input_count(), 0.0);
  setting_.start.rates_before.assign(machine.actuators.size(), 0.0);
  setting_.start.joint_forces.setZero(static_cast<Index>(stepper_.bilateral().size()));
  forces_.assign(machine.actuators.size(), 0.0);
  setting_.start.actuator_forces = forces_;
  setting_.start.contact_arrows.assign(numbers_of_contact_arrows(), std::numeric_limits<double>::quiet_NaN());
  prescribed_ = present_lengths(machine, setting_.start);
  wrenches_.assign(machine.markers.size(), Vector6d::Zero());
  motors_.assign(machine.motors.size(), 0.0);
  now_.bodies.resize(machine.bodies.size());
  synchronised_ = setting_.start.velocity;
  initialize({});
  before_ = state_;
  springs_at_start_J_ = springs_J();
  if (stepper_.bilateral().has_springs()) springs_at_start_J_ -= axis_springs_J(machine, now_, state_.angles);
}

std::size_t NonsmoothMachine::input_count() const {
  const Machine& machine = *setting_.machine;
  std::size_t count = marker_input_size(space) * machine.markers.size();
  for (const Machine::Actuator& actuator : machine.actuators) count += actuator.is_motion_driven() ? 2 : 1;
  return count + machine.motors.size();
}

std::size_t NonsmoothMachine::output_count() const {
  const Machine& machine = *setting_.machine;
  std::size_t count = (marker_output_size(space) + 3) * machine.markers.size();
  for (const Machine::Actuator& actuator : machine.actuators) count += actuator.is_motion_driven() ? 4 : 3;
  return count + sensor_count();
}

Description NonsmoothMachine::describe() const {
  Description description;
  bool any_motion_driven = false;
  for (const Machine::Actuator& actuator : setting_.machine->actuators) {
    const std::string& name = actuator.name;
    if (actuator.is_motion_driven()) {
      any_motion_driven = true;
      description.inputs.push_back({name + "_length_in", Unit::of("m"), 1, "prescribed length"});
      description.inputs.push_back({name + "_rate_in", Unit::of("m/s"), 1, "rate of that length"});
    } else {
      description.inputs.push_back(
          {name + "_force", Unit::of("N"), 1, "force of the actuator, > 0 extends it"});
    }
    description.outputs.push_back({name + "_length", Unit::of("m"), 1, "distance of its ends"});
    description.outputs.push_back({name + "_rate", Unit::of("m/s"), 1, "rate of its length"});
    description.outputs.back().rate_of = name + "_length";
    description.outputs.push_back({name + "_acceleration", Unit::of("m/s2"), 1,
                                   "mean acceleration of its length over the last step, 0 at the start"});
    description.outputs.back().rate_of = name + "_rate";
    if (actuator.is_motion_driven())
      description.outputs.push_back(
          {name + "_force", Unit::of("N"), 1, "force in the last step, > 0 where it pushes"});
  }
  for (const Machine::Marker& marker : setting_.machine->markers) {
    add_marker_inputs(space, marker.name, description.inputs);
    add_marker_outputs(space, marker.name, description.outputs);
    description.outputs.push_back(
        {marker.name + "_angular_velocity", Unit::of("rad/s"), 3, "of its body, world coordinates"});
  }
  describe_motors_and_sensors(description);
  const bool continuous = setting_.step_s.has_value() || any_motion_driven;
  description.samples_input = continuous ? InputSampling::continuous : InputSampling::start;
  return description;
}

StepStatus NonsmoothMachine::initialize(const Experiment& /*experiment*/) {
  state_ = setting_.start;
  told_rates_.clear();
  stepper_.forget();
  return {};
}

void NonsmoothMachine::read_loads(const InputView& u, double tau, double h) const {
  const Machine& machine = *setting_.machine;
  std::size_t input = 0;
  std::size_t driven = 0;
  for (std::size_t i = 0; i < machine.actuators.size(); ++i) {
    if (machine.actuators[i].is_motion_driven()) {
      prescribed_[driven++] = {u(input, tau), u(input + 1, tau + h)};
      input += 2;
    } else {
      forces_[i] = u(input++, tau);
    }
  }
  for (Vector6d& wrench : wrenches_) {
    for (Index k = 0; k < 6; ++k) wrench[k] = u(input++, tau);
  }
  for (double& motor : motors_) motor = u(input++, tau);
}

long NonsmoothMachine::internal_steps(double h) const {
  return setting_.step_s ? count_internal_steps(h, *setting_.step_s) : 1;
}

StepStatus NonsmoothMachine::step(double t, double h, const InputView& u) {
  const long n = internal_steps(h);
  if (n == 0) return {false, "more than 1e9 internal steps in one communication step"};
  const double internal = h / static_cast<double>(n);
  before_ = state_;
  told_rates_.clear();
  for (long i = 0; i < n; ++i) {
    const double tau = static_cast<double>(i) * internal;
    read_loads(u, tau, internal);
    if (const char* failure = stepper_.step(t + tau, internal, loads(), state_)) {
      state_ = before_;
      return {false, failure};
    }
    if (i == 0) {
      for (std::size_t k = 0; k < state_.rates_before.size(); ++k)
        state_.rates_before[k] = stepper_.actuator_row(k).rate(before_.velocity);
    }
    book_received(internal);
  }
  state_.last_communication_step_s = h;
  state_.actuator_forces = forces_;
  keep_contact_arrows();
  return {};
}

/// Forces work at the mean velocity of their point; what leads an actuator does the work of its row.
void NonsmoothMachine::book_received(double h) {
  const Machine& machine = *setting_.machine;
  const Eigen::VectorXd& mean = stepper_.mean_velocity();
  std::size_t input = 0;
  Index driven = stepper_.bilateral_impulses().size() - static_cast<Index>(prescribed_.size());
  for (std::size_t i = 0; i < machine.actuators.size(); ++i) {
    const double rate = stepper_.actuator_row(i).rate(mean);
    if (machine.actuators[i].is_motion_driven()) {
      state_.received_J[input + 1] += stepper_.bilateral_impulses()[driven++] * rate;
      input += 2;
    } else {
      state_.received_J[input++] += h * forces_[i] * rate;
    }
  }
  for (std::size_t i = 0; i < machine.markers.size(); ++i) {
    const Machine::Marker& marker = machine.markers[i];
    const auto row = static_cast<Index>(6 * marker.body);
    const Vector3d turning = mean.segment<3>(row + 3);
    const Vector3d arm = stepper_.kinematics().bodies[marker.body].rotation * marker.position;
    const Vector3d velocity = mean.segment<3>(row) + turning.cross(arm);
    for (Index k = 0; k < 3; ++k) state_.received_J[input++] += h * wrenches_[i][k] * velocity[k];
    for (Index k = 0; k < 3; ++k) state_.received_J[input++] += h * wrenches_[i][3 + k] * turning[k];
  }
  for (std::size_t i = 0; i < machine.motors.size(); ++i)
    state_.received_J[input++] +=
        stepper_.motor_impulse(i, h, loads()) * stepper_.rows().joint_forces().motor_row(i).rate(mean);
}

void NonsmoothMachine::outputs(double /*t*/, const double* /*u*/, double* y) {
  const Machine& machine = *setting_.machine;
  now_.evaluate(machine, state_);
  Index driven = state_.joint_forces.size() - static_cast<Index>(prescribed_.size());
  Row row;
  const double h = state_.last_communication_step_s;
  for (std::size_t i = 0; i < machine.actuators.size(); ++i) {
    const Machine::Actuator& actuator = machine.actuators[i];
    line_row(now_, actuator.a, actuator.point_a, actuator.b, actuator.point_b, row);
    const double rate = row.rate(state_.velocity);
    *y++ = row.gap;
    *y++ = rate;
    *y++ = h > 0.0 ? (rate - state_.rates_before[i]) / h : 0.0;
    if (actuator.is_motion_driven()) *y++ = state_.joint_forces[driven++];
  }
  for (const Machine::Marker& marker : machine.markers) {
    const Kinematics::Body& body = now_.bodies[marker.body];
    write_marker_outputs(space, {marker.name, marker.position, marker.axes},
                         {body.position, body.velocity, body.rotation, body.omega}, y);
    y += marker_output_size(space);
    write_vector(space, body.omega, y);
    y += 3;
  }
  write_sensors(y);
}

std::unique_ptr<StateSlot> NonsmoothMachine::make_slot() const {
  auto slot = std::make_unique<Slot>();
  slot->state = state_;
  slot->state.contacts.reserve(std::max<std::size_t>(state_.contacts.capacity(), 64));
  return slot;
}

void NonsmoothMachine::save(StateSlot& slot) const {
  static_cast<Slot&>(slot).state = state_;
}

void NonsmoothMachine::restore(const StateSlot& slot) {
  told_rates_.clear();
  stepper_.forget();
  state_ = static_cast<const Slot&>(slot).state;
}

void NonsmoothMachine::serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const {
  write_state(static_cast<const Slot&>(slot).state, bytes);
}

bool NonsmoothMachine::deserialize(std::span<const std::byte> bytes, StateSlot& slot) const {
  return read_state(bytes, static_cast<Slot&>(slot).state);
}

void NonsmoothMachine::output_jacobian(double /*t*/, const double* /*u*/, double* jacobian) const {
  std::fill_n(jacobian, input_count() * output_count(), 0.0);
}

double NonsmoothMachine::springs_J() const {
  if (!stepper_.bilateral().has_springs()) return 0.0;
  now_.evaluate(*setting_.machine, state_);
  angles_ = state_.angles;
  return joint_springs_J(*setting_.machine, now_, angles_);
}

void NonsmoothMachine::sample(const AccountInputs& /*inputs*/, AccountSample& sample) const {
  const Machine& machine = *setting_.machine;
  const double springs = springs_J();
  const double about_axes =
      stepper_.bilateral().has_springs() ? axis_springs_J(machine, now_, state_.angles) : 0.0;
  const MachineEnergy energy = energy_of(machine, state_, state_.velocity);
  sample.stored_J = energy.kinetic_J + energy.potential_J + energy.contact_J + springs;
  // Of what joints with a stiffness took in, a part is in their springs.
  sample.set_non_conservative_J(state_.by_friction_J + state_.by_contact_J + state_.by_dampers_J +
                                state_.by_joints_J - (springs - about_axes - springs_at_start_J_));
  // Velocities are half a step behind the positions.
  synchronised_ = state_.velocity + 0.5 * state_.last_step_s * state_.acceleration;
  const MachineEnergy at_once = energy_of(machine, state_, synchronised_);
  sample.synchronised_J = at_once.kinetic_J + at_once.potential_J + at_once.contact_J + springs;
  sample.kinetic_J = at_once.kinetic_J;
  sample.has_momentum = true;
  sample.momentum = {};
  for (std::size_t i = 0; i < machine.count(); ++i) {
    sample.momentum.mass_kg += machine.bodies[i].mass_kg;
    for (std::size_t k = 0; k < 3; ++k)
      sample.momentum.momentum_kg_m_s[k] +=
          machine.bodies[i].mass_kg * synchronised_[static_cast<Index>(6 * i + k)];
  }
  std::copy(state_.received_J.begin(), state_.received_J.end(), sample.received_J.begin());
}

SolverFigures NonsmoothMachine::solver_figures() const {
  const ContactSolves& solves = state_.solves;
  SolverFigures figures;
  figures.tolerance = setting_.machine->solver.tolerance;
  figures.largest_residual = solves.largest_residual;
  figures.solves = static_cast<std::uint64_t>(solves.count);
  figures.missed = static_cast<std::uint64_t>(solves.missed);
  figures.first_missed_s = solves.first_missed_s;
  figures.iterations = static_cast<std::uint64_t>(solves.iterations);
  figures.max_iterations = static_cast<std::uint64_t>(solves.max_iterations);
  return figures;
}

std::string NonsmoothMachine::inconsistency_at_start(const double* u) const {
  std::string inconsistency;
  const std::vector<PrescribedMotion> lengths = present_lengths(*setting_.machine, setting_.start);
  std::size_t input = 0;
  std::size_t driven = 0;
  for (const Machine::Actuator& actuator : setting_.machine->actuators) {
    if (!actuator.is_motion_driven()) {
      ++input;
      continue;
    }
    const double length = lengths[driven++].length_m;
    constexpr double relative = 1e-6;
    if (!(std::abs(u[input] - length) <= relative * length)) {
      inconsistency +=
          fmt::format("{}actuator '{}' is {} m long, but '{}_length_in' is {} m",
                      inconsistency.empty() ? "" : "; ", actuator.name, length, actuator.name, u[input]);
    }
    input += 2;
  }
  return inconsistency;
}

}  // namespace ergon

#include "ergon/models/nonsmooth/machine_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/models/nonsmooth/sense.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

/// Velocities beyond this are not a motion of a machine, and their squares soon no numbers.
constexpr double fastest = 1e12;

}  // namespace

MachineStepper::MachineStepper(std::shared_ptr<const Machine> machine) : rows_(std::move(machine)) {
  const auto velocities = static_cast<Index>(6 * rows_.machine().bodies.size());
  for (Eigen::VectorXd* vector : {&free_, &next_, &mean_, &change_}) vector->setZero(velocities);
  const auto rows = static_cast<Index>(bilateral().size());
  for (Eigen::VectorXd* vector : {&b_b_, &x_b_, &correction_}) vector->setZero(rows);
  actuator_rows_.resize(rows_.machine().actuators.size());
  gyroscopic_.resize(rows_.machine().count());
}

MachineRows& MachineStepper::prepare(double t, double h, std::span<const PrescribedMotion> prescribed,
                                     const MachineState& state) {
  rows_.evaluate(t, h, prescribed, state);
  prepared_ = true;
  prepared_at_s_ = t;
  prepared_for_s_ = h;
  prepared_motions_.assign(prescribed.begin(), prescribed.end());
  return rows_;
}

void MachineStepper::apply_forces(double h, const MachineLoads& loads, Eigen::VectorXd& velocity) {
  free_gyroscopic_torques(machine(), kinematics(), h, gyroscopic_);
  add_free_motion(machine(), kinematics(), loads.marker, gyroscopic_, h, velocity);
  for (std::size_t i = 0; i < actuator_rows_.size(); ++i) {
    const Machine::Actuator& actuator = machine().actuators[i];
    line_row(kinematics(), actuator.a, actuator.point_a, actuator.b, actuator.point_b, actuator_rows_[i]);
    if (actuator.input == ActuatorInput::force) actuator_rows_[i].push(h * loads.actuator_N[i], velocity);
  }
  rows_.joint_forces().push(loads.motor, h, velocity);
}

const char* MachineStepper::step(double t, double h, const MachineLoads& loads, MachineState& state) {
  const auto same_motion = [](const PrescribedMotion& a, const PrescribedMotion& b) {
    return a.length_m == b.length_m && a.rate_m_s == b.rate_m_s;
  };
  const bool is_prepared = prepared_ && t == prepared_at_s_ && h == prepared_for_s_ &&
                           std::equal(loads.prescribed.begin(), loads.prescribed.end(),
                                      prepared_motions_.begin(), prepared_motions_.end(), same_motion);
  if (!is_prepared) rows_.evaluate(t, h, loads.prescribed, state);
  prepared_ = false;

  free_ = state.velocity;
  apply_forces(h, loads, free_);
  if (!machine().motors.empty()) rows_.contacts().set_speeds(loads.motor);
  rows_.turning().begin(kinematics(), h);
  solve(h);
  for (int round = 0; round < ConstrainedTurning::max_rounds; ++round) {
    if (!rows_.turning().correct(kinematics(), h, state, next_, gyroscopic_, free_)) break;
    solve(h);
  }
  if (!next_.allFinite() || next_.cwiseAbs().maxCoeff() > fastest)
    return "the motion of the machine is not finite: its inputs, or its step, are too large";
  mean_ = 0.5 * (state.velocity + next_);

  const bool changed = contacts_changed(state.contacts);
  book(h, state);
  state.acceleration = (next_ - state.velocity) / h;
  if (changed) state.acceleration.setZero();
  remember(h, loads, state);
  if (!contacts().empty()) count_solve(t, state.solves);
  state.angles = rows_.angles();
  state.velocity = next_;
  state.last_step_s = h;
  move(machine(), next_, h, state);
  return nullptr;
}

void MachineStepper::solve(double h) {
  const Bilateral& joints = rows_.bilateral();
  ContactSolver& contacts = rows_.contacts();
  joints.right_side(free_, rows_.turning().drift(), h, b_b_);
  x_b_ = -b_b_;
  joints.factor().solve(x_b_.data());
  next_ = free_;
  joints.push(x_b_, next_);

  report_ = {};
  if (contacts.contacts().empty()) return;
  report_ = contacts.solve(next_);
  change_.setZero();
  contacts.push(change_);
  joints.rates(change_, correction_);
  joints.factor().solve(correction_.data());
  correction_ = -correction_;
  joints.push(correction_, change_);
  next_ += change_;
  x_b_ += correction_;
}

bool MachineStepper::contacts_changed(const std::vector<ContactMemory>& memory) const {
  std::size_t pushing = 0;
  for (const ContactRows& contact : contacts()) {
    if (contact.bounces) return true;
    if (contact.at.identity >= first_friction_identity) break;
    if (!(contact.impulse[0] > 0.0)) continue;
    while (pushing < memory.size() && memory[pushing].identity < contact.at.identity) {
      if (memory[pushing].force[0] > 0.0) return true;
      ++pushing;
    }
    const bool known = pushing < memory.size() && memory[pushing].identity == contact.at.identity;
    if (!known || !(memory[pushing].force[0] > 0.0)) return true;
    ++pushing;
  }
  return std::any_of(
      memory.begin() + static_cast<std::ptrdiff_t>(pushing), memory.end(),
      [](const ContactMemory& m) { return m.identity < first_friction_identity && m.force[0] > 0.0; });
}

void MachineStepper::book(double h, MachineState& state) {
  for (std::size_t i = 0; i < bilateral().size(); ++i) {
    const double work = x_b_[static_cast<Index>(i)] * bilateral().rows()[i].rate(mean_);
    switch (bilateral().infos()[i].kind) {
      case Bilateral::Kind::joint:
        // What a joint does that neither gives way nor is driven is an error of the step: it is not dissipation, and shows in the balance.
        if (!bilateral().infos()[i].ideal) state.by_joints_J -= work;
        break;
      case Bilateral::Kind::damper:
        state.by_dampers_J -= work;
        break;
      case Bilateral::Kind::spring: {
        // −kΦ is stored as gravity's work is; what an implicit spring does beyond it damps.
        const double stiffness = machine().joints[bilateral().infos()[i].owner].spring->stiffness;
        const Row& row = bilateral().rows()[i];
        state.by_dampers_J -= work + h * stiffness * row.gap * row.rate(mean_);
        break;
      }
      case Bilateral::Kind::motion_driven:
        break;  // received through its port
    }
  }
  book_contacts(h, state);
}

/// A spring of a contact holds at most ½KΦ², and at most what was put in: what a contact finds in its first step, having
/// closed between two points of time, was never paid for. Letting it go shows as a dissipation below 0.
void MachineStepper::book_contacts(double h, MachineState& state) {
  memory_.clear();
  auto remembered = state.contacts.begin();
  const auto lose = [&](const ContactMemory& lost) { state.by_contact_J += lost.spring_J; };
  for (const ContactRows& contact : contacts()) {
    while (remembered != state.contacts.end() && remembered->identity < contact.at.identity)
      lose(*remembered++);
    double spring = 0.0;
    if (remembered != state.contacts.end() && remembered->identity == contact.at.identity)
      spring = (remembered++)->spring_J;
    const double available = spring - contact.impulse[0] * contact.row[0].rate(mean_);
    const double gap = std::min(0.0, contact.at.gap + h * contact.row[0].rate(next_));
    const bool springy = contact.kind == BoundedKind::contact || contact.kind == BoundedKind::limit;
    const double elastic = springy ? 0.5 * contact.stiffness_N_m * gap * gap : 0.0;
    const double kept = contact.bounces ? 0.0 : std::clamp(elastic, 0.0, std::max(available, 0.0));
    if (springy) {
      state.by_contact_J += available - kept;
    } else if (contact.kind == BoundedKind::friction) {
      state.by_friction_J += available;
    }  // what a motor does is received through its port
    ContactMemory memory;
    memory.identity = contact.at.identity;
    memory.spring_J = springy ? kept : 0.0;
    const std::size_t rows = contact.friction > 0.0 ? 3 : 1;
    for (Index k = 0; k < 3; ++k) memory.tangent[k] = contact.tangent[k];
    for (std::size_t k = 0; k < rows; ++k) {
      memory.force[k] = contact.impulse[k] / h;
      memory.row_state[k] = static_cast<std::uint8_t>(contact.state[k]);
      if (k > 0) state.by_friction_J -= contact.impulse[k] * contact.row[k].rate(mean_);
    }
    memory_.push_back(memory);
  }
  while (remembered != state.contacts.end()) lose(*remembered++);
}

void MachineStepper::count_solve(double t, ContactSolves& solves) const {
  solves.count += 1.0;
  if (!report_.solved) {
    if (solves.missed == 0.0) solves.first_missed_s = t;
    solves.missed += 1.0;
  }
  solves.largest_residual = std::max(solves.largest_residual, report_.residual);
  solves.iterations += report_.iterations;
  solves.max_iterations = std::max(solves.max_iterations, static_cast<double>(report_.iterations));
}

void MachineStepper::remember(double h, const MachineLoads& loads, MachineState& state) {
  state.contacts = memory_;
  state.joint_forces = x_b_ / h;
  if (!state.sensed.empty())
    sense(rows_, {x_b_, actuator_rows_, loads.actuator_N, loads.motor}, h, state.sensed);
}

double MachineStepper::motor_impulse(std::size_t motor, double h, const MachineLoads& loads) const {
  if (machine().joints[machine().motors[motor]].motor->input == MotorInput::torque)
    return motor < loads.motor.size() ? h * rows_.joint_forces().torque_of(motor, loads.motor[motor]) : 0.0;
  return bounded_impulse(rows_, machine().motors[motor], BoundedKind::motor);
}

MachineEnergy energy_of(const Machine& machine, const MachineState& state, const Eigen::VectorXd& velocity) {
  MachineEnergy energy;
  for (std::size_t i = 0; i < machine.count(); ++i) {
    const Machine::Body& body = machine.bodies[i];
    const auto row = static_cast<Index>(6 * i);
    const Vector3d turning = state.orientation[i].conjugate() * Vector3d(velocity.segment<3>(row + 3));
    energy.kinetic_J += 0.5 * body.mass_kg * velocity.segment<3>(row).squaredNorm() +
                        0.5 * turning.dot(body.inertia * turning);
    energy.potential_J -= body.mass_kg * machine.gravity.dot(state.position[i]);
  }
  for (const ContactMemory& contact : state.contacts) energy.contact_J += contact.spring_J;
  return energy;
}

}  // namespace ergon

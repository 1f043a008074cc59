#include <algorithm>

#include "ergon/models/multibody/nonsmooth_machine.hpp"

// What a machine is at its actuators: inertia and forces that those meet who push or drive them (docs/theory/interface-models.md), and
// the rates that a static equilibrium has to bring to rest.

namespace ergon {

bool NonsmoothMachine::prepare_interface(std::span<const InterfacePort> ports) {
  ports_.clear();
  port_place_.clear();
  let_free_.assign(setting_.machine->actuators.size(), false);
  interface_.make_room(rows_at_rest_, model_);
  for (const bool motion_driven : {false, true}) {
    for (std::size_t k = 0; k < ports.size(); ++k) {
      if (ports[k].motion_driven != motion_driven) continue;
      const auto actuator = actuator_at(ports[k]);
      if (!actuator || std::find(ports_.begin(), ports_.end(), *actuator) != ports_.end()) return false;
      ports_.push_back(*actuator);
      port_place_.push_back(static_cast<Index>(k));
      let_free_[*actuator] = motion_driven;
    }
    if (!motion_driven) pushed_ports_ = static_cast<Index>(ports_.size());
  }
  const auto n = static_cast<Index>(ports_.size());
  const Index f = pushed_ports_;
  port_model_.resize(n, n);
  port_free_.resize(n);
  port_inverse_.resize(f, n + 1);
  if (f > 0) port_factor_.compute(Eigen::MatrixXd::Identity(f, f));  // room for later ones
  return n > 0;
}

std::optional<std::size_t> NonsmoothMachine::actuator_at(const InterfacePort& port) const {
  std::size_t input = 0, output = 0;
  for (std::size_t i = 0; i < setting_.machine->actuators.size(); ++i) {
    const bool motion_driven = setting_.machine->actuators[i].is_motion_driven();
    // Inputs: force, or length and rate. Outputs: length, rate, acceleration, and force.
    const bool is_it = motion_driven ? port.flow == input + 1 && port.effort == output + 3
                                     : port.effort == input && port.flow == output + 1;
    if (port.motion_driven == motion_driven && is_it) return i;
    input += motion_driven ? 2 : 1;
    output += motion_driven ? 4 : 3;
  }
  return std::nullopt;
}

/// From the partial inverse over actuators f that are pushed and l that are motion-driven:
///   M̃ = [P⁻¹, −P⁻¹Q; −QᵀP⁻¹, R + QᵀP⁻¹Q],   λ̃ = [P⁻¹α; −β − QᵀP⁻¹α]
void NonsmoothMachine::interface_inertia(double t, double h_s, const double* u, double* mass, double* force) {
  read_loads({u, input_count(), 0}, 0.0, 0.0);
  const double h = h_s / static_cast<double>(std::max<long>(1, internal_steps(h_s)));
  MachineRows& rows = stepper_.prepare(t, h, prescribed_, state_);
  interface_.evaluate(rows, h, state_, loads(), model_, let_free_);
  const auto n = static_cast<Index>(ports_.size());
  const Index f = pushed_ports_;
  for (Index a = 0; a < n; ++a) {
    const auto i = static_cast<Index>(ports_[static_cast<std::size_t>(a)]);
    for (Index b = 0; b < n; ++b)
      port_model_(a, b) = model_.mobility(i, static_cast<Index>(ports_[static_cast<std::size_t>(b)]));
    // Actuators that are not of this interface push with what they were told.
    port_free_[a] = model_.free_acceleration[i];
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      const bool of_interface = std::find(ports_.begin(), ports_.end(), k) != ports_.end();
      if (!of_interface && !setting_.machine->actuators[k].is_motion_driven())
        port_free_[a] += model_.mobility(i, static_cast<Index>(k)) * forces_[k];
    }
  }
  if (f > 0) {
    port_inverse_.leftCols(f).setIdentity();
    port_inverse_.middleCols(f, n - f) = port_model_.topRightCorner(f, n - f);
    port_factor_.compute(port_model_.topLeftCorner(f, f));
    auto solved = port_inverse_.leftCols(n);
    port_factor_.solveInPlace(solved);
    port_inverse_.col(n).noalias() = port_inverse_.leftCols(f) * port_free_.head(f);
  }
  const auto place = [&](Index a) { return port_place_[static_cast<std::size_t>(a)]; };
  const auto Q = [&](Index a) { return port_model_.col(a).head(f); };
  for (Index a = 0; a < n; ++a) {
    double of_port = a < f ? port_inverse_(a, n) : -port_free_[a];
    if (a >= f && f > 0) of_port -= Q(a).dot(port_inverse_.col(n));
    force[place(a)] = of_port;
    for (Index b = 0; b < n; ++b) {
      double entry = 0.0;
      if (a < f) {
        entry = b < f ? port_inverse_(a, b) : -port_inverse_(a, b);
      } else if (b < f) {
        entry = -port_inverse_(b, a);
      } else {
        entry = port_model_(a, b);
        if (f > 0) entry += Q(a).dot(port_inverse_.col(b));
      }
      mass[place(a) * n + place(b)] = entry;
    }
  }
}

std::vector<std::string> NonsmoothMachine::state_names() const {
  std::vector<std::string> names;
  for (const Machine::Actuator& actuator : setting_.machine->actuators)
    if (!actuator.is_motion_driven()) names.push_back(actuator.name + "_rate");
  return names;
}

/// Rigid, unless contacts carry the machine: those are as soft as in the steps that put it to rest.
void NonsmoothMachine::evaluate_interface(double t) const {
  const auto& joints = setting_.machine->joints;
  const bool rigid = state_.contacts.empty() && std::none_of(joints.begin(), joints.end(), [](const auto& j) {
                       return j.spring || j.has_forces();
                     });
  const double h = rigid ? 0.0 : relaxation_step_s;
  rows_at_rest_.evaluate(t, h, prescribed_, state_);
  interface_.evaluate(rows_at_rest_, h, state_, loads(), model_);
}

void NonsmoothMachine::states(double* z) const {
  if (!told_rates_.empty()) {
    std::copy(told_rates_.begin(), told_rates_.end(), z);
    return;
  }
  evaluate_interface(0.0);
  for (std::size_t i = 0; i < setting_.machine->actuators.size(); ++i)
    if (!setting_.machine->actuators[i].is_motion_driven()) *z++ = model_.rate[static_cast<Index>(i)];
}

/// By the impulses of the actuators that change their rates so.
void NonsmoothMachine::set_states(const double* z) {
  told_rates_.assign(z, z + state_names().size());
  stepper_.forget();
  evaluate_interface(0.0);
  Eigen::VectorXd change = -model_.rate;
  for (Index i = 0; i < change.size(); ++i) {
    const bool motion_driven = setting_.machine->actuators[static_cast<std::size_t>(i)].is_motion_driven();
    change[i] = motion_driven ? 0.0 : change[i] + *z++;
  }
  if (change.isZero(0.0)) return;
  interface_.set_rates(model_, change, state_.velocity);
}

bool NonsmoothMachine::derivative(double t, const double* u, double* z_dot) const {
  read_loads({u, input_count(), 0}, 0.0, 0.0);
  evaluate_interface(t);
  const auto& actuators = setting_.machine->actuators;
  const Eigen::Map<const Eigen::VectorXd> forces(forces_.data(), static_cast<Index>(forces_.size()));
  const Eigen::VectorXd acceleration = model_.free_acceleration + model_.mobility * forces;
  for (std::size_t i = 0; i < actuators.size(); ++i)
    if (!actuators[i].is_motion_driven()) *z_dot++ = acceleration[static_cast<Index>(i)];
  return acceleration.allFinite();
}

}  // namespace ergon

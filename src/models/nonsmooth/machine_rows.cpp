#include "ergon/models/nonsmooth/machine_rows.hpp"

namespace ergon {

MachineRows::MachineRows(std::shared_ptr<const Machine> machine)
    : machine_(std::move(machine)),
      bilateral_(*machine_),
      contacts_(*machine_, bilateral_),
      turning_(*machine_, bilateral_) {
  kinematics_.bodies.resize(machine_->bodies.size());
}

void MachineRows::evaluate(double t, double h, std::span<const LedMotion> led, const MachineState& state) {
  kinematics_.evaluate(*machine_, state);
  angles_ = state.angles;
  bilateral_.evaluate(kinematics_, t, t + h, led, angles_);
  if (h != regularised_for_s_) bilateral_.regularise(h);
  regularised_for_s_ = h;
  bilateral_.factorise();
  if (h > 0.0) {
    contacts_.prepare(kinematics_, state.velocity, h, state.contacts);
  } else {
    contacts_.clear();
  }
}

}  // namespace ergon

#include "ergon/models/nonsmooth/machine_rows.hpp"

namespace ergon {

MachineRows::MachineRows(std::shared_ptr<const Machine> machine)
    : machine_(std::move(machine)),
      bilateral_(*machine_),
      joint_forces_(*machine_),
      contacts_(*machine_, bilateral_),
      turning_(*machine_, bilateral_) {
  kinematics_.bodies.resize(machine_->bodies.size());
}

void MachineRows::evaluate(double t, double h, std::span<const PrescribedMotion> prescribed,
                           const MachineState& state) {
  kinematics_.evaluate(*machine_, state);
  angles_ = state.angles;
  bilateral_.evaluate(kinematics_, t, t + h, prescribed, angles_);
  if (h != regularised_for_s_) bilateral_.regularise(h);
  regularised_for_s_ = h;
  bilateral_.factorize();
  if (!joint_forces_.empty()) joint_forces_.evaluate(kinematics_, angles_, h);
  if (h > 0.0) {
    contacts_.prepare(kinematics_, state.velocity, h, state.contacts, joint_forces_.bounded());
  } else {
    contacts_.clear();
  }
}

}  // namespace ergon

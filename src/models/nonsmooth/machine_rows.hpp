#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ergon/models/nonsmooth/constrained_turning.hpp"
#include "ergon/models/nonsmooth/contact_solver.hpp"

namespace ergon {

/// All rows of a machine at one state, for a step that starts there: places, joints with their factorisation, contacts. The step and
/// the interface model before it share them.
class MachineRows {
 public:
  explicit MachineRows(std::shared_ptr<const Machine> machine);

  /// `h` = 0: the rigid machine at rest, C = 0 and γ = 1, without contacts.
  void evaluate(double t, double h, std::span<const PrescribedMotion> prescribed, const MachineState& state);

  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] const Kinematics& kinematics() const { return kinematics_; }
  [[nodiscard]] const Bilateral& bilateral() const { return bilateral_; }
  [[nodiscard]] const ContactSolver& contacts() const { return contacts_; }
  [[nodiscard]] ContactSolver& contacts() { return contacts_; }
  [[nodiscard]] ConstrainedTurning& turning() { return turning_; }
  [[nodiscard]] const JointForces& joint_forces() const { return joint_forces_; }
  /// Tracked angles at this state.
  [[nodiscard]] const std::vector<double>& angles() const { return angles_; }

 private:
  std::shared_ptr<const Machine> machine_;
  Kinematics kinematics_;
  Bilateral bilateral_;
  JointForces joint_forces_;
  ContactSolver contacts_;
  ConstrainedTurning turning_;
  std::vector<double> angles_;
  double regularised_for_s_ = -1.0;
};

}  // namespace ergon

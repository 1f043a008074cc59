#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ergon/models/nonsmooth/machine_rows.hpp"

namespace ergon {

/// What acts on a machine from outside over a step.
struct MachineLoads {
  std::span<const double>
      actuator_N;  ///< of each actuator; one that is driven by its length ignores it. > 0 extends
  std::span<const PrescribedMotion> prescribed;  ///< of the motion-driven actuators, in their order
  std::span<const Vector6d> marker;              ///< force and torque on each marker, world coordinates
  std::span<const double> motor{};  ///< what each motor is told: torque or force, or speed; nothing: 0
};

/// One step of a machine at impulse–momentum level [peiret2019, with the corrections of docs/theory/nonsmooth.md]:
///   M(v⁺ − v) = h(f − c) + Aᵀ hλ⁺,   q⁺ = q ⊕ h v⁺
///   H hλ⁺ + b = w⁺ ⟂ λ⁺ ∈ [lo, up],   H = A M⁻¹ Aᵀ + C,   b = A M⁻¹h(f − c) + A v + ½hȦv + γΦ/h
/// All of A is taken where the step starts, c in its middle (`ConstrainedTurning`). What was factorised and solved can be looked at until the next step.
class MachineStepper {
 public:
  explicit MachineStepper(std::shared_ptr<const Machine> machine);

  /// Evaluates the rows of the step that starts at this state; `step` then does not do so again, if it is that step. Whoever
  /// changes the state in between says `forget`.
  MachineRows& prepare(double t, double h, std::span<const PrescribedMotion> prescribed,
                       const MachineState& state);
  void forget() { prepared_ = false; }
  /// Nothing, or why there is no step: the state is then as before.
  const char* step(double t, double h, const MachineLoads& loads, MachineState& state);

  [[nodiscard]] const Machine& machine() const { return rows_.machine(); }
  [[nodiscard]] const MachineRows& rows() const { return rows_; }
  [[nodiscard]] const Kinematics& kinematics() const { return rows_.kinematics(); }
  [[nodiscard]] const Bilateral& bilateral() const { return rows_.bilateral(); }
  [[nodiscard]] const std::vector<ContactRows>& contacts() const { return rows_.contacts().contacts(); }
  [[nodiscard]] const ContactSolver::Report& report() const { return report_; }
  /// ½(v + v⁺) of the last step: impulses do their work at it.
  [[nodiscard]] const Eigen::VectorXd& mean_velocity() const { return mean_; }
  [[nodiscard]] const Eigen::VectorXd& bilateral_impulses() const { return x_b_; }
  /// What a motor did in the last step, N m s or N s.
  [[nodiscard]] double motor_impulse(std::size_t motor, double h, const MachineLoads& loads) const;
  /// The row of an actuator where the last step began: length, rate, Ḋv.
  [[nodiscard]] const Row& actuator_row(std::size_t i) const { return actuator_rows_[i]; }

 private:
  /// velocity ← v + h M⁻¹(f − c)
  void apply_forces(double h, const MachineLoads& loads, Eigen::VectorXd& velocity);
  /// next ← free + M⁻¹Aᵀhλ⁺ of joints and contacts
  void solve(double h);
  void book(double h, MachineState& state);
  void book_contacts(double h, MachineState& state);
  /// Whether contacts closed, opened or bounced, compared with what is remembered.
  [[nodiscard]] bool contacts_changed(const std::vector<ContactMemory>& memory) const;
  void count_solve(double t, ContactSolves& solves) const;
  void remember(double h, const MachineLoads& loads, MachineState& state);

  MachineRows rows_;
  bool prepared_ = false;
  double prepared_at_s_ = 0.0, prepared_for_s_ = 0.0;
  std::vector<PrescribedMotion> prepared_motions_;
  ContactSolver::Report report_;
  std::vector<Eigen::Vector3d> gyroscopic_;
  std::vector<Row> actuator_rows_;
  Eigen::VectorXd free_, next_, mean_, change_;
  Eigen::VectorXd b_b_, x_b_, correction_;
  std::vector<ContactMemory> memory_;
};

/// Energies of a state, J.
struct MachineEnergy {
  double kinetic_J = 0.0;
  double potential_J = 0.0;  ///< of gravity
  double contact_J = 0.0;    ///< in the springs of contacts
};
MachineEnergy energy_of(const Machine& machine, const MachineState& state, const Eigen::VectorXd& velocity);

}  // namespace ergon

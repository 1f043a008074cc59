#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/core/iterative_solver.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/nonsmooth/interface_model.hpp"
#include "ergon/models/nonsmooth/machine_analysis.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A machine with joints, contact and friction as a subsystem (docs/theory/nonsmooth.md, docs/machines.md).
///   inputs   NAME_force of each actuator, or NAME_length_in and NAME_rate_in of one that is motion-driven;
///            NAME_force, NAME_torque of each marker; NAME_torque, NAME_force or NAME_speed of each motor
///   outputs  NAME_length, NAME_rate, NAME_acceleration of each actuator, NAME_force of one that is motion-driven; of each marker what a
///            rigid body has, and NAME_angular_velocity; then what joints, actuators and contacts are asked for
/// A step is one solve, or several with an internal step; forces are looked at where it starts. The force of a motion-driven actuator is
/// that of the last solve: nothing feeds through.
/// The books are those of impulses: each does its work at the mean of the velocities before and after.
class NonsmoothMachine final : public Subsystem,
                               public Rewindable,
                               public Serializable,
                               public Differentiable,
                               public EnergyAccount,
                               public InterfaceInertia,
                               public StateDerivative,
                               public StartCondition,
                               public Geometry,
                               public IterativeSolver {
 public:
  struct Setting {
    std::shared_ptr<const Machine> machine;
    MachineState start;
    std::optional<double> step_s{};  ///< largest internal step; nothing: one per communication step
  };
  explicit NonsmoothMachine(Setting setting);

  [[nodiscard]] Description describe() const override;
  StepStatus initialize(const Experiment& experiment) override;
  StepStatus step(double t, double h, const InputView& u) override;
  void outputs(double t, const double* u, double* y) override;

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  InterfaceInertia* interface_inertia() override { return this; }
  StateDerivative* state_derivative() override { return this; }
  [[nodiscard]] const StartCondition* start_condition() const override {
    return prescribed_.empty() ? nullptr : this;
  }

  [[nodiscard]] const Geometry* geometry() const override { return this; }

  [[nodiscard]] std::unique_ptr<StateSlot> make_slot() const override;
  void save(StateSlot& slot) const override;
  void restore(const StateSlot& slot) override;
  void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const override;
  bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const override;

  /// No output depends on an input.
  void output_jacobian(double t, const double* u, double* jacobian) const override;
  void sample(const AccountInputs& inputs, AccountSample& sample) const override;

  /// Over actuators, each with its rate: those that take forces, and those that are motion-driven, by the rate that they are told; what leads
  /// actuators that are not of the interface is part of the machine. With the partition of the last solve
  /// (docs/theory/interface-models.md). The step that follows uses what was evaluated here.
  bool prepare_interface(std::span<const InterfacePort> ports) override;
  void interface_inertia(double t, double h_s, const double* u, double* mass, double* force) override;

  /// The rates of the actuators that take forces: they are what a machine with held actuators still has to keep at rest.
  [[nodiscard]] std::vector<std::string> state_names() const override;
  void states(double* z) const override;
  void set_states(const double* z) override;
  bool derivative(double t, const double* u, double* z_dot) const override;

  /// Motion-driven actuators start with the length that they have.
  [[nodiscard]] std::string inconsistency_at_start(const double* u) const override;

  /// Of the contact forces.
  [[nodiscard]] SolverFigures solver_figures() const override;

  [[nodiscard]] Scene scene() const override;
  void draw(SceneFrame frame) const override;

  /// What was solved last: rows, partition, factorisation.
  [[nodiscard]] const MachineStepper& stepper() const { return stepper_; }
  [[nodiscard]] const MachineState& state() const { return state_; }

 private:
  using Index = Eigen::Index;
  [[nodiscard]] std::size_t input_count() const;
  [[nodiscard]] std::size_t output_count() const;
  /// Loads at τ of a step; motion-driven actuators have their rate at τ + h.
  void read_loads(const InputView& u, double tau, double h) const;
  [[nodiscard]] MachineLoads loads() const { return {forces_, prescribed_, wrenches_, motors_}; }
  void book_received(double h);
  /// What geometry shows of the last solve is part of the state: after a restore it is the same.
  void keep_contact_arrows();
  [[nodiscard]] std::size_t numbers_of_contact_arrows() const;
  // Motors, and what joints, actuators and contacts have as outputs: ports that come after all others.
  void describe_motors_and_sensors(Description& description) const;
  [[nodiscard]] std::size_t sensor_count() const;
  /// Places of bodies are those of `now_`.
  void write_sensors(double* y) const;
  void evaluate_interface(double t) const;
  [[nodiscard]] std::optional<std::size_t> actuator_at(const InterfacePort& port) const;
  /// How many internal steps a communication step has; 0: too many.
  [[nodiscard]] long internal_steps(double h) const;
  [[nodiscard]] double springs_J() const;

  Setting setting_;
  MachineStepper stepper_;
  MachineState state_;
  MachineState before_;  ///< of the step, kept for a failure
  double springs_at_start_J_ = 0.0;
  std::vector<double> told_rates_;  ///< as set, to the bit, until the machine moves
  // Scratch.
  mutable std::vector<double> forces_;
  mutable std::vector<PrescribedMotion> prescribed_;
  mutable std::vector<Vector6d> wrenches_;
  mutable std::vector<double> motors_;
  mutable std::vector<ContactPoint> near_;
  mutable std::vector<double> gaps_;
  mutable Kinematics now_;
  mutable std::vector<double> angles_;
  mutable MachineRows rows_at_rest_;
  mutable InterfaceEvaluator interface_;
  mutable InterfaceModel model_;
  mutable Eigen::VectorXd synchronised_;
  // The interface that was prepared.
  std::vector<std::size_t> ports_;  ///< actuators: those that take forces first
  std::vector<Index> port_place_;   ///< of each of them in the order of the interface
  std::vector<bool> let_free_;      ///< of all actuators
  Index pushed_ports_ = 0;          ///< how many take forces
  Eigen::MatrixXd port_model_;      ///< [P, Q; −Qᵀ, R] of the ports
  Eigen::VectorXd port_free_;       ///< [α, β]
  Eigen::MatrixXd port_inverse_;    ///< P⁻¹, and P⁻¹[Q, α] beside it
  Eigen::LDLT<Eigen::MatrixXd> port_factor_;
};

/// multibody.nonsmooth
ModelInfo nonsmooth_machine_model();

/// What a user wants to know of a machine before a run: degrees of freedom, rank, redundant rows by name.
std::string tell_constraints(const ConstraintCount& count);

/// The machine of a description, assembled, with consistent velocities; nothing after reporting what is wrong. Notes tell what
/// assembling moved.
struct ReadyMachine {
  std::shared_ptr<const Machine> machine;
  MachineState state;
  ConstraintCount constraints;
};
std::optional<ReadyMachine> make_ready(const MachineDescription& description, ProblemList& problems);

}  // namespace ergon

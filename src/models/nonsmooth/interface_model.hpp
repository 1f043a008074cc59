#pragma once

#include "ergon/models/nonsmooth/machine_stepper.hpp"

namespace ergon {

/// A machine as its actuators feel it [peiret2019, Eqs. (6), (7), corrected]:
///   M̃ ẇ = λ̃ + λ_i
struct InterfaceModel {
  Eigen::MatrixXd mobility;           ///< M̃⁻¹, 1/kg
  Eigen::VectorXd free_acceleration;  ///< M̃⁻¹λ̃, m/s²
  Eigen::VectorXd rate;               ///< w = D v
  Eigen::VectorXd length;
  /// −λ̃: the forces under which no actuator begins to move.
  [[nodiscard]] Eigen::VectorXd holding_N() const;
};

/// Evaluates it at the present state, with the rows that were active and the forces of those that were tight in the last solve
/// (contacts by identity; new ones are tight with λ = 0):
///   S = (A_αM⁻¹A_αᵀ + C_α)⁻¹,   M̃⁻¹ = D M⁻¹Dᵀ − D M⁻¹A_αᵀ S A_αM⁻¹Dᵀ
///   M̃⁻¹λ̃ = D M⁻¹f̂ + Ḋv − D M⁻¹A_αᵀ S (A_αM⁻¹f̂ + Ȧ_αv + γ_αΦ_α/h² + (A_αv − target)/h),   f̂ = f_a − c + A_τᵀλ_τ
class InterfaceEvaluator {
 public:
  explicit InterfaceEvaluator(std::shared_ptr<const Machine> machine);
  /// `h` is the step of the machine. h = 0: the rigid machine at rest, C = 0 and γ = 1.
  void evaluate(double t, double h, const MachineState& state, const MachineLoads& loads,
                InterfaceModel& model);
  /// Changes the rates of the actuators by impulses M̃·change at them, and by what the joints make of those. After `evaluate`.
  void set_rates(const InterfaceModel& model, const Eigen::VectorXd& change, Eigen::VectorXd& velocity) const;

 private:
  struct ActiveRow {
    const Row* row = nullptr;
    double compliance = 0.0;
    double bias = 0.0;  ///< Ȧv + γΦ/h² + Av/h
  };
  void gather_contacts(double h, const MachineState& state, Eigen::VectorXd& acceleration);

  std::shared_ptr<const Machine> machine_;
  Kinematics kinematics_;
  Bilateral bilateral_;
  ContactSolver contacts_;
  std::vector<ActiveRow> active_;
  std::vector<Row> actuators_;
  std::vector<double> angles_;
};

}  // namespace ergon

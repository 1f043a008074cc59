#pragma once

#include <Eigen/Cholesky>

#include "ergon/models/nonsmooth/machine_stepper.hpp"

namespace ergon {

/// A machine as its actuators feel it [peiret2019, Eqs. (22), (27), (28), corrected in docs/theory/interface-models.md]:
///   M̃ ẇ = λ̃ + λ_i
/// Where motion-driven actuators were let free, its partial inverse: of those, `mobility` has what accelerations take, in the
/// place of what forces do,
///   ẇ_f = P λ_f + Q ẇ_l + α,   λ_l = −Qᵀλ_f + R ẇ_l + β
struct InterfaceModel {
  Eigen::MatrixXd mobility;           ///< M̃⁻¹, 1/kg; with free ones [P, Q; −Qᵀ, R], R in kg
  Eigen::VectorXd free_acceleration;  ///< M̃⁻¹λ̃, m/s²; with free ones [α, β], β in N
  Eigen::VectorXd rate;               ///< w = D v
  Eigen::VectorXd length;
  /// −λ̃: the forces under which no actuator begins to move.
  [[nodiscard]] Eigen::VectorXd holding_N() const;
};

/// Evaluates it at the state of some rows, with the rows that were active and the forces of those that were tight in the last solve
/// (contacts by identity; new ones are tight with λ = 0):
///   S = (A_αM⁻¹A_αᵀ + C_α)⁻¹,   M̃⁻¹ = D M⁻¹Dᵀ − D M⁻¹A_αᵀ S A_αM⁻¹Dᵀ
///   M̃⁻¹λ̃ = D M⁻¹f̂ + Ḋv − D M⁻¹A_αᵀ S (A_αM⁻¹f̂ + Ȧ_αv + γ_αΦ_α/h² + (A_αv − target)/h),   f̂ = f_a − c + A_τᵀλ_τ
/// Rows of joints are eliminated first: what is left of them are the motions of all bodies under a unit force at each
/// actuator, and without any. Then active contacts, island by island; an island that no actuator moves has no say.
/// Once the contacts that there will be have been there, it allocates nothing.
class InterfaceEvaluator {
 public:
  explicit InterfaceEvaluator(const Machine& machine);
  /// For all but contacts, before the first evaluation.
  void make_room(const MachineRows& rows, InterfaceModel& model);
  /// `h`: of the step that the rows were evaluated for. `let_free`: for each actuator whether it is motion-driven and has a say at the
  /// interface, so that its acceleration is not that of `loads`, but what the model is asked for; nothing: none.
  void evaluate(MachineRows& rows, double h, const MachineState& state, const MachineLoads& loads,
                InterfaceModel& model, const std::vector<bool>& let_free = {});
  /// Changes the rates of the actuators by impulses M̃·change at them, and by what the joints make of those. After `evaluate`.
  void set_rates(const InterfaceModel& model, const Eigen::VectorXd& change, Eigen::VectorXd& velocity) const;

 private:
  using Index = Eigen::Index;
  void respond_with_joints(const MachineRows& rows, Eigen::Ref<Eigen::VectorXd> motion);
  void push_tight(const MachineRows& rows, double h, const MachineState& state);
  void eliminate_contacts(MachineRows& rows, std::size_t island, double h, const MachineState& state,
                          InterfaceModel& model);

  void find_free(const Bilateral& joints, const std::vector<bool>& let_free);

  static constexpr Index no_row = -1;
  std::vector<Row> actuators_;
  std::vector<Eigen::Vector3d> gyroscopic_;
  std::vector<Index> free_row_;  ///< of each actuator that was let free: its row among those of joints
  Eigen::MatrixXd response_;  ///< motions of all bodies under a unit force at each actuator, joints included
  Eigen::VectorXd free_;      ///< accelerations without interface forces, joints included
  Eigen::VectorXd joint_;     ///< of the rows of joints
  std::vector<Index> active_;
  Eigen::MatrixXd factor_;  ///< L of W_αα
  Eigen::MatrixXd across_;  ///< L⁻¹[A_α·response, right side]
};

}  // namespace ergon

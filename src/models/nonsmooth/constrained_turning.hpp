#pragma once

#include <vector>

#include "ergon/models/nonsmooth/bilateral.hpp"

namespace ergon {

/// What a step takes in its middle, where joints and contacts keep bodies from turning freely (`TurningRule::mean`):
///   c = ω̄ × Jω̄,   ω̄ = ½(ω + ω⁺)             ω̄·c = 0: c does no work, whatever holds the body
///   A v⁺ + ½hȦv = −γΦ/h                      ½hȦv: how far the turning of the step takes a row from its line A v⁺
/// Where joints turn by more than a milliradian in the step, ½hȦv is that of the step itself,
///   ½hȦv := (Φ(q ⊕ hv⁺) − Φ(q))/h − A v⁺,    so that Φ⁺ = (1 − γ)Φ, as in SHAKE [ryckaert1977]
/// Both contain the impulses of the step: a fixed point around its solve. From round to round an error is turned by 90° and
/// multiplied with some a ≈ ½h|ω|. Where that is large the change is scaled by 1/(1 + a²), with which the error shrinks
/// by a/√(1 + a²) for any a.
class ConstrainedTurning {
 public:
  ConstrainedTurning(const Machine& machine, const Bilateral& joints);

  /// Ȧv of the rows before anything was solved: where the step starts, or as the last step foretells them (v + h·v̇).
  void begin(const Kinematics& kinematics, double h);
  void expect(const Kinematics& kinematics, double h, const MachineState& state);
  /// Where `next` is what the step from `state` ended with: corrects Ȧv, `torques`, and `free` by h M⁻¹ of their change. False
  /// where nothing is left to correct.
  bool correct(const Kinematics& kinematics, double h, const MachineState& state, const Eigen::VectorXd& next,
               std::vector<Eigen::Vector3d>& torques, Eigen::VectorXd& free);
  /// Ȧv of the rows of joints.
  [[nodiscard]] const Eigen::VectorXd& drift() const { return drift_; }

  static constexpr int max_rounds = 40;

 private:
  using Index = Eigen::Index;
  [[nodiscard]] bool turns_fast(const Kinematics& kinematics, double h) const;
  void evaluate_drifts(double h, const MachineState& state, const Eigen::VectorXd& velocity,
                       Eigen::VectorXd& drift);

  const Machine& machine_;
  const Bilateral& joints_;
  std::vector<std::size_t> uneven_;  ///< bodies whose inertia is not that of a sphere
  std::vector<std::size_t> jointed_;
  std::vector<Eigen::Vector3d> change_;
  Eigen::VectorXd drift_, drift_of_next_, expected_;
  MachineState moved_;
  Kinematics elsewhere_;
  bool fast_ = false;
  double scale_ = 1.0;
  double last_change_ = 0.0;
};

}  // namespace ergon

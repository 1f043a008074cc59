#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/cable/cable.hpp"
#include "ergon/models/integrator_options.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A cable as a subsystem that is told where its ends are and tells how it pulls at them [gonzalez2019, §4.2].
///   inputs   a_position; b_position where both ends are driven, else B stays
///   outputs  a_force, b_force: on what holds the ends; nodes: positions of all nodes
/// Over a communication step H an end goes straight and with constant velocity from where it is to where the input will be at the
/// end of the step. With a held input that is where the other side was at the *start*: the end lags one step, as published.
/// Where steps become shorter, it makes up for its lag little by little:
///   v_A = (u(H) − u(0))/H + (u(0) − x_A)/T,   T = max(H, T_before − H/2), which is H for equal steps
/// Semi-implicit Euler with internal steps h_C. The jump of an end's velocity from one communication step to the next is an
/// acceleration Δv/h_C in the first internal step, so that its impulse is right for any h_C:
///   M_ff q̈_f = Q_f − M_fA q̈_A,   v += h_C q̈,   q += h_C v
/// The force that is told is minus the mean over the internal steps of M_Af q̈_f + M_AA q̈_A − Q_A: its impulse over the step is
/// that of the reaction. The last internal step's reaction alone would leave out the impulse of the first.
/// At t₀ it is the reaction at rest. It depends on no input at the same instant: there is no feed-through.
///   state  [q, v, reactions, received per input, h_last, T]
/// The books are those of a leapfrog: a reaction works at the mean of the velocities before and after.
class CableSubsystem final : public Subsystem,
                             public FlatState,
                             public Differentiable,
                             public EnergyAccount,
                             public StartCondition {
 public:
  struct Setting {
    CableParameters cable{};
    Eigen::Vector3d a_m = Eigen::Vector3d::Zero();
    Eigen::Vector3d b_m = Eigen::Vector3d::Zero();
    bool drives_b = false;
    std::optional<double> step_s{};  ///< largest internal step; nothing: one per communication step
  };
  explicit CableSubsystem(const Setting& setting);

  [[nodiscard]] Description describe() const override;
  StepStatus initialize(double t) override;
  StepStatus step(double t, double h, const InputView& u) override;
  void outputs(double t, const double* u, double* y) override;

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] const StartCondition* start_condition() const override { return this; }

  void output_jacobian(double t, const double* u, double* jacobian) const override;
  void sample(const AccountInputs& inputs, AccountSample& sample) const override;

  /// Led ends start where the parameters put them: elsewhere they would be torn there in the first step.
  [[nodiscard]] std::string misfit_at_start(const double* u) const override;

  [[nodiscard]] const Cable& cable() const { return cable_; }

 private:
  [[nodiscard]] std::size_t row_size() const override;
  void write_row(std::span<double> row) const override;
  void read_row(std::span<const double> row) override;

  struct State {
    Cable::Nodes q, v;
    Cable::Ends reaction;  ///< mean over the last step
    Eigen::Matrix<double, 2, 3> received_J = Eigen::Matrix<double, 2, 3>::Zero();
    double h_last = 0.0;
    double catch_up_s = 0.0;  ///< T of the last step
  };
  [[nodiscard]] std::size_t inputs() const { return setting_.drives_b ? 6 : 3; }
  const char* integrate(double h, const InputView& u);

  Setting setting_;
  Cable cable_;
  State state_;
  State before_;  ///< of the step, kept for a failure
  std::string too_long_step_;
  mutable Cable::Nodes Q_, acceleration_;
};

/// cable.ancf
ModelInfo cable_model();

}  // namespace ergon

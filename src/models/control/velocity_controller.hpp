#pragma once

#include <optional>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Moves the spool of a valve so that an actuator follows a desired velocity                  [peiret2019, (36), (37)]
///   κ̇ = −k_P (w* − w) − k_D (ẇ* − ẇ),   |κ̇| ≤ κ̇_max,   κ kept within 0 … 1
///   w* = 0 until t_ini, grows to w_max at t_max, stays so until t_end, and is 0 after it; plus what the inputs ask for
/// The signs are those of a valve that lets the force of its actuator fall where the spool opens (hydraulics.cylinder). ẇ is measured:
/// a machine tells the mean acceleration of its actuators, an interface model the one that it predicts.
/// Explicit Euler: everything is looked at where a step starts.
///   state    κ
///   inputs   velocity, acceleration; wanted_velocity, wanted_acceleration (both may stay open)
///   outputs  spool; desired_velocity, that of the parameters
class VelocityController final : public Subsystem,
                                 public FlatState,
                                 public Differentiable,
                                 public StateDerivative {
 public:
  struct Parameters {
    double proportional_1_m = 6.0;  ///< k_P
    double derivative_s_m = 1.0;    ///< k_D
    double fastest_1_s = 3.0;       ///< κ̇_max
    double velocity_m_s = 0.0;      ///< w_max
    double begins_s = 0.0;          ///< t_ini
    double full_s = 0.0;            ///< t_max
    double ends_s = 0.0;            ///< t_end
  };
  /// Nothing for `step_s`: one step per communication step.
  VelocityController(const Parameters& parameters, double spool, std::optional<double> step_s);

  [[nodiscard]] Description describe() const override;
  StepStatus initialize(const Experiment& experiment) override;
  StepStatus step(double t, double h, const InputView& u) override;
  void outputs(double t, const double* u, double* y) override;

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }

  /// No output depends on an input.
  void output_jacobian(double t, const double* u, double* jacobian) const override;
  [[nodiscard]] std::vector<std::string> state_names() const override { return {"spool"}; }
  void states(double* z) const override { z[0] = spool_; }
  void set_states(const double* z) override { spool_ = z[0]; }
  bool derivative(double t, const double* u, double* z_dot) const override;

 private:
  struct Desired {
    double velocity_m_s = 0.0;
    double acceleration_m_s2 = 0.0;
  };
  /// w*(t) of the parameters, and its slope.
  [[nodiscard]] Desired desired(double t) const;
  /// κ̇ at t, with the four inputs.
  [[nodiscard]] double rate(double t, const double* u) const;
  [[nodiscard]] std::size_t row_size() const override { return 1; }
  void write_row(std::span<double> row) const override { row[0] = spool_; }
  void read_row(std::span<const double> row) override { spool_ = row[0]; }

  Parameters p_;
  double initial_spool_;
  double spool_;
  std::optional<double> step_s_;
};

/// control.velocity
ModelInfo velocity_controller_model();

}  // namespace ergon

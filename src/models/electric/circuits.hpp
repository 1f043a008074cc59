#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// How the members of a one-port are joined decides what drives it.
///   series    takes the voltage at its terminals, gives the current that flows into it
///   parallel  takes the current that is drawn from its terminals, gives the voltage between them
/// One of each make a power bond: effort = voltage, flow = current, no sign to turn. What is drawn from a parallel circuit
/// costs it energy: it receives −V·I through its port. The external input adds to the terminals (a source).
enum class CircuitForm { series, parallel };

/// R, L and C with one second-order equation for both forms, which are dual:
///   series    L q̈ + R q̇ + q/C = V + V_ext       q charge (C), q̇ current
///   parallel  C φ̈ + φ̇/R + φ/L = −I + I_ext      φ flux linkage of the inductor (Wb), φ̇ voltage
/// Stored ½LI² + ½CV², dissipated RI² or V²/R.
///   inputs   voltage, external_voltage                 |  current, external_current
///   outputs  current, capacitor_voltage, charge        |  voltage, inductor_current, flux
class RlcCircuit {
 public:
  static constexpr bool takes_efforts = true;
  RlcCircuit(CircuitForm form, double resistance_Ohm, double inductance_H, double capacitance_F)
      : form_(form),
        inertance_(form == CircuitForm::series ? inductance_H : capacitance_F),
        loss_(form == CircuitForm::series ? resistance_Ohm : 1.0 / resistance_Ohm),
        stiffness_(1.0 / (form == CircuitForm::series ? capacitance_F : inductance_H)),
        sign_(form == CircuitForm::series ? 1.0 : -1.0) {}

  static constexpr std::size_t dof() { return 1; }
  static constexpr std::size_t input_count() { return 2; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const {
    if (form_ == CircuitForm::series) return {"charge", "current"};
    return {"flux", "voltage"};
  }

  void acceleration(const double* u, const double* q, const double* v, double* a) const {
    a[0] = (sign_ * u[0] + u[1] - loss_ * v[0] - stiffness_ * q[0]) / inertance_;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* v,
              const double* v_work, Tell tell) const {
    tell(0, loss_ * v[0] * v[0]);
    tell(1, sign_ * u[0] * v_work[0]);
    tell(2, u[1] * v_work[0]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const {
    return 0.5 * inertance_ * v[0] * v[0] + 0.5 * stiffness_ * q[0] * q[0];
  }
  /// Of the inductor: ½LI², which is φ²/2L in the parallel circuit.
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const {
    return form_ == CircuitForm::series ? 0.5 * inertance_ * v[0] * v[0] : 0.5 * stiffness_ * q[0] * q[0];
  }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* /*u*/, const double* q, const double* v, double* y) const {
    y[0] = v[0];
    y[1] = stiffness_ * q[0];
    y[2] = q[0];
  }
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;

 private:
  CircuitForm form_;
  double inertance_;  ///< L, or C of a parallel circuit
  double loss_;       ///< R, or 1/R
  double stiffness_;  ///< 1/C, or 1/L
  double sign_;       ///< of the coupled input
};

/// R and C: one state, the voltage V_C of the capacitor.
///   series    C V̇_C = I,  I = (V + V_ext − V_C)/R        the current follows the voltage at once: feed-through
///   parallel  C V̇_C = −I + I_ext − V_C/R
///   inputs   voltage, external_voltage      |  current, external_current
///   outputs  current, capacitor_voltage     |  voltage
class RcCircuit {
 public:
  RcCircuit(CircuitForm form, double resistance_Ohm, double capacitance_F)
      : form_(form), resistance_Ohm_(resistance_Ohm), capacitance_F_(capacitance_F) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 1; }
  static constexpr std::size_t input_count() { return 2; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const {
    return {form_ == CircuitForm::series ? "capacitor_voltage" : "voltage"};
  }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    const double current_A =
        form_ == CircuitForm::series ? series_current_A(u, v[0]) : u[1] - u[0] - v[0] / resistance_Ohm_;
    a[0] = current_A / capacitance_F_;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const {
    if (form_ == CircuitForm::series) {
      const double current_A = series_current_A(u, v_work[0]);
      tell(0, resistance_Ohm_ * current_A * current_A);
      tell(1, u[0] * current_A);
      tell(2, u[1] * current_A);
    } else {
      tell(0, v_work[0] * v_work[0] / resistance_Ohm_);
      tell(1, -u[0] * v_work[0]);
      tell(2, u[1] * v_work[0]);
    }
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* /*q*/, const double* v) const {
    return 0.5 * capacitance_F_ * v[0] * v[0];
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*v*/) const { return 0.0; }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* /*q*/, const double* v, double* y) const;
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;

 private:
  [[nodiscard]] double series_current_A(const double* u, double capacitor_V) const {
    return (u[0] + u[1] - capacitor_V) / resistance_Ohm_;
  }

  CircuitForm form_;
  double resistance_Ohm_;
  double capacitance_F_;
};

ModelInfo rc_series_model();
ModelInfo rc_parallel_model();
ModelInfo rlc_series_model();
ModelInfo rlc_parallel_model();

}  // namespace ergon

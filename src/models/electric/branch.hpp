#pragma once

#include <algorithm>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A resistor and an inductor in series and, behind them, a capacitor with a leakage resistor beside it. Both of the latter may be
/// missing: without a capacitor it is an RL branch, whose end is a short.
///   L İ = V + V_ext − R I − V_C,   C V̇_C = I − V_C/R_p                V_C = 0 without a capacitor
/// Stored ½ L I² + ½ C V_C², dissipated R I² + V_C²/R_p. Power V·I goes in at the terminals.
///   state    charge Q = C V_C (without a capacitor it stays 0), current I
///   inputs   voltage, external_voltage
///   outputs  current, voltage_drop L İ (of the inductor), capacitor_voltage, capacitor_charge; without a capacitor current, voltage_drop
class Branch {
 public:
  struct Parameters {
    double resistance_Ohm = 1.0;
    double inductance_H = 1.0;
    double elastance_1_F = 0.0;  ///< 1/C; 0: no capacitor
    double leakage_S = 0.0;      ///< 1/R_p; 0: none
  };
  static constexpr bool takes_efforts = true;

  explicit Branch(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t position_count() { return 1; }
  static constexpr std::size_t velocity_count() { return 1; }
  static constexpr std::size_t input_count() { return 2; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"charge", "current"}; }
  void position_rates(const double* q, const double* v, double* q_dot) const {
    q_dot[0] = p_.elastance_1_F > 0.0 ? v[0] - p_.leakage_S * p_.elastance_1_F * q[0] : 0.0;
  }
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* q, const double* v, double* a) const {
    a[0] = (u[0] + u[1] - p_.resistance_Ohm * v[0] - p_.elastance_1_F * q[0]) / p_.inductance_H;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* v,
              const double* v_work, Tell tell) const {
    const double capacitor_V = p_.elastance_1_F * q[0];
    tell(0, p_.resistance_Ohm * v[0] * v[0] + p_.leakage_S * capacitor_V * capacitor_V);
    tell(1, u[0] * v_work[0]);
    tell(2, u[1] * v_work[0]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const {
    return kinetic_J(q, v) + 0.5 * p_.elastance_1_F * q[0] * q[0];
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* v) const {
    return 0.5 * p_.inductance_H * v[0] * v[0];
  }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const {
    y[0] = v[0];
    acceleration(u, q, v, y + 1);
    y[1] *= p_.inductance_H;
    if (p_.elastance_1_F == 0.0) return;
    y[2] = p_.elastance_1_F * q[0];
    y[3] = q[0];
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const {
    std::fill_n(jacobian, (p_.elastance_1_F == 0.0 ? 2 : 4) * input_count(), 0.0);
    jacobian[2] = jacobian[3] = 1.0;
  }

 private:
  Parameters p_;
};

/// electric.rl_series, electric.branch
ModelInfo rl_series_model();
ModelInfo branch_model();

}  // namespace ergon

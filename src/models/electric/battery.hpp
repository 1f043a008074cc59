#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/joints/curve.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A cell: open-circuit voltage over state of charge, a resistance and, where it is not missing, a resistor beside a capacitor.
///   U = E(s) − R I − U₁,   ṡ = −I/Q,   C₁ U̇₁ = I − U₁/R₁             I drawn from it, s its state of charge, Q its capacity
/// E(s) are straight lines between points. Stored Q ∫₀ˢ E ds + ½ C₁ U₁², dissipated R I² + U₁²/R₁; it receives −U I. A run ends where it
/// is empty (s < 0) or overfull (s > 1). The voltage depends on the current of the same instant.
///   state    s, U₁
///   inputs   current
///   outputs  voltage, state_of_charge, open_circuit_voltage, heat_flow
class Battery {
 public:
  struct Parameters {
    double capacity_C = 3600.0;                 ///< Q
    Curve open_circuit_V = Curve::linear(0.0);  ///< E(s)
    double resistance_Ohm = 0.0;                ///< R
    double pair_resistance_Ohm = 0.0;           ///< R₁; 0: no pair
    double pair_capacitance_F = 1.0;            ///< C₁
  };
  explicit Battery(Parameters parameters) : p_(std::move(parameters)) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 2; }
  static constexpr std::size_t input_count() { return 1; }
  static constexpr std::size_t output_count() { return 4; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"state_of_charge", "pair_voltage"}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    a[0] = -u[0] / p_.capacity_C;
    a[1] = has_pair() ? (u[0] - v[1] / p_.pair_resistance_Ohm) / p_.pair_capacitance_F : 0.0;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const {
    tell(0, loss_W(u[0], v_work[1]));
    tell(1, -voltage_V(u[0], v_work) * u[0]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* /*q*/, const double* v) const {
    const double pair_J = has_pair() ? 0.5 * p_.pair_capacitance_F * v[1] * v[1] : 0.0;
    return p_.capacity_C * p_.open_circuit_V.integral(v[0]) + pair_J;
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*v*/) const { return 0.0; }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* /*q*/, const double* v, double* y) const {
    y[0] = voltage_V(u[0], v);
    y[1] = v[0];
    y[2] = p_.open_circuit_V.value(v[0]);
    y[3] = loss_W(u[0], v[1]);
  }
  void output_jacobian(const double* u, const double* /*q*/, const double* /*v*/, double* jacobian) const {
    jacobian[0] = -p_.resistance_Ohm;
    jacobian[1] = jacobian[2] = 0.0;
    jacobian[3] = 2.0 * p_.resistance_Ohm * u[0];
  }
  [[nodiscard]] const char* violation(const double* /*u*/, const double* /*q*/, const double* v) const {
    if (!(v[0] >= 0.0)) return "the battery is empty, or its current is not a number";
    if (v[0] > 1.0) return "the battery is charged beyond its capacity";
    return nullptr;
  }

 private:
  [[nodiscard]] bool has_pair() const { return p_.pair_resistance_Ohm > 0.0; }
  [[nodiscard]] double voltage_V(double current_A, const double* v) const {
    return p_.open_circuit_V.value(v[0]) - p_.resistance_Ohm * current_A - v[1];
  }
  [[nodiscard]] double loss_W(double current_A, double pair_V) const {
    const double pair_W = has_pair() ? pair_V * pair_V / p_.pair_resistance_Ohm : 0.0;
    return p_.resistance_Ohm * current_A * current_A + pair_W;
  }

  Parameters p_;
};

/// electric.battery
ModelInfo battery_model();

}  // namespace ergon

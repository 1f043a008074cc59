#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A coil whose heat goes into a body: between terminals and a thermal port nothing is lost.
///   L İ = V − R(T) I,   R(T) = R (1 + α (T − T_ref)),   entropy flow into the body Ṡ = R(T) I²/T
/// Stored ½ L I². It receives V I at its terminals and gives T Ṡ = R I² to the body.
///   state    I
///   inputs   voltage, temperature
///   outputs  current, entropy_flow, heat_flow
class Heater {
 public:
  struct Parameters {
    double resistance_Ohm = 1.0;
    double inductance_H = 0.1;
    double coefficient_1_K = 0.0;  ///< α
    double reference_K = 293.15;   ///< T_ref
  };
  explicit Heater(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 1; }
  static constexpr std::size_t input_count() { return 2; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"current"}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    a[0] = (u[0] - resistance_Ohm(u[1]) * v[0]) / p_.inductance_H;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const {
    tell(1, u[0] * v_work[0]);
    tell(2, -resistance_Ohm(u[1]) * v_work[0] * v_work[0]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const {
    return kinetic_J(q, v);
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* v) const {
    return 0.5 * p_.inductance_H * v[0] * v[0];
  }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* /*q*/, const double* v, double* y) const {
    y[0] = v[0];
    y[2] = resistance_Ohm(u[1]) * v[0] * v[0];
    y[1] = y[2] / u[1];
  }
  void output_jacobian(const double* u, const double* /*q*/, const double* v, double* jacobian) const {
    const double by_temperature = p_.resistance_Ohm * p_.coefficient_1_K * v[0] * v[0];  // dQ̇/dT
    jacobian[0] = jacobian[1] = jacobian[2] = jacobian[4] = 0.0;
    jacobian[3] = (by_temperature - resistance_Ohm(u[1]) * v[0] * v[0] / u[1]) / u[1];
    jacobian[5] = by_temperature;
  }
  [[nodiscard]] const char* violation(const double* u, const double* /*q*/, const double* /*v*/) const {
    if (!(u[1] > 0.0)) return "the temperature of the heater is not above absolute zero, or is not a number";
    if (!(resistance_Ohm(u[1]) >= 0.0)) return "the resistance of the heater is negative at this temperature";
    return nullptr;
  }

 private:
  [[nodiscard]] double resistance_Ohm(double temperature_K) const {
    return p_.resistance_Ohm * (1.0 + p_.coefficient_1_K * (temperature_K - p_.reference_K));
  }

  Parameters p_;
};

/// electric.heater
ModelInfo heater_model();

}  // namespace ergon

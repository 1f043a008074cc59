#pragma once

#include <algorithm>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A direct-current machine with its rotor: a gyrator between terminals and shaft.
///   L İ = V − R I − k ω,   J ω̇ = k I − d ω + T + T_ext
/// k is the torque per current (N m/A) and the voltage per speed (V s/rad): the same number in SI units. T acts on the rotor at its
/// shaft; a load that is driven gives a negative one. Turned from outside, it is a generator.
/// Stored ½ L I² + ½ J ω², dissipated R I² + d ω².
///   state    φ; ω, I
///   inputs   voltage, torque, external_torque
///   outputs  current; angle, angular_velocity, angular_acceleration; motor_torque k I; heat_flow R I²
class DcMotor {
 public:
  struct Parameters {
    double resistance_Ohm = 1.0;
    double inductance_H = 0.02;
    double constant_Nm_A = 0.1;  ///< k
    double inertia_kg_m2 = 1e-4;
    double friction_Nms = 0.0;  ///< d
  };
  static constexpr bool takes_efforts = true;

  explicit DcMotor(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t position_count() { return 1; }
  static constexpr std::size_t velocity_count() { return 2; }
  static constexpr std::size_t input_count() { return 3; }
  static constexpr std::size_t output_count() { return 6; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"phi", "omega", "current"}; }
  void position_rates(const double* /*q*/, const double* v, double* q_dot) const { q_dot[0] = v[0]; }
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    const double k = p_.constant_Nm_A;
    a[0] = (k * v[1] - p_.friction_Nms * v[0] + u[1] + u[2]) / p_.inertia_kg_m2;
    a[1] = (u[0] - p_.resistance_Ohm * v[1] - k * v[0]) / p_.inductance_H;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* v,
              const double* v_work, Tell tell) const {
    tell(0, p_.resistance_Ohm * v[1] * v[1] + p_.friction_Nms * v[0] * v[0]);
    tell(1, u[0] * v_work[1]);
    tell(2, u[1] * v_work[0]);
    tell(3, u[2] * v_work[0]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const {
    return kinetic_J(q, v);
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* v) const {
    return 0.5 * p_.inertia_kg_m2 * v[0] * v[0] + 0.5 * p_.inductance_H * v[1] * v[1];
  }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const {
    double rates[2];
    acceleration(u, q, v, rates);
    y[0] = v[1];
    y[1] = q[0];
    y[2] = v[0];
    y[3] = rates[0];
    y[4] = p_.constant_Nm_A * v[1];
    y[5] = p_.resistance_Ohm * v[1] * v[1];
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const {
    std::fill_n(jacobian, output_count() * input_count(), 0.0);
    double* acceleration_row = jacobian + 3 * input_count();
    acceleration_row[1] = acceleration_row[2] = 1.0 / p_.inertia_kg_m2;
  }

 private:
  Parameters p_;
};

/// electric.dc_motor
ModelInfo dc_motor_model();

}  // namespace ergon

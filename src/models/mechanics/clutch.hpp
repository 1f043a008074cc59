#pragma once

#include <algorithm>
#include <cmath>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Dry friction between two shafts, or between a shaft and the ground (a brake): a stiff spring and damper in series with a slider that
/// yields at the capacity M                                                          (docs/adr/0062)
///   ω = ω_i − ω_j,   ż = ω kept within (−M − k z)/c … (M − k z)/c,   T = k z + c ż,   slip ω − ż
/// Sticking, ż = ω: the shafts are held by spring and damper, and a torque below M holds them for good, without creeping. Slipping,
/// |T| = M. The right-hand side is continuous, so that every integrator passes from one to the other.
/// Stored ½ k z², dissipated c ż² + T (ω − ż) ≥ 0.
///   state    z
///   inputs   angular_velocity_i, angular_velocity_j, capacity     |  angular_velocity, capacity
///   outputs  torque_i = −T, torque_j = T, slip                    |  torque = −T, slip
class Clutch {
 public:
  struct Parameters {
    bool is_brake = false;
    double stiffness_Nm_rad = 100.0;
    double damping_Nms_rad = 1.0;
    double capacity_Nm = 1.0;  ///< where nothing is connected
  };
  explicit Clutch(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 1; }
  [[nodiscard]] std::size_t input_count() const { return p_.is_brake ? 2 : 3; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"twist"}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    a[0] = twist_rate(u, v[0]);
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const {
    const double rate = twist_rate(u, v_work[0]);
    const double T = torque(rate, v_work[0]);
    tell(0, p_.damping_Nms_rad * rate * rate + T * (speed(u) - rate));
    tell(1, T * u[0]);
    if (!p_.is_brake) tell(2, -T * u[1]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* /*q*/, const double* v) const {
    return 0.5 * p_.stiffness_Nm_rad * v[0] * v[0];
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*v*/) const { return 0.0; }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const;
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;
  [[nodiscard]] const char* violation(const double* u, const double* /*q*/, const double* v) const {
    return std::isfinite(speed(u)) && std::isfinite(capacity(u)) && std::isfinite(v[0])
               ? nullptr
               : "a speed or the capacity is not a number";
  }

 private:
  [[nodiscard]] double speed(const double* u) const { return p_.is_brake ? u[0] : u[0] - u[1]; }
  [[nodiscard]] double capacity(const double* u) const {
    const double M = u[input_count() - 1];
    return M < 0.0 ? 0.0 : M;  // NaN stays NaN
  }
  [[nodiscard]] double twist_rate(const double* u, double twist) const {
    const double held = p_.stiffness_Nm_rad * twist;
    const double M = capacity(u);
    return std::clamp(speed(u), (-M - held) / p_.damping_Nms_rad, (M - held) / p_.damping_Nms_rad);
  }
  [[nodiscard]] double torque(double rate, double twist) const {
    return p_.stiffness_Nm_rad * twist + p_.damping_Nms_rad * rate;
  }

  Parameters p_;
};

/// rotational.clutch, rotational.brake
ModelInfo clutch_model();
ModelInfo brake_model();

}  // namespace ergon

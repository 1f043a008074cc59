#pragma once

#include <algorithm>
#include <cmath>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// The fluid in a pipe as one piece, from end i to end j.
///   (ρ l/A) Q̇ = p_i − p_j − r Q − k |Q| Q            r laminar, k turbulent resistance
/// Stored ½ (ρ l/A) Q², dissipated r Q² + k |Q|³.
///   state    Q
///   inputs   pressure_i, pressure_j
///   outputs  volume_flow_i = −Q into what is at end i, volume_flow_j = Q into what is at end j
class Pipe {
 public:
  struct Parameters {
    double inertance_kg_m4 = 1.0;  ///< ρ l/A
    double laminar_Pas_m3 = 0.0;
    double turbulent_Pas2_m6 = 0.0;
  };
  explicit Pipe(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 1; }
  static constexpr std::size_t input_count() { return 2; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"volume_flow"}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    a[0] = (u[0] - u[1] - resistance(v[0]) * v[0]) / p_.inertance_kg_m4;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const {
    tell(0, resistance(v_work[0]) * v_work[0] * v_work[0]);
    tell(1, u[0] * v_work[0]);
    tell(2, -u[1] * v_work[0]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const {
    return kinetic_J(q, v);
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* v) const {
    return 0.5 * p_.inertance_kg_m4 * v[0] * v[0];
  }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* /*u*/, const double* /*q*/, const double* v, double* y) const {
    y[0] = -v[0];
    y[1] = v[0];
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const {
    std::fill_n(jacobian, 4, 0.0);
  }
  [[nodiscard]] const char* violation(const double* u, const double* /*q*/, const double* v) const {
    return std::isfinite(u[0] - u[1]) && std::isfinite(v[0]) ? nullptr : "pressure or flow is not a number";
  }

 private:
  [[nodiscard]] double resistance(double flow_m3_s) const {
    return p_.laminar_Pas_m3 + p_.turbulent_Pas2_m6 * std::abs(flow_m3_s);
  }

  Parameters p_;
};

/// hydraulics.pipe
ModelInfo pipe_model();

}  // namespace ergon

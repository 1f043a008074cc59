#pragma once

#include <limits>

#include "core/subsystem.hpp"
#include "models/oscillators/laws.hpp"
#include "models/registry.hpp"

namespace ergon {

/// One mass between the ground and, in some forms, a coupling spring and damper whose far end is an input.
///   x, v  own position and velocity;   ξ, ξ̇  position_in, velocity_in
///   F = fs_c((x − ξ) − coupling_rest) + fd_c(v − ξ̇)          force on the far side
///   m v̇ = −fs_g(x − x_rest) − fd_g(v) − F + Σ forces + external force
/// The sum is formed in just this order: a two-mass oscillator split in any way, and not split at all, then gives
/// the same bits (docs/theory/explicit-coupling.md).
///   inputs   [position_in, velocity_in]  [forces …]  external_force
///   outputs  position, velocity  [force]
class PointMass {
 public:
  /// What is exchanged decides the form.
  enum class Form {
    force_driven,         ///< f: forces in, motion out
    displacement_driven,  ///< s: holds the coupling law; motion in, motion out
    force_output,         ///< holds the coupling law; motion in, motion and force out, with feed-through
  };
  struct Parameters {
    Form form = Form::force_driven;
    double mass_kg = 1.0;
    Spring ground_spring{};
    Damper ground_damper{};
    Spring coupling_spring{};
    Damper coupling_damper{};
    double ground_rest_m = 0.0;
    double coupling_rest_m = 0.0;
    std::size_t force_ports = 1;
  };

  explicit PointMass(const Parameters& parameters)
      : p_(parameters), first_force_(p_.form == Form::force_driven ? 0 : 2) {}

  static constexpr std::size_t dof() { return 1; }
  [[nodiscard]] std::size_t input_count() const { return first_force_ + p_.force_ports + 1; }
  [[nodiscard]] Description describe() const;

  [[gnu::always_inline]] void acceleration(const double* u, const double* q, const double* v, double* a) const {
    double total = -p_.ground_spring.force_N(q[0] - p_.ground_rest_m) - p_.ground_damper.force_N(v[0]);
    if (has_coupling()) total -= coupling_force_N(u, q[0], v[0]);
    const double* force = u + first_force_;
    for (std::size_t i = 0; i <= p_.force_ports; ++i) total += force[i];  // the external force is the last
    a[0] = total / p_.mass_kg;
  }

  /// Power into the ports: −fs_c·ξ̇ as the spring's far end moves, −fd_c·ξ̇_in at the damper's, f·v at a force.
  [[gnu::always_inline]] void quadrature_rates(const double* u, const double* u_rate, const double* q, const double* v,
                                               double* w_dot) const {
    double dissipated = p_.ground_damper.force_N(v[0]) * v[0];
    double* received = w_dot + 1;
    if (has_coupling()) {
      const double slip = v[0] - u[1];
      const double damping = p_.coupling_damper.force_N(slip);
      dissipated += damping * slip;
      received[0] = u_rate == nullptr ? 0.0 : -p_.coupling_spring.force_N(elongation_m(u, q[0])) * u_rate[0];
      received[1] = -damping * u[1];
    }
    w_dot[0] = dissipated;
    for (std::size_t i = first_force_; i < first_force_ + p_.force_ports + 1; ++i) received[i] = u[i] * v[0];
  }

  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const {
    double stored = 0.5 * p_.mass_kg * v[0] * v[0] + p_.ground_spring.potential_J(q[0] - p_.ground_rest_m);
    if (has_coupling()) stored += p_.coupling_spring.potential_J(elongation_m(u, q[0]));
    return stored;
  }

  /// A far end that jumps stretches the spring in no time: V(x − ξ_new) − V(x − ξ_old).
  [[gnu::always_inline]] void add_jump_work_J(const double* u_old, const double* u_new, const double* q,
                                              double* received) const {
    if (!has_coupling()) return;
    received[0] += p_.coupling_spring.potential_J(elongation_m(u_new, q[0])) -
                   p_.coupling_spring.potential_J(elongation_m(u_old, q[0]));
  }

  void outputs(const double* u, const double* q, const double* v, double* y) const {
    y[0] = q[0];
    y[1] = v[0];
    if (p_.form == Form::force_output) y[2] = coupling_force_N(u, q[0], v[0]);
  }
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;
  void effective_inertia(const double* u, const double* q, const double* v, std::size_t input, double& mass_kg,
                         double& free_acceleration_m_s2) const;

 private:
  [[nodiscard]] bool has_coupling() const { return first_force_ != 0; }
  [[nodiscard]] double elongation_m(const double* u, double x) const { return (x - u[0]) - p_.coupling_rest_m; }
  [[nodiscard]] double coupling_force_N(const double* u, double x, double v) const {
    return p_.coupling_spring.force_N(elongation_m(u, x)) + p_.coupling_damper.force_N(v - u[1]);
  }

  Parameters p_;
  std::size_t first_force_;
};

ModelInfo mass_model();
ModelInfo displacement_driven_model();
ModelInfo force_output_model();

}  // namespace ergon

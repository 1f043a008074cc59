#pragma once

#include <algorithm>
#include <memory>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/oscillators/spring_laws.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// What is exchanged decides the form.
enum class PointMassForm {
  force_driven,         ///< forces in, motion out
  displacement_driven,  ///< holds the coupling law; motion in, motion out
  force_output,         ///< holds the coupling law; motion in, motion and force out, with feed-through
};

struct PointMassParameters {
  double mass_kg = 1.0;
  Spring ground_spring{};
  Damper ground_damper{};
  double ground_rest_m = 0.0;
  Spring coupling_spring{};
  Damper coupling_damper{};
  double coupling_rest_m = 0.0;
  std::size_t force_ports = 1;
};

/// The ports of a point mass.
Description describe_point_mass(PointMassForm form, std::size_t force_ports);
/// … made once for all of a kind.
std::shared_ptr<const Description> shared_description_of_point_mass(PointMassForm form,
                                                                    std::size_t force_ports,
                                                                    InputSampling sampling);

/// One mass between the ground and, in some forms, a coupling spring and damper whose far end is an input.
///   x, v  own position and velocity;   ξ, ξ̇  position_in, velocity_in
///   F = fs_c((x − ξ) − coupling_rest) + fd_c(v − ξ̇)          force on the far side
///   m v̇ = −fs_g(x − x_rest) − fd_g(v) − F + Σ forces + external force
/// The sum is formed in just this order: a two-mass oscillator split in any way, and not split at all, then gives
/// the same bits (docs/theory/explicit-coupling.md).
///   inputs   [position_in, velocity_in]  [forces …]  external_force
///   outputs  position, velocity  [force]
/// `ports` ≥ 0: so many forces, all laws are linear and no damping is negative: a step is straight-line code. −1 leaves all of it to
/// the parameters.
template <PointMassForm form, int ports>
class PointMass {
 public:
  explicit PointMass(const PointMassParameters& parameters) : p_(parameters) {}

  static constexpr bool takes_efforts = true;
  static constexpr std::size_t dof() { return 1; }
  static constexpr std::size_t input_count() requires(ports >= 0) { return first_force + ports + 1; }
  [[nodiscard]] std::size_t input_count() const requires(ports < 0) {
    return first_force + p_.force_ports + 1;
  }
  [[nodiscard]] Description describe() const {
    return describe_point_mass(form, input_count() - first_force - 1);
  }

  [[nodiscard]] std::shared_ptr<const Description> shared_description(InputSampling sampling) const {
    return shared_description_of_point_mass(form, input_count() - first_force - 1, sampling);
  }

  [[nodiscard]] std::vector<std::string> state_names() const { return {"x", "v"}; }
  /// Negative damping is a source.
  static constexpr bool supplies() requires(ports >= 0) { return false; }
  [[nodiscard]] bool supplies() const requires(ports < 0) {
    return p_.ground_damper.coefficient < 0.0 || p_.coupling_damper.coefficient < 0.0;
  }

  [[gnu::always_inline]] void acceleration(const double* u, const double* q, const double* v,
                                           double* a) const {
    assume_laws();
    double total = -p_.ground_spring.force_N(q[0] - p_.ground_rest_m) - p_.ground_damper.force_N(v[0]);
    if constexpr (has_coupling) total -= coupling_force_N(u, q[0], v[0]);
    for (std::size_t i = first_force; i < input_count(); ++i)
      total += u[i];  // the external force is the last
    a[0] = total / p_.mass_kg;
  }

  /// Power into the ports: −fs_c·ξ̇ as the spring's far end moves, −fd_c·ξ̇_in at the damper's, f·v at a force.
  template <typename Tell>
  [[gnu::always_inline]] void powers(const double* u, const double* u_rate, const double* q, const double* v,
                                     const double* v_force, Tell tell) const {
    assume_laws();
    double dissipated = p_.ground_damper.force_N(v[0]) * v[0];
    [[maybe_unused]] double supplied = 0.0;
    const auto tell_apart = [&](double& power) {
      if constexpr (ports < 0) {
        if (!supplies()) return;
        supplied += std::max(-power, 0.0);
        power = std::max(power, 0.0);
      }
    };
    tell_apart(dissipated);
    if constexpr (has_coupling) {
      const double slip = v[0] - u[1];
      const double damping = p_.coupling_damper.force_N(slip);
      double by_coupling = damping * slip;
      tell_apart(by_coupling);
      dissipated += by_coupling;
      if (u_rate != nullptr) tell(1, -p_.coupling_spring.force_N(elongation_m(u, q[0])) * u_rate[0]);
      tell(2, -damping * u[1]);
    }
    tell(0, dissipated);
    if constexpr (ports < 0) {
      if (supplies()) tell(1 + input_count(), supplied);
    }
    for (std::size_t i = first_force; i < input_count(); ++i) tell(1 + i, u[i] * v_force[0]);
  }

  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const {
    double stored = 0.5 * p_.mass_kg * v[0] * v[0] + p_.ground_spring.potential_J(q[0] - p_.ground_rest_m);
    if constexpr (has_coupling) stored += p_.coupling_spring.potential_J(elongation_m(u, q[0]));
    return stored;
  }

  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* v) const {
    return 0.5 * p_.mass_kg * v[0] * v[0];
  }
  [[nodiscard]] Momentum momentum(const double* /*q*/, const double* v) const {
    return {p_.mass_kg, {p_.mass_kg * v[0], 0.0, 0.0}};
  }

  /// A far end that jumps stretches the spring in no time: V(x − ξ_new) − V(x − ξ_old).
  [[gnu::always_inline]] void add_jump_work_J(const double* u_old, const double* u_new, const double* q,
                                              const double* /*v*/, double share, double* received) const {
    if constexpr (!has_coupling) return;
    assume_laws();
    received[0] += share * (p_.coupling_spring.potential_J(elongation_m(u_new, q[0])) -
                            p_.coupling_spring.potential_J(elongation_m(u_old, q[0])));
  }

  void outputs(const double* u, const double* q, const double* v, double* y) const {
    assume_laws();
    y[0] = q[0];
    y[1] = v[0];
    if constexpr (form == PointMassForm::force_output) y[2] = coupling_force_N(u, q[0], v[0]);
  }

  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const {
    constexpr bool gives_force = form == PointMassForm::force_output;
    std::fill_n(jacobian, (gives_force ? 3 : 2) * input_count(), 0.0);
    if constexpr (gives_force) {
      double* force_row = jacobian + 2 * input_count();
      force_row[0] = -p_.coupling_spring.slope_N_m(elongation_m(u, q[0]));
      force_row[1] = -p_.coupling_damper.slope_Ns_m(v[0] - u[1]);
    }
  }

 private:
  /// Tells the compiler what it need not test.
  [[gnu::always_inline]] void assume_laws() const {
    if constexpr (ports >= 0) {
      if (p_.ground_spring.law != SpringLaw::linear || p_.ground_damper.law != DamperLaw::linear ||
          p_.coupling_spring.law != SpringLaw::linear || p_.coupling_damper.law != DamperLaw::linear) {
        __builtin_unreachable();
      }
    }
  }

  static constexpr bool has_coupling = form != PointMassForm::force_driven;
  static constexpr std::size_t first_force = has_coupling ? 2 : 0;

  [[nodiscard]] [[gnu::always_inline]] double elongation_m(const double* u, double x) const {
    return (x - u[0]) - p_.coupling_rest_m;
  }
  [[nodiscard]] [[gnu::always_inline]] double coupling_force_N(const double* u, double x, double v) const {
    return p_.coupling_spring.force_N(elongation_m(u, x)) + p_.coupling_damper.force_N(v - u[1]);
  }

  PointMassParameters p_;
};

ModelInfo mass_model();
ModelInfo displacement_driven_model();
ModelInfo force_output_model();

}  // namespace ergon

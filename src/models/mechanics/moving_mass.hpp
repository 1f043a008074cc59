#pragma once

#include <algorithm>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A mass on a line or an inertia on a shaft, moved by forces or torques.
///   m v̇ = Σ forces + external force − c v − m g          translational.mass: g acts against the position
///   J ω̇ = Σ torques + external torque − d ω              rotational.inertia: no weight
/// Its acceleration is an output, since comfort and loads are read from it; it depends on the forces of the same instant.
/// Stored ½ m v² + m g x, dissipated c v².
///   inputs   forces (torques) …, external_force (external_torque)
///   outputs  position, velocity, acceleration  |  angle, angular_velocity, angular_acceleration
class MovingMass {
 public:
  enum class Kind : unsigned char { translational, rotational };
  struct Parameters {
    Kind kind = Kind::translational;
    double inertia = 1.0;  ///< kg, or kg m²
    double damping = 0.0;  ///< N s/m, or N m s
    double weight = 0.0;   ///< m g, in N
    std::size_t ports = 1;
  };
  static constexpr bool takes_efforts = true;

  explicit MovingMass(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t dof() { return 1; }
  [[nodiscard]] std::size_t input_count() const { return p_.ports + 1; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const {
    if (p_.kind == Kind::translational) return {"x", "v"};
    return {"phi", "omega"};
  }

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    double total = -p_.damping * v[0] - p_.weight;
    for (std::size_t i = 0; i < input_count(); ++i) total += u[i];
    a[0] = total / p_.inertia;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* v,
              const double* v_work, Tell tell) const {
    tell(0, p_.damping * v[0] * v[0]);
    for (std::size_t i = 0; i < input_count(); ++i) tell(1 + i, u[i] * v_work[0]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const {
    return kinetic_J(q, v) + p_.weight * q[0];
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* v) const {
    return 0.5 * p_.inertia * v[0] * v[0];
  }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const {
    y[0] = q[0];
    y[1] = v[0];
    acceleration(u, q, v, y + 2);
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const {
    std::fill_n(jacobian, 2 * input_count(), 0.0);
    std::fill_n(jacobian + 2 * input_count(), input_count(), 1.0 / p_.inertia);
  }

 private:
  Parameters p_;
};

/// translational.mass, rotational.inertia
ModelInfo translational_mass_model();
ModelInfo rotational_inertia_model();

}  // namespace ergon

#pragma once

#include <cmath>
#include <vector>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/oscillators/spring_laws.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Masses on the ground, coupled among each other, in one subsystem: the monolithic reference of the oscillators.
///   chain  coupling i between mass i and i + 1
///   star   coupling i between mass i and the last one        (multiple oscillator, rodriguez2022 §4.1)
///   F_i = fs_c(x_a − x_b) + fd_c(v_a − v_b),   −F_i on mass a, +F_i on mass b
///   m_i v̇_i = −fs_g(x_i) − fd_g(v_i) − F (as a) + F (as b) + external force
/// Terms are added in this order, as PointMass does: with semi-implicit Euler the bits are those of the split system
/// with simultaneous (Jacobi) updates.
class MassChain {
 public:
  static constexpr bool takes_efforts = true;
  enum class Topology { chain, star };
  struct Parameters {
    std::vector<double> mass_kg{};
    std::vector<Spring> ground_spring{};    ///< one per mass
    std::vector<Damper> ground_damper{};    ///< one per mass
    std::vector<Spring> coupling_spring{};  ///< one per coupling: masses − 1
    std::vector<Damper> coupling_damper{};
    Topology topology = Topology::chain;
  };

  explicit MassChain(Parameters parameters);

  [[nodiscard]] std::size_t dof() const { return p_.mass_kg.size(); }
  [[nodiscard]] std::size_t input_count() const { return dof(); }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const;
  /// Negative damping is a source.
  [[nodiscard]] bool supplies() const { return supplies_; }

  void acceleration(const double* u, const double* q, const double* v, double* a) const;
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* v,
              const double* v_force, Tell tell) const {
    double dissipated = 0.0;
    double supplied = 0.0;
    const auto add = [&](double power) { (power < 0.0 ? supplied : dissipated) += std::abs(power); };
    for (std::size_t i = 0; i < dof(); ++i) add(p_.ground_damper[i].force_N(v[i]) * v[i]);
    for (std::size_t i = 0; i < couplings(); ++i) {
      const double slip = v[i] - v[far_end(i)];
      add(p_.coupling_damper[i].force_N(slip) * slip);
    }
    tell(0, dissipated);
    if (supplies_) tell(1 + input_count(), supplied);
    for (std::size_t i = 0; i < dof(); ++i) tell(1 + i, u[i] * v_force[i]);
  }
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const;
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const;
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const;
  /// Inputs are forces: their jumps do no work.
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const;
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;

 private:
  [[nodiscard]] std::size_t couplings() const { return p_.coupling_spring.size(); }
  /// The mass at the far end of coupling i.
  [[nodiscard]] std::size_t far_end(std::size_t i) const {
    return p_.topology == Topology::chain ? i + 1 : dof() - 1;
  }
  [[nodiscard]] double coupling_force_N(std::size_t i, const double* q, const double* v) const {
    const std::size_t j = far_end(i);
    return p_.coupling_spring[i].force_N(q[i] - q[j]) + p_.coupling_damper[i].force_N(v[i] - v[j]);
  }

  Parameters p_;
  bool supplies_ = false;
};

/// A of ż = A z with z = [x; v], row-major, for linear laws without external forces   [lim2021, (5)]; any other law
/// enters with its coefficient as if it were linear.
std::vector<double> linear_system_matrix(const MassChain::Parameters& parameters);

ModelInfo mass_chain_model();

}  // namespace ergon

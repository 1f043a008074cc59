#pragma once

#include <algorithm>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A body of one temperature.
///   C Ṫ = T Σ Ṡ + Q̇                 Ṡ entropy flows into it (power T Ṡ), Q̇ a further heat flow into it
/// Temperature and entropy flow are what a power bond needs: their product is the heat flow. Stored C (T − T_ref), counted from a
/// reference temperature since from absolute zero everything else would be small against it.
///   state    T
///   inputs   entropy flows …, heat_flow
///   outputs  temperature
class HeatCapacity {
 public:
  struct Parameters {
    double capacity_J_K = 1.0;
    double reference_K = 293.15;
    std::size_t ports = 1;
  };
  explicit HeatCapacity(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 1; }
  [[nodiscard]] std::size_t input_count() const { return p_.ports + 1; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"temperature"}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* v, double* a) const {
    double heat_W = u[p_.ports];
    for (std::size_t i = 0; i < p_.ports; ++i) heat_W += v[0] * u[i];
    a[0] = heat_W / p_.capacity_J_K;
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const {
    for (std::size_t i = 0; i < p_.ports; ++i) tell(1 + i, v_work[0] * u[i]);
    tell(1 + p_.ports, u[p_.ports]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* /*q*/, const double* v) const {
    return p_.capacity_J_K * (v[0] - p_.reference_K);
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*v*/) const { return 0.0; }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* /*u*/, const double* /*q*/, const double* v, double* y) const { y[0] = v[0]; }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const {
    std::fill_n(jacobian, input_count(), 0.0);
  }
  [[nodiscard]] const char* violation(const double* /*u*/, const double* /*q*/, const double* v) const {
    return v[0] > 0.0 ? nullptr : "the temperature fell to absolute zero, or is not a number";
  }

 private:
  Parameters p_;
};

/// thermal.capacity
ModelInfo heat_capacity_model();

}  // namespace ergon

#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/oscillators/spring_laws.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/models/tunable_numbers.hpp"

namespace ergon {

/// A spring and a damper between two moving ends i and j.
///   force_j = fs((x_i − x_j) + rest_length) + fd(v_i − v_j),   force_i = −force_j
/// Relaxed where x_j − x_i = rest_length. The order of the terms is PointMass's: see there.
/// Its damping may change during a run: unlike that of a spring, its law stores nothing that would change with it.
class SpringDamper final : public Element, public Differentiable, public TunableNumbers {
 public:
  SpringDamper(const Spring& spring, const Damper& damper, double rest_length_m)
      // Subtracted from 0, not negated: x − 0 keeps the sign of every zero, x + 0 does not.
      : spring_(spring), damper_(damper), relaxed_difference_m_(0.0 - rest_length_m) {
    tune("c", "", "coefficient of the damper", damper_.coefficient, 0.0);
  }
  Tunable* tunable() override { return this; }

  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override {
    const double force = spring_.force_N(elongation_m(u)) + damper_.force_N(u[1] - u[3]);
    y[0] = -force;
    y[1] = force;
  }
  [[nodiscard]] double stored_J(const double* u) const override {
    return spring_.potential_J(elongation_m(u));
  }
  [[nodiscard]] double dissipation_W(const double* u) const override {
    return damper_.force_N(u[1] - u[3]) * (u[1] - u[3]);
  }

  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  [[nodiscard]] double elongation_m(const double* u) const { return (u[0] - u[2]) - relaxed_difference_m_; }

  Spring spring_;
  Damper damper_;
  double relaxed_difference_m_;
};

/// The same class under three names, which differ in their default laws.
ElementInfo spring_damper_element();
ElementInfo square_root_element();
ElementInfo quadratic_damper_element();

}  // namespace ergon

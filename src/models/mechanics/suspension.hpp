#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/joints/curve.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A spring and a damper between two moving ends, both given as tables: straight lines between points, going on beyond them.
///   δ = (x_i − x_j) + rest_length,   force_j = f_s(δ) + f_d(v_i − v_j),   force_i = −force_j
/// With i below j, δ is the compression: positive rates are bump, negative ones rebound. Stored ∫₀^δ f_s.
///   outputs  force_i, force_j; compression, spring_force, damper_force
class TableSpringDamper final : public Element, public Differentiable {
 public:
  TableSpringDamper(Curve spring, Curve damper, double rest_length_m)
      : spring_(std::move(spring)), damper_(std::move(damper)), rest_length_m_(rest_length_m) {}
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] double stored_J(const double* u) const override { return spring_.integral(compression_m(u)); }
  [[nodiscard]] double dissipation_W(const double* u) const override {
    return damper_.value(u[1] - u[3]) * (u[1] - u[3]);
  }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  [[nodiscard]] double compression_m(const double* u) const { return (u[0] - u[2]) + rest_length_m_; }

  Curve spring_;
  Curve damper_;
  double rest_length_m_;
};

/// A tyre on its road: a spring and a damper that push and never pull, so that the wheel can lift off. End i is the road.
///   δ = (x_i − x_j) + radius,   f = k δ + c (v_i − v_j) where δ > 0 and f > 0, else 0;   force_j = f, force_i = −f
/// Stored ½ k δ² where δ > 0. Where the damper would pull, f = 0 and the spring does its work inside: what is taken out then is −k δ δ̇ ≥ 0.
///   outputs  force_i, force_j; deflection (0 in the air)
class Tyre final : public Element, public Differentiable {
 public:
  Tyre(double stiffness_N_m, double damping_Ns_m, double radius_m)
      : stiffness_N_m_(stiffness_N_m), damping_Ns_m_(damping_Ns_m), radius_m_(radius_m) {}
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] double stored_J(const double* u) const override;
  [[nodiscard]] double dissipation_W(const double* u) const override;
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  [[nodiscard]] double deflection_m(const double* u) const { return (u[0] - u[2]) + radius_m_; }
  [[nodiscard]] double force_N(const double* u) const;

  double stiffness_N_m_;
  double damping_Ns_m_;
  double radius_m_;
};

/// table-spring-damper, tyre
ElementInfo table_spring_damper_element();
ElementInfo tyre_element();

}  // namespace ergon

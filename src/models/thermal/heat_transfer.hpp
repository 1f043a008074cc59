#pragma once

#include "ergon/core/accounted_law.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A law of heat transfer, Q̇ = G (T_i − T_j) or Q̇ = ε σ A (T_i⁴ − T_j⁴), between two bodies, or between a body and its surroundings.
struct HeatLaw {
  enum class Kind : unsigned char { linear, radiation };
  Kind kind = Kind::linear;
  double coefficient = 0.0;  ///< G in W/K, or ε σ A in W/K⁴

  [[nodiscard]] double flow_W(double from_K, double to_K) const;
  /// How the flow changes with one of both temperatures, from its side.
  [[nodiscard]] double slope_W_K(double at_K) const;
};

/// Between two bodies. Heat that leaves one enters the other, so energy is neither lost nor stored, but entropy is made:
///   entropy_flow_i = −Q̇/T_i,   entropy_flow_j = Q̇/T_j
class HeatTransfer final : public Element, public Differentiable, public AccountedLaw {
 public:
  explicit HeatTransfer(const HeatLaw& law) : law_(law) {}
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  HeatLaw law_;
};

/// To surroundings of a temperature of their own; what goes there is lost (dissipated), what comes from there supplied.
///   entropy_flow = −Q̇/T
class HeatLoss final : public Element, public Differentiable, public AccountedLaw {
 public:
  HeatLoss(const HeatLaw& law, double surroundings_K) : law_(law), surroundings_K_(surroundings_K) {}
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] double dissipation_W(const double* u) const override { return law_.flow_W(u[0], u[1]); }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  HeatLaw law_;
  double surroundings_K_;
};

/// conductance, heat-radiation: between two bodies; convection, radiation: to surroundings
ElementInfo conductance_element();
ElementInfo heat_exchange_element();
ElementInfo convection_element();
ElementInfo radiation_element();

}  // namespace ergon

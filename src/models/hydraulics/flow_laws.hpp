#pragma once

#include "ergon/core/accounted_law.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A sharp-edged orifice or valve between two volumes, in both directions.
///   Δp = p_i − p_j,   Q = o A c_d √(2/ρ) Δp/(Δp² + p_t²)^¼          o: how far it is open, kept within 0 … 1
/// For |Δp| ≫ p_t that is the root of the pressure difference; below p_t the flow is laminar, without the root's unbounded slope.
///   inputs   pressure_i, pressure_j, opening
///   outputs  volume_flow_i = −Q, volume_flow_j = Q
/// It takes out Δp Q ≥ 0.
class FlowOrifice final : public Element, public Differentiable, public AccountedLaw {
 public:
  /// `conductance`: A c_d √(2/ρ), in m³/s/√Pa
  FlowOrifice(double conductance, double transition_Pa)
      : conductance_(conductance), transition_Pa_(transition_Pa) {}
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] double dissipation_W(const double* u) const override;
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  [[nodiscard]] double full_flow_m3_s(double difference_Pa) const;

  double conductance_;
  double transition_Pa_;
};

/// A pump or motor with a fixed displacement D per radian between a shaft and two volumes.
///   Δp = p_j − p_i,   Q = D ω − g Δp,   torque = −D Δp − d ω
/// g: leakage, d: friction. ω > 0 pumps from i to j. Driven by a pressure from i to j it turns its shaft: a motor. It takes out
/// g Δp² + d ω² ≥ 0; the rest of what the shaft gives goes into the fluid.
///   inputs   angular_velocity, pressure_i, pressure_j
///   outputs  torque (on the shaft), volume_flow_i = −Q, volume_flow_j = Q
class Pump final : public Element, public Differentiable, public AccountedLaw {
 public:
  Pump(double displacement_m3_rad, double leakage_m3_sPa, double friction_Nms)
      : displacement_(displacement_m3_rad), leakage_(leakage_m3_sPa), friction_(friction_Nms) {}
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] double dissipation_W(const double* u) const override;
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  double displacement_, leakage_, friction_;
};

/// orifice, pump
ElementInfo orifice_element();
ElementInfo pump_element();

}  // namespace ergon

#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// The teeth between two shafts i and j: a transformer with compliance, backlash and losses.
///   δ = φ_i − n φ_j                                 twist of the mesh, seen from shaft i
///   p = |δ| − b/2 where that is positive, else 0    how far the teeth are pressed in; b: backlash, seen from shaft i
///   τ = sgn(δ) k p + s c δ̇,   s = min(1, p/d)       s = 1 without backlash: a tooth damps as far as it touches
///   torque_i = −τ,   torque_j = n τ − (1 − η) |n τ| r(ω_j)
/// r is ω_j/ω₀ kept within −1 … 1: losses turn with the direction of motion, and within ω₀ of standstill in proportion. Shaft i
/// driving, η is the efficiency; shaft j driving, it is 1/(2 − η). Both together take out c s δ̇² + (1 − η) |n τ r ω_j| ≥ 0.
/// Stored ½ k p². A shaft is a gear with n = 1, without backlash and losses.
class Gear final : public Element, public Differentiable {
 public:
  struct Parameters {
    double ratio = 1.0;  ///< n
    double stiffness_Nm_rad = 0.0;
    double damping_Nms_rad = 0.0;
    double backlash_rad = 0.0;      ///< b, from flank to flank
    double depth_rad = 1e-4;        ///< d
    double efficiency = 1.0;        ///< η
    double loss_speed_rad_s = 0.1;  ///< ω₀
    double rest_rad = 0.0;          ///< δ at which the mesh is relaxed
  };
  explicit Gear(const Parameters& parameters) : p_(parameters) {}

  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] double stored_J(const double* u) const override;
  [[nodiscard]] double dissipation_W(const double* u) const override;
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  struct Mesh {
    double twist = 0.0;    ///< δ
    double rate = 0.0;     ///< δ̇
    double pressed = 0.0;  ///< p, with the sign of δ
    double share = 1.0;    ///< s
    double torque = 0.0;   ///< τ
  };
  [[nodiscard]] Mesh mesh(const double* u) const;
  [[nodiscard]] double direction(double omega_j) const;  ///< r

  Parameters p_;
};

/// shaft, gear
ElementInfo shaft_element();
ElementInfo gear_element();

}  // namespace ergon

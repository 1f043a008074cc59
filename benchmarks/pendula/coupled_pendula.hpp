#pragma once

#include <array>
#include <vector>

namespace ergon::bench {

/// The two pendula of [rodriguez2022, Sect. 4.3] as one system in minimal coordinates, z = [φ₁, φ₂, φ̇₁, φ̇₂], angles against
/// the horizontal:
///   mᵢ lᵢ² φ̈ᵢ = tᵢ·(mᵢ g + Fᵢ) lᵢ,   tᵢ = (−sin φᵢ, cos φᵢ),   F₂ = −F₁ = k (s − s₀) (r₁ − r₂)/s
/// An implementation of its own: it shares nothing with the models in constrained coordinates.
struct CoupledPendula {
  double stiffness_N_m = 6.0;

  static constexpr double duration_s = 10.0;
  static constexpr double step_s = 1e-3;

  struct Tips {
    std::array<double, 4> position_m;    ///< x₁, y₁, x₂, y₂
    std::array<double, 4> velocity_m_s;  ///< likewise
  };
  /// At rest at the start; potential energy 0 at both lowest points, spring relaxed.
  [[nodiscard]] double energy_J(const Tips& tips) const;
  /// Tips at all points j · 1 ms, by the classical Runge-Kutta method with ten steps in between.
  [[nodiscard]] std::vector<Tips> motion() const;
};

}  // namespace ergon::bench

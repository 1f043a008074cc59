#pragma once

#include <cmath>

namespace ergon {

/// A compressible fluid. All pressures are absolute, in Pa.
///   ρ(p) = ρ₀ r(p),   r = 1 + a p + b p²
///   β(p) = ρ/(dρ/dp) = (1 + a p + b p²)/(a + 2 b p)                            [rodriguez2022, (28)]
/// The printed unit of a, Pa, must be 1/Pa. The law makes sense while a + 2 b p > 0: beyond that, pressing thins the fluid.
///
/// Energy. Filling a volume V slowly to p takes V (r F − p), with F(p) = ∫₀ᵖ dp'/r(p'): F/ρ₀ is the specific enthalpy,
/// what a kilogram carries in at the pressure p, flow work included. Both are counted from vacuum.
struct Fluid {
  double a_1_Pa = 6.53e-10;
  double b_1_Pa2 = -1.19e-18;
  double density_kg_m3 = 850.0;  ///< ρ₀

  [[nodiscard]] double ratio(double p) const { return 1.0 + p * (a_1_Pa + b_1_Pa2 * p); }    ///< r
  [[nodiscard]] double compliance(double p) const { return a_1_Pa + 2.0 * b_1_Pa2 * p; }     ///< dr/dp
  [[nodiscard]] double bulk_modulus_Pa(double p) const { return ratio(p) / compliance(p); }  ///< β
  [[nodiscard]] double density_at_kg_m3(double p) const { return density_kg_m3 * ratio(p); }

  /// F, in Pa. With D = a² − 4b:  2/√D · artanh(√D p/(2 + a p)), and its like for D ≤ 0.
  [[nodiscard]] double enthalpy_Pa(double p) const {
    const double D = a_1_Pa * a_1_Pa - 4.0 * b_1_Pa2;
    const double half = p / (2.0 + a_1_Pa * p);
    if (D == 0.0) return 2.0 * half;
    const double root = std::sqrt(std::abs(D));
    return 2.0 / root * (D > 0.0 ? std::atanh(root * half) : std::atan(root * half));
  }
  /// Energy of the pressed fluid per volume, J/m³.
  [[nodiscard]] double energy_density_J_m3(double p) const { return ratio(p) * enthalpy_Pa(p) - p; }
};

/// A sharp-edged orifice with a check valve: Q = A c_d √(2 Δp/ρ) where Δp > 0, else 0    [rodriguez2022, (26), (27), δ]
/// The root has an unbounded slope at 0, which neither Newton's method nor error control can cross. Below the transition
/// pressure p_t a cubic takes its place that meets value and slope of the root at p_t, and 0 with slope 0 at Δp = 0:
///   √Δp → √p_t (5 x² − 3 x³)/2,   x = Δp/p_t
struct Orifice {
  double discharge = 0.67;              ///< c_d
  double density_kg_m3 = 850.0;         ///< ρ
  double transition_pressure_Pa = 1e3;  ///< p_t

  /// Speed of the jet times c_d, m/s: what an area of 1 m² lets through.
  [[nodiscard]] double flow_per_area_m_s(double difference_Pa) const {
    if (!(difference_Pa > 0.0)) return 0.0 * difference_Pa;  // NaN stays NaN
    const double factor = discharge * std::sqrt(2.0 / density_kg_m3);
    if (difference_Pa >= transition_pressure_Pa) return factor * std::sqrt(difference_Pa);
    const double x = difference_Pa / transition_pressure_Pa;
    return factor * std::sqrt(transition_pressure_Pa) * 0.5 * x * x * (5.0 - 3.0 * x);
  }
};

}  // namespace ergon

#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ergon/models/registry.hpp"

namespace ergon {

enum class SpringLaw : unsigned char {
  linear,       ///< f = k δ
  square_root,  ///< f = k sgn(δ) √|δ|   [rodriguez2022, (22)]
};

enum class DamperLaw : unsigned char {
  linear,     ///< f = c δ̇
  quadratic,  ///< f = c sgn(δ̇) δ̇²   [rodriguez2022, (23)]
};

// The papers write the force on the mass (with a minus); here f is the force that the law exerts back, f(δ) with the
// sign of δ. All laws are odd bit for bit, f(−δ) = −f(δ), so that both sides of a coupling compute the same number.

struct Spring {
  double stiffness = 0.0;  ///< N/m, or N/√m for the square root
  SpringLaw law = SpringLaw::linear;

  [[nodiscard]] [[gnu::always_inline]] double force_N(double delta_m) const {
    if (law == SpringLaw::linear) [[likely]]
      return stiffness * delta_m;
    return stiffness * std::copysign(std::sqrt(std::abs(delta_m)), delta_m);
  }
  /// ∫ f dδ from 0: ½ k δ², or ⅔ k |δ|^(3/2).
  [[nodiscard]] [[gnu::always_inline]] double potential_J(double delta_m) const {
    if (law == SpringLaw::linear) [[likely]]
      return 0.5 * stiffness * delta_m * delta_m;
    const double length = std::abs(delta_m);
    return 2.0 / 3.0 * stiffness * length * std::sqrt(length);
  }
  /// df/dδ
  [[nodiscard]] double slope_N_m(double delta_m) const {
    if (law == SpringLaw::linear) return stiffness;
    // The square root is infinitely steep at 0; Newton needs a number there, and 1 nm is not elongation.
    constexpr double smallest_elongation_m = 1e-9;
    return 0.5 * stiffness / std::sqrt(std::max(std::abs(delta_m), smallest_elongation_m));
  }
};

struct Damper {
  double coefficient = 0.0;  ///< Ns/m, or Ns²/m² for the quadratic law
  DamperLaw law = DamperLaw::linear;

  [[nodiscard]] [[gnu::always_inline]] double force_N(double rate_m_s) const {
    if (law == DamperLaw::linear) [[likely]]
      return coefficient * rate_m_s;
    return coefficient * (rate_m_s * std::abs(rate_m_s));
  }
  /// df/dδ̇
  [[nodiscard]] double slope_Ns_m(double rate_m_s) const {
    if (law == DamperLaw::linear) return coefficient;
    return 2.0 * coefficient * std::abs(rate_m_s);
  }
};

inline SpringLaw spring_law(const std::string& text) {
  return text == "square-root" ? SpringLaw::square_root : SpringLaw::linear;
}
inline DamperLaw damper_law(const std::string& text) {
  return text == "quadratic" ? DamperLaw::quadratic : DamperLaw::linear;
}

/// The parameter that chooses a spring law, and the one that chooses a damper law.
inline ParameterInfo spring_law_parameter(std::string name, std::string standard, std::string help) {
  return {std::move(name), "", std::move(standard), std::move(help), {"linear", "square-root"}};
}
inline ParameterInfo damper_law_parameter(std::string name, std::string standard, std::string help) {
  return {std::move(name), "", std::move(standard), std::move(help), {"linear", "quadratic"}};
}

}  // namespace ergon

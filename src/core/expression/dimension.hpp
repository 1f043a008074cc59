#pragma once

#include <array>
#include <string>

#include "ergon/core/unit.hpp"

namespace ergon::expression {

/// What is known of the unit of a term: nothing, a plain number that fits wherever it is added (as the 3 of 3*sin(x)), or the
/// exponents of the SI base units. Formulas compute in SI units.
struct Dimension {
  enum class Kind { unknown, number, known };
  Kind kind = Kind::unknown;
  std::array<double, Unit::base_units> exponents{};  ///< not whole after a root

  static Dimension number() { return {Kind::number, {}}; }
  static Dimension none() { return {Kind::known, {}}; }
  static Dimension of(const Unit& unit);
  /// Of a rate of change.
  [[nodiscard]] Dimension per_second() const;

  [[nodiscard]] bool is_known() const { return kind == Kind::known; }
  [[nodiscard]] bool is_dimensionless() const;
  /// False where both are known and differ.
  [[nodiscard]] bool fits(const Dimension& other) const;
  /// "kg*m/s^2"
  [[nodiscard]] std::string text() const;
};

/// Of a sum, of what has either: both must fit.
Dimension joined(const Dimension& a, const Dimension& b);
Dimension multiplied(const Dimension& a, const Dimension& b);
Dimension divided(const Dimension& a, const Dimension& b);
Dimension raised(const Dimension& a, double exponent);

}  // namespace ergon::expression

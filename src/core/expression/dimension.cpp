#include "ergon/core/expression/dimension.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ergon::expression {
namespace {

constexpr double exponent_tolerance = 1e-9;  // exponents are small fractions

template <typename Combine>
Dimension combined(const Dimension& a, const Dimension& b, Combine combine) {
  using Kind = Dimension::Kind;
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {};
  Dimension result;
  for (std::size_t i = 0; i < Unit::base_units; ++i)
    result.exponents[i] = combine(a.exponents[i], b.exponents[i]);
  const bool has_number = a.kind == Kind::number || b.kind == Kind::number;
  result.kind = Kind::known;
  // A number in front may carry any unit, but not change the one of what has one.
  if (has_number && result.is_dimensionless()) result.kind = Kind::number;
  return result;
}

}  // namespace

Dimension Dimension::of(const Unit& unit) {
  if (unit.is_unspecified()) return {};
  Dimension result = none();
  for (std::size_t i = 0; i < Unit::base_units; ++i) result.exponents[i] = unit.exponents[i];
  return result;
}

Dimension Dimension::per_second() const {
  constexpr std::size_t second = 2;
  Dimension rate = *this;
  if (kind == Kind::known) rate.exponents[second] -= 1.0;
  return rate;
}

bool Dimension::is_dimensionless() const {
  for (const double exponent : exponents) {
    if (std::abs(exponent) > exponent_tolerance) return false;
  }
  return kind != Kind::unknown;
}

bool Dimension::fits(const Dimension& other) const {
  if (!is_known() || !other.is_known()) return true;
  for (std::size_t i = 0; i < Unit::base_units; ++i) {
    if (std::abs(exponents[i] - other.exponents[i]) > exponent_tolerance) return false;
  }
  return true;
}

std::string Dimension::text() const {
  static constexpr const char* names[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  static constexpr std::size_t order[] = {1, 0, 2, 3, 4, 5, 6};
  std::string above;
  std::string below;
  for (const std::size_t i : order) {
    const double exponent = exponents[i];
    if (std::abs(exponent) <= exponent_tolerance) continue;
    std::string& part = exponent > 0.0 ? above : below;
    part += exponent > 0.0 ? (above.empty() ? "" : "*") : "/";
    part += names[i];
    if (std::abs(std::abs(exponent) - 1.0) > exponent_tolerance)
      part += fmt::format("^{}", std::abs(exponent));
  }
  if (above.empty()) above = "1";
  return above + below;
}

Dimension joined(const Dimension& a, const Dimension& b) {
  if (a.is_known()) return a;
  if (b.is_known()) return b;
  return a.kind == Dimension::Kind::unknown ? a : b;
}

Dimension multiplied(const Dimension& a, const Dimension& b) {
  return combined(a, b, [](double x, double y) { return x + y; });
}
Dimension divided(const Dimension& a, const Dimension& b) {
  return combined(a, b, [](double x, double y) { return x - y; });
}
Dimension raised(const Dimension& a, double exponent) {
  Dimension result = a;
  for (double& one : result.exponents) one *= exponent;
  return result;
}

}  // namespace ergon::expression

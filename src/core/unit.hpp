#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ergon/core/api.hpp"

namespace ergon {

/// A physical unit: exponents of the SI base units and the way to SI:  value_SI = factor·(2π)^cycles·value + offset.
/// Angles (rad) carry no dimension, as in SI. A hertz is one cycle per second: 2π rad/s where the other side speaks of
/// angles, one event per second where it does not. An empty unit text means "not said" and fits everything.
struct ERGON_API Unit {
  static constexpr std::size_t base_units = 7;  // m kg s A K mol cd
  std::string text;
  std::array<std::int8_t, base_units> exponents{};
  double factor = 1.0;
  double offset = 0.0;
  std::int8_t cycles = 0;    ///< exponent of the cycles that are counted (Hz)
  bool names_angle = false;  ///< rad, deg, rev or rpm

  /// Reads "N", "kN", "m/s", "kg*m^2", "kg.m2/s2", "N·m", "rad/s", "degC", "1" … ; nothing if it is not a unit we know.
  static std::optional<Unit> parse(std::string_view text);
  /// The same for units written in our own source; an unknown one is our bug.
  static Unit of(std::string_view text);
  /// The unit of the rate of change of a quantity in `unit`.
  static Unit per_second(const Unit& unit);

  /// Gain to SI, with angles in rad.
  [[nodiscard]] double to_SI() const;
  [[nodiscard]] bool is_unspecified() const { return text.empty(); }
  [[nodiscard]] bool same_dimension(const Unit& other) const { return exponents == other.exponents; }
};

/// Whether a × b is a power (W), where both are specified.
ERGON_API bool product_is_power(const Unit& effort, const Unit& flow);
/// Whether `flow` is the time derivative of `displacement`, where both are specified.
ERGON_API bool is_rate_of(const Unit& flow, const Unit& displacement);

/// The affine map that turns a value in `from` into a value in `to`: to = gain·from + offset.
struct UnitConversion {
  double gain = 1.0;
  double offset = 0.0;
};
ERGON_API UnitConversion conversion(const Unit& from, const Unit& to);
/// From a value in `rate` to the rate of change of a value in `value`, per second; 1 where one is not specified.
ERGON_API double rate_factor(const Unit& rate, const Unit& value);

}  // namespace ergon

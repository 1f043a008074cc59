#pragma once

#include "ergon/core/unit.hpp"

namespace ergon {

/// A length or an angle, however it is counted: what a spring answers with a force or a torque.
[[nodiscard]] inline bool is_displacement(const Unit& unit) {
  static const Unit length = Unit::of("m");
  static const Unit angle = Unit::of("rad");
  return !unit.is_unspecified() && unit.cycles == 0 && unit.same_dimension(unit.names_angle ? angle : length);
}

}  // namespace ergon

#pragma once

#include <cstdint>

#include "ergon/core/port_type.hpp"

namespace ergon {

/// Where a flat input or output lives: in which stage, and where in the arrays of that stage for its kind.
struct SlotAddress {
  std::uint32_t stage = 0;
  std::uint32_t offset = 0;
  ValueKind kind = ValueKind::real;
};

}  // namespace ergon

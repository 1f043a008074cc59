#pragma once

#include <cstdint>

namespace ergon {

/// Where a flat input or output lives: in which stage, and where in the arrays of that stage.
struct SlotAddress {
  std::uint32_t stage = 0;
  std::uint32_t offset = 0;
};

}  // namespace ergon

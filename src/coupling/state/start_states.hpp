#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon {

/// States of subsystems by their names, that a run begins with instead of initial values.
struct StartStates {
  struct Entry {
    std::string subsystem;
    std::uint64_t ports = 0;  ///< a checksum over its ports: another kind of subsystem has others
    std::vector<std::byte> state;
  };
  std::vector<Entry> entries;
  double time_s = 0.0;  ///< when they were saved
  SourceLocation where{};
};

}  // namespace ergon

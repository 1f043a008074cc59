#pragma once

#include <vector>

#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// Each node's representative under "joined by one of these bonds".
[[nodiscard]] std::vector<Index> joined_nodes(const CoupledSystem& system, const std::vector<Index>& bonds);

}  // namespace ergon

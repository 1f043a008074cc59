#pragma once

#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// The subsystem of a node, to be stepped, set back or changed: for the engine alone (tools/check_includes.sh), whose plan refers to the
/// frozen system as const.
[[nodiscard]] inline Subsystem* live(const Node& node) {
  return std::experimental::get_underlying(node.subsystem).get();
}

}  // namespace ergon

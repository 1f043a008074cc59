#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// expression: outputs as formulas of inputs, with their symbolic Jacobian (docs/equations.md)
ElementInfo expression_element();

}  // namespace ergon

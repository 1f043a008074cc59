#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// equations.expression
ModelInfo expression_model();

}  // namespace ergon

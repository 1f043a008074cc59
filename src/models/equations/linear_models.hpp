#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// equations.state_space: ẋ = A x + B u, y = C x + D u; with a sample time x₊ = A x + B u  [rodriguez2022, (1)]
ModelInfo state_space_model();
/// equations.mechanical: M q̈ + C q̇ + K q = B f, outputs L q and L q̇  [lim2021, (1)]
ModelInfo mechanical_model();
/// equations.transfer_function: Y(s)/U(s) = (b₀ sᵐ + … + bₘ)/(a₀ sⁿ + … + aₙ)
ModelInfo transfer_function_model();

}  // namespace ergon

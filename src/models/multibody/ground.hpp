#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// Markers that stay where they are, for joints between a body and the world. It has no inputs: what a joint does to the ground
/// moves nothing.
///   outputs  angular_velocity (0); NAME_position, NAME_velocity, NAME_axes, NAME_axes_rate of each marker
ModelInfo ground_model();

}  // namespace ergon

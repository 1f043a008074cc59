#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// A point mass on a massless rod in the plane, in the coordinates of its tip: q = r.
///   m r̈ + λ (r − A) = m g + f,   Φ = ½(|r − A|² − l²) = 0                        [rodriguez2022, §4.3]
///   inputs  force        outputs  position, velocity, length_error = |r − A| − l
/// Potential energy is 0 at the lowest point.
ModelInfo pendulum_model();

/// The same pendulum with a spring and damper from its tip to a point ξ that is an input:
///   F = (k_c (s − s₀) + c_c ṡ) e,   s e = r − ξ,   F acts on the far point, −F on the tip
///   inputs  position_in, velocity_in, external_force        outputs  position, velocity, force, length_error
ModelInfo pendulum_force_output_model();

}  // namespace ergon

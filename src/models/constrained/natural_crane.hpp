#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// multibody.natural_crane: PlanarCrane in natural coordinates, the points Q between the links and P at their end
/// [rodriguez2022, Sect. 4.4]:
///   q = [Q, P],   Φ = (½(|Q|² − l₁²), ½(|P − Q|² − l₂²)),   M = diag(m₁/3 + m₂, m₁/3 + m₂, m₃, m₃)
///   Q = [(m₁/2 + m₂) g + f r e, m₃ g],   e = (r Q − B)/s,   s = |r Q − B|,   r the attachment
///   inputs   force
///   outputs  position, velocity (length s of the actuator and its rate), joint (Q), tip (P), length_errors
/// A link with one end at the origin has the kinetic energy of m₁/3 at its other end, and the weight of m₁/2 there.
ModelInfo natural_crane_model();

}  // namespace ergon

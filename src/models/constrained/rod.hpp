#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// A rigid rod of square section, hung to the ground by a spherical joint at O, in natural coordinates
/// q = [A, u₁, u₂]: its free end and two unit vectors normal to it [gonzalez2019, §4.2].
///   Φ = (½(|A − O|² − L²), ½(u₁·u₁ − 1), ½(u₂·u₂ − 1), (A − O)·u₁, (A − O)·u₂, u₁·u₂)
///   M = diag(m/3, m w²/12, m w²/12), three times each;   weight: m g/2 at A
///   inputs  force (at A)       outputs  position, velocity (of A), normal1, normal2, length_error = |A − O| − L
/// Potential energy is 0 where the rod hangs down.
ModelInfo rod_model();

}  // namespace ergon

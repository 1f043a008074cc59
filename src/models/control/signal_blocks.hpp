#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// control.rate_limit: out follows in, and moves by no more than rise·h up and fall·h down in a step of length h.
ModelInfo rate_limit_model();
/// control.delay: out(t) = in(t − delay), linear between the samples at communication points.
ModelInfo delay_model();
/// control.hysteresis: out = high from in ≥ on_at on, low from in ≤ off_at on, in between as before.
ModelInfo hysteresis_model();
/// control.sample_hold: in at the instants t₀ + k·T, held in between.
ModelInfo sample_hold_model();

}  // namespace ergon

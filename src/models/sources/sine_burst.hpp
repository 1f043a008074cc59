#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// source.sine_burst: a value that swings about its mean for a while, as a spool that lifts and lowers [rodriguez2022, (33)]:
///   value = mean (1 + e(t) amplitude sin(2π frequency_Hz t + phase_rad))
///   e rises from 0 to 1 between start_s and start_s + rise_s, and falls back to 0 in the last fall_s before end_s
/// The mean is a state that nothing changes, so that it can be found as part of a static equilibrium.
ModelInfo sine_burst_source();

}  // namespace ergon

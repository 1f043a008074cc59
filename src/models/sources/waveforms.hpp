#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// value
ModelInfo constant_source();
/// before, from time_s on after
ModelInfo step_source();
/// from before to after, in a straight line between start_s and start_s + duration_s
ModelInfo ramp_source();
/// offset + amplitude · sin(2π frequency_Hz t + phase_rad)
ModelInfo sine_source();
/// mean + standard_deviation · a random number of its own for each interval of sample_time, the same for the same seed
ModelInfo noise_source();

}  // namespace ergon

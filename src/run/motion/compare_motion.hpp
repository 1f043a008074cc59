#pragma once

#include "ergon/run/motion/error_bars.hpp"
#include "ergon/run/motion/motion.hpp"
#include "ergon/run/motion/motion_samples.hpp"
#include "ergon/run/motion/watched_outputs.hpp"

namespace ergon {

/// Error bars of `run`, from its difference to a companion whose steps are `step_factor` times its own, as far as both go.
/// Fills all of `motion` but what was asked for and the companions.
void compare_motion(const CoupledSystem& system, const WatchedOutputs& watched, const MotionSamples& run,
                    const MotionSamples& companion, double step_factor, Motion& motion,
                    const FurtherCheck& further = {});

}  // namespace ergon

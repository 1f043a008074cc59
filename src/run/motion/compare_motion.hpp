#pragma once

#include "ergon/run/motion/motion.hpp"
#include "ergon/run/motion/motion_samples.hpp"
#include "ergon/run/motion/watched_outputs.hpp"

namespace ergon {

/// Error bars of `run`, from its difference to a companion whose steps are `step_factor` times its own, as far as both go.
/// Fills all of `motion` but what was asked for and the companions. `at_double`: a companion at twice the steps, where this one has
/// smaller steps. Both tell errors of two orders apart: with d₁ = A + 3B and d_f = (1 − f)A + (1 − f²)B, A + B = 2d_f/((1 − f)(2 − f)) − d₁f/(2 − f).
void compare_motion(const CoupledSystem& system, const WatchedOutputs& watched, const MotionSamples& run,
                    const MotionSamples& companion, double step_factor, Motion& motion,
                    const MotionSamples* at_double = nullptr);

}  // namespace ergon

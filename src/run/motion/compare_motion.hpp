#pragma once

#include <vector>

#include "ergon/run/motion/motion.hpp"
#include "ergon/run/motion/motion_samples.hpp"

namespace ergon {

/// Which outputs are compared: those that are recorded, and all that are judged.
struct WatchedOutputs {
  std::vector<Index> outputs;  ///< sorted
  std::vector<bool> recorded;
  std::vector<bool> judged;
  std::vector<std::size_t> group;  ///< subsystems that bonds or elements join have one number
};
/// Judged are positions, angles and voltages, and whatever has no unit at subsystems that give units to nothing; where there is none of them, all outputs of
/// subsystems that are stepped.
[[nodiscard]] WatchedOutputs watched_outputs(const CoupledSystem& system, const std::vector<Index>& recorded);

/// Error bars of `run`, from its difference to a companion whose steps are `step_factor` times its own, as far as both go.
/// Fills all of `motion` but what was asked for and the companions.
void compare_motion(const CoupledSystem& system, const WatchedOutputs& watched, const MotionSamples& run,
                    const MotionSamples& companion, double step_factor, Motion& motion);

}  // namespace ergon

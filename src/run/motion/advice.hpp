#pragma once

#include <optional>
#include <string>

#include "ergon/coupling/engine.hpp"
#include "ergon/run/motion/motion.hpp"

namespace ergon {

/// What can be set of a run beside the feed-through of its bonds.
struct Changeable {
  std::optional<double> default_step_s;  ///< where all step sizes follow from it
  /// Inputs are held by an explicit scheme, which could extrapolate them.
  bool holds_inputs = false;
};

/// What to set, with the options to type, the cheapest first; empty where nothing is wrong, or nothing is known to help.
[[nodiscard]] std::string advice_for(const Verdict& verdict, const Motion& motion, const Engine& engine,
                                     const Changeable& changeable);

/// By what all step sizes are to be divided so that the accuracy is met, a power of two.
[[nodiscard]] int step_divisor(const Motion& motion);

}  // namespace ergon

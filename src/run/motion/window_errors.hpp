#pragma once

#include <cstddef>
#include <vector>

#include "ergon/run/motion/motion_samples.hpp"

namespace ergon {

/// How an output of both runs is compared.
struct Comparison {
  std::size_t output = 0;  ///< among the samples
  /// An angle that is counted within one turn, in its unit: values a turn apart are the same. 0: it is none.
  double turn = 0.0;
  /// Per row: the values of the check run are negated (a quaternion). Empty: they are not.
  std::vector<bool> negated{};

  [[nodiscard]] bool is_plain() const { return turn == 0.0 && negated.empty(); }
};

/// Per row: the largest difference of both runs since the row before, of the values there and of the extremes between.
///
/// A jump (an impact, a switch, a step of a digital signal) that comes a little earlier or later in one run is not an error of its
/// height: near jumps, values are compared with all that the other run has passed within the shift that is allowed.
[[nodiscard]] std::vector<double> window_errors(const MotionSamples& run, const MotionSamples& check_run,
                                                std::size_t rows, const Comparison& comparison);

/// Per row: a jump of either run is so near that values at one instant tell nothing.
[[nodiscard]] std::vector<bool> rows_near_jumps(const MotionSamples& run, const MotionSamples& check_run,
                                                std::size_t rows, std::size_t output);

}  // namespace ergon

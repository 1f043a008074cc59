#pragma once

#include <vector>

#include "ergon/run/motion/watched_outputs.hpp"

namespace ergon {

/// What an output of both runs covers, over all points that they share.
struct Extent {
  double half_range = 0.0;  ///< of the run in which it is smaller: one that explodes has a range of its own
  double larger_half_range = 0.0;
  double size = 0.0;  ///< largest absolute value, of the run in which it is smaller

  /// Nothing but round-off.
  [[nodiscard]] bool rests() const;
};

/// What errors are compared with: half the range of the output, or of the largest component of its vector; at least a hundredth of
/// the largest at its subsystem in its unit, a millionth of that among connected subsystems, and a thousand-millionth
/// of it in the system; of a rate, what would change its quantity at the subsystem by a thousand-millionth in the whole run; and a
/// hundredth of its size where zero is not a convention (forces, currents, pressures; not positions,
/// temperatures, numbers).
[[nodiscard]] std::vector<double> scales_of(const CoupledSystem& system, const WatchedOutputs& watched,
                                            const std::vector<Extent>& extents, double duration_s);

}  // namespace ergon

#pragma once

#include <limits>

#include "ergon/core/rational.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/state/archive.hpp"

namespace ergon {

/// Chooses the communication points to record: the first at or after each multiple of an interval since t₀.
/// The interval need not lie on the time grid; nothing is ever interpolated to it.
class IntervalGate {
 public:
  /// Every point.
  IntervalGate() : interval_ticks_(1, 1) {}
  /// Throws std::invalid_argument unless the interval is positive.
  explicit IntervalGate(const Rational& interval_ticks);
  static IntervalGate ticks(Tick interval) { return IntervalGate(Rational(interval, 1)); }
  static IntervalGate seconds(const Rational& interval_s, const TimeGrid& grid) {
    return IntervalGate(interval_s / grid.tick_s());
  }
  /// t₀ and nothing else.
  static IntervalGate first_only();

  /// To be asked once per point, in order.
  [[nodiscard]] bool due(Tick tick) {
    if (tick < next_) return false;
    next_ = first_due_after(tick);
    return true;
  }
  /// Whether the last point of a run is recorded even if the interval leaves it out.
  [[nodiscard]] bool wants_last() const { return !first_only_; }
  /// An upper bound of the points recorded in a run of this length, the last one included.
  [[nodiscard]] Tick most_points(Tick end) const;

  void archive(Archive& archive) { archive(next_); }

 private:
  [[nodiscard]] Tick first_due_after(Tick tick) const;

  Rational interval_ticks_;
  Tick next_ = 0;
  bool first_only_ = false;
};

}  // namespace ergon

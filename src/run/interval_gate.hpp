#pragma once

#include "core/rational.hpp"
#include "core/time_grid.hpp"

namespace ergon {

/// Chooses the communication points to record: the first at or after each multiple of an interval since t₀.
/// The interval need not lie on the time grid; nothing is ever interpolated to it.
class IntervalGate {
 public:
  /// Every point.
  IntervalGate() = default;
  /// Throws std::invalid_argument unless the interval is positive.
  explicit IntervalGate(const Rational& interval_ticks);
  static IntervalGate seconds(const Rational& interval_s, const TimeGrid& grid) {
    return IntervalGate(interval_s / grid.tick_s());
  }

  /// To be asked once per point, in order.
  [[nodiscard]] bool due(Tick tick) {
    if (tick < next_) return false;
    next_ = first_due_after(tick);
    return true;
  }

 private:
  [[nodiscard]] Tick first_due_after(Tick tick) const;

  Rational interval_ticks_{1, 1};
  Tick next_ = 0;
};

}  // namespace ergon

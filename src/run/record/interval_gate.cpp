#include "ergon/run/record/interval_gate.hpp"

#include <algorithm>
#include <stdexcept>

namespace ergon {
namespace {

// An interval off the grid makes tick × denominator exceed 64 bits long before either factor does.
__extension__ using Wide = __int128;

Wide whole_intervals(Tick tick, const Rational& interval_ticks) {
  return Wide{tick} * interval_ticks.denominator() / interval_ticks.numerator();
}

}  // namespace

IntervalGate::IntervalGate(const Rational& interval_ticks) : interval_ticks_(interval_ticks) {
  if (!interval_ticks.is_positive()) throw std::invalid_argument("a recording interval must be positive");
}

IntervalGate IntervalGate::first_only() {
  IntervalGate gate;
  gate.first_only_ = true;
  return gate;
}

Tick IntervalGate::first_due_after(Tick tick) const {
  if (first_only_) return std::numeric_limits<Tick>::max();
  const Wide p = interval_ticks_.numerator();
  const Wide q = interval_ticks_.denominator();
  const Wide due = ((whole_intervals(tick, interval_ticks_) + 1) * p + q - 1) / q;
  return static_cast<Tick>(std::min<Wide>(due, std::numeric_limits<Tick>::max()));
}

Tick IntervalGate::most_points(Tick end) const {
  if (first_only_) return 1;
  // t₀, one per whole interval, and the last point.
  const Wide points = whole_intervals(end, interval_ticks_) + 2;
  return points > Wide{end} + 1 ? end + 1 : static_cast<Tick>(points);
}

}  // namespace ergon

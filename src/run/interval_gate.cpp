#include "run/interval_gate.hpp"

#include <stdexcept>

namespace ergon {

IntervalGate::IntervalGate(const Rational& interval_ticks) : interval_ticks_(interval_ticks) {
  if (!interval_ticks.is_positive()) throw std::invalid_argument("a recording interval must be positive");
}

Tick IntervalGate::first_due_after(Tick tick) const {
  // An interval off the grid makes tick × denominator exceed 64 bits long before either factor does.
  __extension__ using Wide = __int128;
  const Wide p = interval_ticks_.numerator();
  const Wide q = interval_ticks_.denominator();
  const Wide multiple = Wide{tick} * q / p + 1;
  return static_cast<Tick>((multiple * p + q - 1) / q);
}

}  // namespace ergon

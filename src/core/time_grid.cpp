#include "ergon/core/time_grid.hpp"

#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace ergon {

TimeGrid::TimeGrid(const Rational& start_s, const Rational& duration_s, std::span<const Rational> steps_s)
    : start_s_(start_s.value()), tick_s_(duration_s) {
  if (!duration_s.is_positive()) throw std::overflow_error("a run needs a positive duration");
  for (const Rational& step : steps_s) tick_s_ = greatest_common_divisor(tick_s_, step);
  numerator_ = tick_s_.numerator();
  denominator_ = static_cast<double>(tick_s_.denominator());
  end_ = ticks(duration_s);
  // k·numerator must stay exact in a double for the quotient to be correctly rounded.
  constexpr std::int64_t exact_limit = std::int64_t{1} << 53;
  if (end_ > exact_limit / numerator_ || tick_s_.denominator() > exact_limit) {
    throw std::overflow_error("the step sizes have no usable common divisor");
  }
  const std::int64_t shared = std::gcd(start_s.denominator(), tick_s_.denominator());
  const std::int64_t start_factor = tick_s_.denominator() / shared;
  const std::int64_t tick_factor = start_s.denominator() / shared;
  if (tick_s_.denominator() > exact_limit / tick_factor) return;
  const std::int64_t of_start = std::abs(start_s.numerator());
  if (of_start > exact_limit / start_factor || numerator_ > exact_limit / tick_factor) return;
  const std::int64_t of_tick = numerator_ * tick_factor;
  if (end_ > (exact_limit - of_start * start_factor) / of_tick) return;
  time_is_exact_ = true;
  start_numerator_ = start_s.numerator() * start_factor;
  time_numerator_ = of_tick;
  time_denominator_ = static_cast<double>(tick_s_.denominator() * tick_factor);
}

Tick TimeGrid::ticks(const Rational& step_s) const {
  const Rational n = step_s / tick_s_;
  if (n.denominator() != 1) throw std::logic_error("a step that is not on the time grid");
  return n.numerator();
}

}  // namespace ergon

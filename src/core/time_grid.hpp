#pragma once

#include <cstdint>
#include <span>

#include "ergon/core/api.hpp"
#include "ergon/core/rational.hpp"

namespace ergon {

using Tick = std::int64_t;

/// The exact clock of a run: time is a whole number of ticks after the start.
///   t = t₀ + k·tick,   tick = greatest common divisor of all communication steps and the duration
/// The fraction is formed in integers and rounded once: t never drifts however many steps are taken, and is the double
/// that a person gets who writes this time down.
class ERGON_API TimeGrid {
 public:
  /// Throws std::overflow_error if the steps have no usable common tick (more than 2⁵³ ticks in the run).
  TimeGrid(const Rational& start_s, const Rational& duration_s, std::span<const Rational> steps_s);

  [[nodiscard]] double time_s(Tick k) const {
    if (!time_is_exact_) return start_s_ + duration_s(k);
    return static_cast<double>(start_numerator_ + k * time_numerator_) / time_denominator_;
  }
  [[nodiscard]] double duration_s(Tick ticks) const {
    return static_cast<double>(ticks * numerator_) / denominator_;
  }
  /// A step of this grid in ticks.
  [[nodiscard]] Tick ticks(const Rational& step_s) const;
  [[nodiscard]] Tick end() const { return end_; }
  [[nodiscard]] Rational tick_s() const { return tick_s_; }

 private:
  double start_s_;
  Rational tick_s_;
  /// t₀ and the tick over their common denominator, where all times are then quotients of exact doubles. Of a start with
  /// very many digits they are not: its times are rounded twice.
  bool time_is_exact_ = false;
  std::int64_t start_numerator_ = 0;
  std::int64_t time_numerator_ = 0;
  double time_denominator_ = 1.0;
  std::int64_t numerator_ = 0;
  double denominator_ = 1.0;
  Tick end_ = 0;
};

}  // namespace ergon

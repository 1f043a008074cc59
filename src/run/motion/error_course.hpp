#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {

/// The course of one error bar, judged.
class ErrorCourse {
 public:
  ErrorCourse(const std::vector<double>& times_s, const std::vector<double>& values,
              const std::vector<double>& errors, double scale)
      : times_s_(times_s), values_(values), errors_(errors), scale_(scale) {
    double least = values.front();
    double most = values.front();
    ranges_.reserve(values.size());
    for (const double y : values) {
      least = std::min(least, y);
      most = std::max(most, y);
      ranges_.push_back(0.5 * (most - least));
    }
  }

  /// When the error first is more than `limit` of half the range so far; nothing: never.
  [[nodiscard]] std::optional<std::size_t> passes(double limit) const {
    for (std::size_t r = 0; r < errors_.size(); ++r) {
      const double so_far = std::max(std::min(ranges_[r], scale_), motion_limits::first_movements * scale_);
      if (!(errors_[r] <= limit * so_far)) return r;
    }
    return std::nullopt;
  }

  /// When the error first is more than `error`.
  [[nodiscard]] std::optional<std::size_t> exceeds(double error) const {
    for (std::size_t r = 0; r < errors_.size(); ++r) {
      if (!(errors_[r] <= error)) return r;
    }
    return std::nullopt;
  }

  /// Two decades of growth in a fraction of the time before, while the motion goes on as before.
  [[nodiscard]] std::optional<std::size_t> chaotic_after() const {
    const auto begins = passes(motion_limits::chaos_begins);
    const auto middle = passes(motion_limits::chaos_first_decade);
    const auto visible = passes(motion_limits::chaos_visible);
    const auto ends = passes(motion_limits::chaos_ends);
    if (!ends || !visible || !middle || *begins == 0) return std::nullopt;
    const double t0 = times_s_.front();
    const double growth = times_s_[*ends] - times_s_[*begins];
    if (growth > motion_limits::chaos_growth_time * (times_s_[*ends] - t0)) return std::nullopt;
    if (times_s_[*ends] - times_s_[*middle] < motion_limits::chaos_steadiness * growth ||
        times_s_[*middle] - times_s_[*begins] < motion_limits::chaos_steadiness * growth)
      return std::nullopt;
    if (ranges_[*begins] < motion_limits::chaos_range_before * ranges_.back()) return std::nullopt;
    // What dies away is not chaotic, however its error grows meanwhile.
    if (half_range_from(*begins) < motion_limits::chaos_range_after * ranges_.back()) return std::nullopt;
    return visible;
  }

  [[nodiscard]] std::optional<double> time_s(std::optional<std::size_t> row) const {
    return row ? std::optional(times_s_[*row]) : std::nullopt;
  }

 private:
  [[nodiscard]] double half_range_from(std::size_t row) const {
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(row);
    const auto [least, most] = std::minmax_element(begin, values_.end());
    return 0.5 * (*most - *least);
  }

  const std::vector<double>& times_s_;
  const std::vector<double>& values_;
  const std::vector<double>& errors_;
  double scale_;
  std::vector<double> ranges_;  ///< half of them, so far
};

}  // namespace ergon

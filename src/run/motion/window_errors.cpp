#include "ergon/run/motion/window_errors.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {
namespace {

namespace limits = motion_limits;

/// Smallest and largest value in a window.
struct Span {
  double least = 0.0;
  double most = 0.0;

  [[nodiscard]] double width() const { return most - least; }
  /// How far the other one sticks out.
  [[nodiscard]] double exceeded_by(const Span& other) const {
    return std::max({0.0, least - other.least, other.most - most});
  }
};

Span hull(const std::vector<Span>& windows, std::size_t begin, std::size_t end) {
  Span all = windows[begin];
  for (std::size_t r = begin + 1; r < end; ++r) {
    all.least = std::min(all.least, windows[r].least);
    all.most = std::max(all.most, windows[r].most);
  }
  return all;
}

/// Rows in whose window the output changes far more than in the windows before and after. `period`: rows in which it has one point.
std::vector<std::size_t> jumps(const std::vector<Span>& windows, std::size_t period) {
  std::vector<std::size_t> rows;
  const auto width_up_to = [&](std::size_t r) { return hull(windows, r + 1 - period, r + 1).width(); };
  for (std::size_t r = 2 * period; r + period < windows.size(); ++r) {
    if (windows[r].width() == 0.0) continue;
    const double beside = std::max(width_up_to(r - period), width_up_to(r + period));
    if (windows[r].width() > limits::jump_over_neighbours * beside) rows.push_back(r);
  }
  return rows;
}

}  // namespace

std::vector<double> window_errors(const MotionSamples& run, const MotionSamples& check_run, std::size_t rows,
                                  const Comparison& comparison) {
  const std::size_t v = comparison.output;
  std::vector<double> errors(rows);
  if (comparison.turn > 0.0) {
    for (std::size_t r = 0; r < rows; ++r)
      errors[r] = std::abs(std::remainder(run.value(r, v) - check_run.value(r, v), comparison.turn));
    return errors;
  }
  std::vector<Span> ours(rows);
  std::vector<Span> theirs(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const bool negated = !comparison.negated.empty() && comparison.negated[r];
    ours[r] = {run.least(r, v), run.most(r, v)};
    theirs[r] = {check_run.least(r, v), check_run.most(r, v)};
    if (negated) theirs[r] = {-theirs[r].most, -theirs[r].least};
    const double value = negated ? -check_run.value(r, v) : check_run.value(r, v);
    errors[r] = std::abs(run.value(r, v) - value);
    // With step control both have points of their own; where the sign changes, extremes are those of both signs.
    const bool changes_sign = !comparison.negated.empty() && r > 0 && comparison.negated[r - 1] != negated;
    if (run.controlled() || changes_sign) continue;
    errors[r] = std::max(
        {errors[r], std::abs(ours[r].least - theirs[r].least), std::abs(ours[r].most - theirs[r].most)});
  }
  if (rows < 2 || run.controlled()) return errors;
  const std::size_t period = run.rows_per_point(v);
  std::vector<bool> is_near(rows, false);
  const auto shift_at = [&](std::size_t r) {
    const double of_time = limits::jump_shift_of_time * static_cast<double>(r);
    return period + static_cast<std::size_t>(std::ceil(of_time));
  };
  for (const auto* windows : {&ours, &theirs}) {
    for (const std::size_t jump : jumps(*windows, period)) {
      const std::size_t shift = shift_at(jump);
      const std::size_t end = std::min(rows, jump + shift + 1);
      for (std::size_t r = jump - std::min(jump, shift); r < end; ++r) is_near[r] = true;
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    if (!is_near[r]) continue;
    const std::size_t shift = shift_at(r);
    const std::size_t begin = r - std::min(r, shift);
    const std::size_t end = std::min(rows, r + shift + 1);
    errors[r] = std::min(errors[r], std::max(hull(theirs, begin, end).exceeded_by(ours[r]),
                                             hull(ours, begin, end).exceeded_by(theirs[r])));
  }
  return errors;
}

}  // namespace ergon

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

/// As many windows as usual, of several rows each: what a jump is must not depend on how many rows there are.
std::vector<Span> merged(const std::vector<Span>& windows, std::size_t rows_per_window) {
  std::vector<Span> all;
  for (std::size_t r = 0; r < windows.size(); r += rows_per_window)
    all.push_back(hull(windows, r, std::min(windows.size(), r + rows_per_window)));
  return all;
}

/// Windows in which the output changes far more than in the windows before and after. `period`: rows in which it has one point.
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

/// Both runs in windows of several rows, and which of these are near a jump.
struct Windows {
  std::size_t rows_per_window = 1;
  std::size_t period = 1;  ///< windows in which the output has one point
  std::vector<Span> ours;
  std::vector<Span> theirs;
  std::vector<bool> is_near;

  /// So many windows earlier or later a jump may come in the other run.
  [[nodiscard]] std::size_t shift_at(std::size_t w) const {
    const double of_time = limits::jump_shift_of_time * static_cast<double>(w);
    return period + static_cast<std::size_t>(std::ceil(of_time));
  }
};

Windows windows_of(const std::vector<Span>& ours, const std::vector<Span>& theirs,
                   std::size_t rows_per_point) {
  Windows w;
  w.rows_per_window = (ours.size() + MotionSamples::usual_rows - 1) / MotionSamples::usual_rows;
  w.period = (rows_per_point + w.rows_per_window - 1) / w.rows_per_window;
  w.ours = merged(ours, w.rows_per_window);
  w.theirs = merged(theirs, w.rows_per_window);
  w.is_near.assign(w.ours.size(), false);
  for (const auto* windows : {&w.ours, &w.theirs}) {
    for (const std::size_t jump : jumps(*windows, w.period)) {
      const std::size_t shift = w.shift_at(jump);
      const std::size_t end = std::min(windows->size(), jump + shift + 1);
      for (std::size_t k = jump - std::min(jump, shift); k < end; ++k) w.is_near[k] = true;
    }
  }
  return w;
}

std::vector<Span> spans_of(const MotionSamples& samples, std::size_t rows, std::size_t v) {
  std::vector<Span> spans(rows);
  for (std::size_t r = 0; r < rows; ++r) spans[r] = {samples.least(r, v), samples.most(r, v)};
  return spans;
}

}  // namespace

std::vector<bool> rows_near_jumps(const MotionSamples& run, const MotionSamples& check_run, std::size_t rows,
                                  std::size_t output) {
  std::vector<bool> is_near(rows, false);
  if (rows < 2 || run.controlled()) return is_near;
  const Windows windows =
      windows_of(spans_of(run, rows, output), spans_of(check_run, rows, output), run.rows_per_point(output));
  for (std::size_t r = 0; r < rows; ++r) is_near[r] = windows.is_near[r / windows.rows_per_window];
  return is_near;
}

std::vector<double> window_errors(const MotionSamples& run, const MotionSamples& check_run, std::size_t rows,
                                  const Comparison& comparison) {
  const std::size_t v = comparison.output;
  std::vector<double> errors(rows);
  if (comparison.turn > 0.0) {
    for (std::size_t r = 0; r < rows; ++r)
      errors[r] = std::abs(std::remainder(run.value(r, v) - check_run.value(r, v), comparison.turn));
    return errors;
  }
  const std::vector<Span> ours = spans_of(run, rows, v);
  std::vector<Span> theirs = spans_of(check_run, rows, v);
  for (std::size_t r = 0; r < rows; ++r) {
    const bool negated = !comparison.negated.empty() && comparison.negated[r];
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
  const Windows windows = windows_of(ours, theirs, run.rows_per_point(v));
  for (std::size_t w = 0; w < windows.is_near.size(); ++w) {
    if (!windows.is_near[w]) continue;
    const std::size_t shift = windows.shift_at(w);
    const std::size_t begin = w - std::min(w, shift);
    const std::size_t end = std::min(windows.is_near.size(), w + shift + 1);
    const Span their_hull = hull(windows.theirs, begin, end);
    const Span our_hull = hull(windows.ours, begin, end);
    const std::size_t first = w * windows.rows_per_window;
    for (std::size_t r = first; r < std::min(rows, first + windows.rows_per_window); ++r)
      errors[r] =
          std::min(errors[r], std::max(their_hull.exceeded_by(ours[r]), our_hull.exceeded_by(theirs[r])));
  }
  return errors;
}

}  // namespace ergon

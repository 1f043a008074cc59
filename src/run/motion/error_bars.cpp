#include "ergon/run/motion/error_bars.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/run/motion/motion_limits.hpp"
#include "ergon/run/motion/window_errors.hpp"

namespace ergon {
namespace {

namespace limits = motion_limits;

/// Near a jump values at one instant are not compared, and bars are smaller than their difference.
bool is_near_jump(double error, double bar, double difference) {
  constexpr double rounding = 0.999;
  return error < rounding * bar * std::abs(difference);
}

/// Rows of both at which the output was taken at one and the same instant.
struct SharedRow {
  std::size_t ours = 0;
  std::size_t theirs = 0;
};

std::vector<SharedRow> shared_rows(const MotionSamples& run, const MotionSamples& other, std::size_t rows,
                                   std::size_t output) {
  std::vector<SharedRow> shared;
  const double rounding_s = 1e-9 * std::abs(run.time_s(rows - 1) - run.time_s(0));
  for (SharedRow r; r.ours < rows && r.theirs < other.rows();) {
    const double later_s = run.time_s(r.ours) - other.time_s(r.theirs);
    if (std::abs(later_s) <= rounding_s) {
      if (std::abs(run.taken_at_s(r.ours, output) - other.taken_at_s(r.theirs, output)) <= rounding_s)
        shared.push_back(r);
      ++r.ours;
      ++r.theirs;
    } else {
      ++(later_s < 0.0 ? r.ours : r.theirs);
    }
  }
  return shared;
}

}  // namespace

double bar_of(double step_factor) {
  if (step_factor > 1.0) return limits::bar_of_double_steps;
  constexpr double half = 0.5;
  return step_factor < half ? limits::bar_of_quarter_steps : limits::bar_of_half_steps;
}

double sum_of_two_orders(double f, double d_f, double g, double d_g) {
  const double B = (d_g / (g - 1.0) - d_f / (f - 1.0)) / (g - f);
  return d_f / (f - 1.0) - f * B;
}

void include_both_orders(const Differences& known, std::vector<double>& errors) {
  const MotionSamples& further = *known.further.samples;
  const std::size_t v = known.output;
  if (further.rows() < errors.size()) return;
  const auto to_further = [&](std::size_t r) { return further.value(r, v) - known.run.value(r, v); };
  const auto to_fine = [&](std::size_t r) { return known.check_run.value(r, v) - known.run.value(r, v); };
  double coarse = 0.0;
  double fine = 0.0;
  for (std::size_t r = 0; r < errors.size(); ++r) {
    coarse = std::max(coarse, std::abs(to_further(r)));
    fine = std::max(fine, std::abs(to_fine(r)));
  }
  const bool at_double = known.further.step_factor > 1.0;
  // Beyond that they are not small any more, or not those of two orders.
  if (!(coarse < limits::still_small * known.scale)) return;
  if (at_double && !(coarse <= limits::difference_of_orders * fine)) return;
  // Where the differences are those of order one and two, both tell more than the smaller one alone.
  const bool is_usual = at_double && coarse < limits::small * known.scale &&
                        coarse >= limits::least_of_two_orders * fine &&
                        coarse <= limits::most_of_two_orders * fine;
  for (std::size_t r = 0; r < errors.size(); ++r) {
    if (is_near_jump(errors[r], bar_of(known.step_factor), to_fine(r))) continue;
    const double both =
        sum_of_two_orders(known.step_factor, to_fine(r), known.further.step_factor, to_further(r));
    const double least = is_usual ? limits::least_bar_of_half_steps * std::abs(to_fine(r)) : errors[r];
    errors[r] = std::max(least, limits::bar_of_both_orders * std::abs(both));
  }
}

bool widen_by_larger_steps(const Differences& known, std::vector<double>& errors) {
  const MotionSamples& at_four = *known.further.samples;
  const std::size_t v = known.output;
  std::vector<SharedRow> rows = shared_rows(known.run, at_four, errors.size(), v);
  const double begin_s = known.run.time_s(0);
  const double end_s = begin_s + known.further.part * (known.run.time_s(errors.size() - 1) - begin_s);
  std::erase_if(rows, [&](const SharedRow& r) { return known.run.time_s(r.ours) > end_s; });
  if (rows.size() < limits::fewest_rows_judged) return false;
  const auto difference = [&](const MotionSamples& other, std::size_t theirs, std::size_t ours) {
    return other.value(theirs, v) - known.run.value(ours, v);
  };
  const std::vector<bool> is_near = rows_near_jumps(known.run, known.check_run, errors.size(), v);
  double largest = 0.0;
  for (const SharedRow& r : rows) {
    if (is_near[r.ours]) continue;
    const double d = std::abs(difference(at_four, r.theirs, r.ours));
    if (!(d <= largest)) largest = d;
  }
  if (!(largest < limits::still_small * known.scale)) return false;
  for (const SharedRow& r : rows) {
    if (is_near[r.ours]) continue;
    double& error = errors[r.ours];
    const double to_double = difference(known.check_run, r.ours, r.ours);
    const double both = sum_of_two_orders(known.step_factor, to_double, known.further.step_factor,
                                          difference(at_four, r.theirs, r.ours));
    error = std::max(error, limits::bar_of_both_orders * std::abs(both));
  }
  return true;
}

double include_swings(const MotionSamples& smaller_steps, std::size_t output, std::vector<double>& errors) {
  double largest = 0.0;
  if (!smaller_steps.watches_swings()) return largest;
  const std::size_t rows = std::min(errors.size(), smaller_steps.rows());
  for (std::size_t r = 0; r < rows; ++r) {
    const double swing = smaller_steps.swing(r, output);
    errors[r] = std::max(errors[r], limits::bar_of_swing * swing);
    largest = std::max(largest, swing);
  }
  return largest;
}

}  // namespace ergon

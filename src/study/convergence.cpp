#include "ergon/study/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon::study {
namespace {

/// Neighbouring observed orders that differ by less follow one order.
constexpr double same_order = 0.35;
/// Observed orders this near to a whole number are it: methods have whole orders.
constexpr double near_whole = 0.2;
/// What is less is no convergence that one can extrapolate with.
constexpr double least_order = 0.4;
/// Last digits of a run of many steps.
constexpr double digits_lost = 1e4;
/// Of the size: what varies less does not move.
constexpr double stillness = 1e-12;
/// Of half the range: differences below that which grow as steps shrink are last digits that add up.
constexpr double added_digits = 1e-7;
/// Time is looked at in so many stretches for an event.
constexpr std::size_t stretches = 16;
/// A solver is off by several of its tolerances.
constexpr double tolerances = 100.0;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t begin,
                          std::size_t end) {
  double largest = 0.0;
  for (std::size_t i = begin; i < end; ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;  // a NaN stays
  }
  return largest;
}

double snapped(double order) {
  const double whole = std::round(order);
  return std::abs(order - whole) <= near_whole && whole >= 1.0 ? whole : order;
}

/// Levels whose orders agree: the finest such run of at least two, or the only order there is.
struct OrderRange {
  double order = 0.0;
  std::size_t last = 0;  ///< number of the last of `orders` that follows it
};
std::optional<OrderRange> following(const std::vector<double>& orders) {
  for (std::size_t k = orders.size(); k-- > 1;) {
    if (std::abs(orders[k] - orders[k - 1]) <= same_order && orders[k] >= least_order)
      return OrderRange{orders[k], k};
  }
  if (orders.size() == 1 && orders[0] >= least_order) return OrderRange{orders[0], 0};
  return std::nullopt;
}

std::vector<double> extrapolated(const std::vector<double>& coarse, const std::vector<double>& fine,
                                 double order) {
  std::vector<double> values(fine.size());
  const double factor = 1.0 / (std::exp2(order) - 1.0);
  for (std::size_t i = 0; i < fine.size(); ++i) values[i] = fine[i] + factor * (fine[i] - coarse[i]);
  return values;
}

/// The first stretch of time from which on differences follow no order, where they do in those before.
std::optional<double> time_of_loss(std::span<const std::vector<double>> levels,
                                   std::span<const double> times_s, double floor) {
  const std::size_t n = levels.size();
  const std::size_t count = times_s.size();
  bool any_kept = false;
  std::optional<double> lost;
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = s * count / stretches;
    const std::size_t end = (s + 1) * count / stretches;
    if (begin == end) continue;
    const double coarse = largest_difference(levels[n - 3], levels[n - 2], begin, end);
    const double fine = largest_difference(levels[n - 2], levels[n - 1], begin, end);
    if (coarse <= floor && fine <= floor) continue;
    const double order = std::log2(coarse / fine);
    bool keeps = order >= least_order;
    if (n > 3) {
      const double coarser = largest_difference(levels[n - 4], levels[n - 3], begin, end);
      keeps = keeps && std::abs(std::log2(coarser / coarse) - order) <= 2.0 * same_order;
    }
    if (keeps && !lost) any_kept = true;
    if (!keeps && !lost) lost = times_s[begin];
  }
  return any_kept ? lost : std::nullopt;
}

}  // namespace

std::string_view name_of(OrderLoss loss) {
  switch (loss) {
    case OrderLoss::none:
      return "none";
    case OrderLoss::still:
      return "still";
    case OrderLoss::round_off:
      return "round-off";
    case OrderLoss::solver_noise:
      return "solver-noise";
    case OrderLoss::event:
      return "event";
    case OrderLoss::too_coarse:
      return "too-coarse";
    case OrderLoss::diverges:
      break;
  }
  return "diverges";
}

VariableConvergence analyse_convergence(std::span<const std::vector<double>> levels,
                                        std::span<const double> times_s, double solver_noise) {
  VariableConvergence v;
  const std::size_t n = levels.size();
  const std::vector<double>& finest = levels[n - 1];
  const auto [low, high] = std::minmax_element(finest.begin(), finest.end());
  v.half_range = 0.5 * (*high - *low);
  const double size = std::max(std::abs(*low), std::abs(*high));
  v.last_value = finest.back();
  const bool is_finite = std::all_of(levels.begin(), levels.end(), [](const auto& level) {
    return std::all_of(level.begin(), level.end(), [](double x) { return std::isfinite(x); });
  });
  for (std::size_t k = 0; k + 1 < n; ++k)
    v.differences.push_back(largest_difference(levels[k], levels[k + 1], 0, times_s.size()));
  for (std::size_t k = 0; k + 1 < v.differences.size(); ++k)
    v.orders.push_back(std::log2(v.differences[k] / v.differences[k + 1]));
  const double infinite = std::numeric_limits<double>::infinity();
  if (!is_finite) {
    v.loss = OrderLoss::diverges;
    v.errors = v.bars = std::vector<double>(n, infinite);
    v.last_value_bar = infinite;
    return v;
  }
  const double round_off = digits_lost * std::numeric_limits<double>::epsilon() * size;
  if (v.half_range <= stillness * size ||
      *std::max_element(v.differences.begin(), v.differences.end()) <= round_off) {
    v.loss = v.half_range <= stillness * size ? OrderLoss::still : OrderLoss::round_off;
    // All levels agree to the last digits: that is the bar.
    const double bar = *std::max_element(v.differences.begin(), v.differences.end());
    v.errors = std::vector<double>(n, bar);
    v.bars = std::vector<double>(n, bar + round_off / digits_lost);
    v.last_value_bar = v.bars.back();
    return v;
  }

  // Differences of round-off have no order.
  std::vector<double> orders = v.orders;
  while (!orders.empty() && v.differences[orders.size()] <= round_off) orders.pop_back();
  const auto range = following(orders);
  const std::size_t last_order = v.orders.size() - 1;
  const bool follows_to_the_end = range && range->last == last_order;
  if (range) {
    v.order = snapped(range->order);
    if (!follows_to_the_end) v.lost_at_level = range->last + 3;
  }
  if (!follows_to_the_end) {
    const double last = v.differences.back();
    if (last <= round_off || (last <= added_digits * v.half_range && last >= v.differences.front())) {
      v.loss = OrderLoss::round_off;
    } else if (solver_noise > 0.0 && last <= tolerances * solver_noise * size) {
      v.loss = OrderLoss::solver_noise;
    } else if (n >= 3 && (v.lost_at_s = time_of_loss(levels, times_s, round_off))) {
      v.loss = OrderLoss::event;
    } else {
      v.loss = v.differences.back() >= v.differences.front() ? OrderLoss::diverges : OrderLoss::too_coarse;
    }
  }

  v.errors.resize(n);
  v.bars.resize(n);
  if (follows_to_the_end && n >= 3) {
    const std::vector<double> best = extrapolated(levels[n - 2], finest, *v.order);
    const std::vector<double> one_less = extrapolated(levels[n - 3], levels[n - 2], *v.order);
    const double doubt = largest_difference(best, one_less, 0, times_s.size()) + round_off / digits_lost;
    for (std::size_t k = 0; k < n; ++k) {
      v.errors[k] = largest_difference(levels[k], best, 0, times_s.size());
      v.bars[k] = v.errors[k] + doubt;
    }
    v.last_value = best.back();
    v.last_value_bar = doubt;
    return v;
  }
  // Without an order the last difference may by chance be small: those before it, as if errors halved with the steps, bound it, too.
  const double last = v.differences.back();
  double doubt = 2.0 * last;
  if (v.loss != OrderLoss::round_off && v.loss != OrderLoss::solver_noise) {
    constexpr std::size_t looked_at = 3;
    constexpr double margin = 1.5;
    doubt = 0.0;
    for (std::size_t k = 0; k < std::min(looked_at, v.differences.size()); ++k)
      doubt = std::max(
          doubt, margin * std::ldexp(v.differences[v.differences.size() - 1 - k], -static_cast<int>(k)));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double to_finest = largest_difference(levels[k], finest, 0, times_s.size());
    v.errors[k] = k + 1 == n ? last : to_finest;
    v.bars[k] = v.loss == OrderLoss::diverges ? infinite : to_finest + doubt;
  }
  v.last_value_bar = v.bars.back();
  return v;
}

std::optional<double> step_for(const VariableConvergence& v, double smallest_step_s, double wanted) {
  if (v.bars.empty()) return std::nullopt;
  const double allowed = wanted * v.half_range;
  if (!v.order || v.half_range <= 0.0) return std::nullopt;
  const std::size_t n = v.bars.size();
  // The finest level that follows the order tells; below it there may be a floor.
  const std::size_t level = v.lost_at_level ? *v.lost_at_level - 1 : n - 1;
  const double step_s = std::ldexp(smallest_step_s, static_cast<int>(n - 1 - level));
  const double floor = v.loss == OrderLoss::none ? 0.0 : *std::min_element(v.bars.begin(), v.bars.end());
  if (!(allowed > floor) || !(v.bars[level] > 0.0)) return std::nullopt;
  // Farther than four halvings from what was tried an order is a guess.
  const double factor = std::pow(allowed / v.bars[level], 1.0 / *v.order);
  return step_s * std::clamp(factor, 1.0 / 1024.0, std::exp2(static_cast<double>(level)));
}

}  // namespace ergon::study

#include "ergon/coupling/books/power_trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/coupling/books/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;

void PowerTrace::Cell::merge(const Cell& other) {
  time_s += other.time_s;
  exchanged_J += other.exchanged_J;
  residual_J += other.residual_J;
  residual_W2s += other.residual_W2s;
  created_J = std::max(created_J, other.created_J);
}

double PowerTrace::Cell::level_W() const {
  return time_s > 0.0 ? std::sqrt(residual_W2s / time_s) : 0.0;
}

void PowerTrace::start(const BondRecord& bond) {
  power_W_ = bond.power_into_b_W;
}

void PowerTrace::learn_power(const BondRecord& bond, double H_s, std::size_t window) {
  time_s_ += H_s;
  if (bond.correction_capped) limited_s_ += H_s;
  passed_J_ += 0.5 * (power_W_ + bond.power_into_b_W) * H_s;
  power_W_ = bond.power_into_b_W;
  least_J_ = std::min(least_J_, passed_J_);
  most_J_ = std::max(most_J_, passed_J_);
  Cell& cell = windows_[window];
  cell.time_s += H_s;
  cell.exchanged_J += bond.exchanged_energy_J - exchanged_J_;
  exchanged_J_ = bond.exchanged_energy_J;
  finite_ = finite_ && std::isfinite(cell.exchanged_J);
}

void PowerTrace::learn_created(double created_J, double H_s, std::size_t window) {
  const double swing_J = most_J_ - least_J_;
  if (std::abs(created_J) > std::abs(largest_created_J_)) largest_created_J_ = created_J;
  if (std::abs(largest_created_J_) <= limits::honest_swing * swing_J) honest_swing_J_ = swing_J;

  const double residual_J = created_J - created_J_;
  created_J_ = created_J;
  Cell& cell = windows_[window];
  cell.residual_J += std::abs(residual_J);
  cell.residual_W2s += residual_J * residual_J / H_s;
  cell.created_J = std::max(cell.created_J, std::abs(created_J));
  finite_ = finite_ && std::isfinite(cell.residual_W2s);
}

double PowerTrace::swing_J() const {
  return honest_swing_J_ > 0.0 ? honest_swing_J_ : most_J_ - least_J_;
}

double PowerTrace::created_ratio() const {
  if (largest_created_J_ == 0.0) return 0.0;
  const double swing = swing_J();
  return swing > 0.0 ? std::abs(largest_created_J_) / swing : std::numeric_limits<double>::infinity();
}

std::size_t PowerTrace::used() const {
  std::size_t n = windows_.size();
  while (n > 0 && windows_[n - 1].time_s == 0.0) --n;
  return n;
}

double PowerTrace::growth() const {
  const std::size_t n = used();
  const std::size_t quarter = n / 4;
  if (quarter == 0) return 1.0;
  Cell first;
  Cell last;
  for (std::size_t i = 0; i < quarter; ++i) {
    first.merge(windows_[i]);
    last.merge(windows_[n - 1 - i]);
  }
  if (!(first.exchanged_J > 0.0) || !(last.time_s > 0.0)) return 1.0;
  return (last.exchanged_J / last.time_s) / (first.exchanged_J / first.time_s);
}

PowerTrace::Span PowerTrace::creation() const {
  const double all_J = std::abs(largest_created_J_);
  const auto first_above = [&](double share) {
    const auto found = std::find_if(windows_.begin(), windows_.end(),
                                    [&](const Cell& c) { return c.created_J >= share * all_J; });
    return static_cast<std::size_t>(found - windows_.begin());
  };
  return {first_above(limits::creation_begins), first_above(1.0 - limits::creation_begins)};
}

std::optional<PowerTrace::SuddenChange> PowerTrace::sudden_change(std::vector<double>& scratch) const {
  const auto median = [&](auto&& value_of) {
    scratch.clear();
    for (const Cell& cell : windows_) {
      if (cell.time_s > 0.0) scratch.push_back(value_of(cell));
    }
    const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(scratch.size() / 2);
    std::nth_element(scratch.begin(), middle, scratch.end());
    return *middle;
  };
  if (static_cast<std::size_t>(std::count_if(windows_.begin(), windows_.end(), [](const Cell& c) {
        return c.time_s > 0.0;
      })) < limits::fewest_windows) {
    return std::nullopt;
  }
  const double power_W = median([](const Cell& c) { return c.exchanged_J / c.time_s; });
  const double share = median([](const Cell& c) { return c.share(); });
  const double usual_W =
      std::max(median([](const Cell& c) { return c.level_W(); }), limits::negligible_residual * power_W);
  if (!(usual_W > 0.0)) return std::nullopt;

  const double least_share = std::max(limits::sudden_share, limits::sudden_share_rise * share);
  SuddenChange change;
  double residual_J = 0.0;
  double elsewhere_J = 0.0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const Cell& cell = windows_[i];
    const double level = cell.level_W() / usual_W;
    if (i < limits::start_up_windows || level < limits::sudden_level || cell.share() < least_share) {
      elsewhere_J += cell.exchanged_J;
      continue;
    }
    const bool goes_on = change.count > 0 && (i - change.bursts[change.count - 1].windows.last <=
                                                  limits::windows_within_burst + 1 ||
                                              change.count == SuddenChange::most_bursts);
    if (!goes_on) change.bursts[change.count++] = {{i, i}, level};
    SuddenChange::Burst& burst = change.bursts[change.count - 1];
    burst.windows.last = i;
    burst.level = std::max(burst.level, level);
    residual_J += cell.residual_J;
  }
  if (change.count == 0) return std::nullopt;
  change.energy_ratio =
      elsewhere_J > 0.0 ? residual_J / elsewhere_J : std::numeric_limits<double>::infinity();
  return change;
}

}  // namespace ergon

#include "ergon/verdict/power_traces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/numerics/lanes.hpp"
#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;

/// The power of a point: pointers to the first numbers of all bonds, those of the window to its row.
struct PowerTraces::PowerWork {
  const double* new_power_W;
  const double* new_exchanged_J;
  double* power_W;
  double* passed_J;
  double* min_J;
  double* max_J;
  double* exchanged_J;
  double* window_exchanged_J;
  double H_s;

  /// Also returns the least and the most that has been passed on.
  template <class Number>
  [[gnu::always_inline]] void observe(std::size_t i, Number& least, Number& most) const {
    Number power;
    Number last_power;
    Number passed;
    lanes::load(power, new_power_W + i);
    lanes::load(last_power, power_W + i);
    lanes::load(passed, passed_J + i);
    passed = passed + 0.5 * (last_power + power) * H_s;
    Number exchanged;
    Number last_exchanged;
    Number in_window;
    lanes::load(exchanged, new_exchanged_J + i);
    lanes::load(last_exchanged, exchanged_J + i);
    lanes::load(in_window, window_exchanged_J + i);
    lanes::store(window_exchanged_J + i, Number(in_window + (exchanged - last_exchanged)));
    lanes::store(power_W + i, power);
    lanes::store(passed_J + i, passed);
    lanes::load(least, min_J + i);
    lanes::load(most, max_J + i);
    least = passed < least ? passed : least;
    most = most < passed ? passed : most;
    lanes::store(min_J + i, least);
    lanes::store(max_J + i, most);
    lanes::store(exchanged_J + i, exchanged);
  }
  template <class Number>
  [[gnu::always_inline]] void at(std::size_t i) const {
    Number least;
    Number most;
    observe(i, least, most);
  }
};

/// What was created until a point.
struct PowerTraces::CreatedWork {
  const double* new_created_J;
  double* created_J;
  double* largest_J;
  double* range_before_fault_J;
  double* window_residual_J;
  double* window_residual_W2s;
  double* window_created_J;

  /// `H_s` after the one before: a number for all of them, or one for each. `least`, `most`: passed on so far.
  template <class Number, class Time>
  [[gnu::always_inline]] void observe(std::size_t i, const Time& H_s, const Number& least,
                                      const Number& most) const {
    Number created;
    Number amount;
    lanes::load(created, new_created_J + i);
    lanes::magnitude(amount, created);
    Number largest;
    Number largest_amount;
    lanes::load(largest, largest_J + i);
    lanes::magnitude(largest_amount, largest);
    largest = amount > largest_amount ? created : largest;
    lanes::magnitude(largest_amount, largest);
    lanes::store(largest_J + i, largest);
    const Number swing = most - least;
    Number honest;
    lanes::load(honest, range_before_fault_J + i);
    lanes::store(range_before_fault_J + i,
                 Number(largest_amount <= limits::range_before_fault * swing ? swing : honest));
    Number residual;
    Number size;
    lanes::load(residual, created_J + i);
    residual = created - residual;
    lanes::magnitude(size, residual);
    lanes::store(created_J + i, created);
    Number in_window;
    lanes::load(in_window, window_residual_J + i);
    lanes::store(window_residual_J + i, Number(in_window + size));
    lanes::load(in_window, window_residual_W2s + i);
    lanes::store(window_residual_W2s + i, Number(in_window + residual * residual / H_s));
    lanes::load(in_window, window_created_J + i);
    lanes::store(window_created_J + i, Number(in_window < amount ? amount : in_window));
  }
};

/// Both at once, where (2) is what was created.
struct PowerTraces::InterfaceWork {
  PowerWork power;
  CreatedWork created;
  template <class Number>
  [[gnu::always_inline]] void at(std::size_t i) const {
    Number least;
    Number most;
    power.observe(i, least, most);
    created.observe(i, power.H_s, least, most);
  }
};

struct PowerTraces::ImbalanceWork {
  CreatedWork created;
  const double* min_J;
  const double* max_J;
  double* imbalance_time_s;
  double time_s;
  template <class Number>
  [[gnu::always_inline]] void at(std::size_t i) const {
    Number H_s;
    lanes::load(H_s, imbalance_time_s + i);
    const Number now_s = time_s + Number{};
    H_s = now_s - H_s;
    lanes::store(imbalance_time_s + i, now_s);
    Number least;
    Number most;
    lanes::load(least, min_J + i);
    lanes::load(most, max_J + i);
    created.observe(i, H_s, least, most);
  }
};

PowerTraces::PowerTraces(std::size_t bonds)
    : bonds_(bonds), row_((bonds + 7) / 8 * 8), last_time_s_(bonds), imbalance_time_s_(bonds) {
  for (NumberArray* figure : state_.all()) figure->resize(bonds);
  for (NumberArray* figure : windows_.all()) figure->resize(TimeWindows::capacity * row_);
}

void PowerTraces::start(const BondFigures& figures, double time_s) {
  state_.power_W = figures.power_into_b_W;
  for (auto* times : {&last_time_s_, &imbalance_time_s_}) std::fill(times->begin(), times->end(), time_s);
}

[[gnu::always_inline]] inline PowerTraces::PowerWork PowerTraces::power_work(const BondFigures& figures,
                                                                             double H_s, std::size_t window) {
  return {figures.power_into_b_W.data(),
          figures.exchanged_energy_J.data(),
          state_.power_W.data(),
          state_.passed_J.data(),
          state_.min_J.data(),
          state_.max_J.data(),
          state_.exchanged_J.data(),
          windows_.exchanged_J.data() + window * row_,
          H_s};
}

[[gnu::always_inline]] inline PowerTraces::CreatedWork PowerTraces::created_work(const double* created_J,
                                                                                 std::size_t first,
                                                                                 std::size_t window) {
  const std::size_t in_window = window * row_ + first;
  return {created_J,
          state_.created_J.data() + first,
          state_.largest_J.data() + first,
          state_.range_before_fault_J.data() + first,
          windows_.residual_J.data() + in_window,
          windows_.residual_W2s.data() + in_window,
          windows_.created_J.data() + in_window};
}

[[gnu::always_inline]] inline PowerTraces::ImbalanceWork PowerTraces::imbalance_work(const double* created_J,
                                                                                     std::size_t first,
                                                                                     double time_s,
                                                                                     std::size_t window) {
  return {created_work(created_J, first, window), state_.min_J.data() + first, state_.max_J.data() + first,
          imbalance_time_s_.data() + first, time_s};
}

bool PowerTraces::observe_all(const BondFigures& figures, double time_s, std::size_t window, bool interface) {
  if (bonds_ == 0) return false;
  if (!in_step_) {
    common_time_s_ = last_time_s_.front();
    in_step_ = std::all_of(last_time_s_.begin(), last_time_s_.end(),
                           [&](double last_s) { return last_s == common_time_s_; });
  }
  const double H_s = time_s - common_time_s_;
  if (!in_step_ || !(H_s > 0.0)) return false;
  common_time_s_ = time_s;
  common_step_s_ = H_s;
  if (same_points_) {
    common_window_s_[window] += H_s;
  } else {
    double* const row = windows_.time_s.data() + window * row_;
    for (std::size_t bond = 0; bond < bonds_; ++bond) row[bond] += H_s;
  }
  if (interface) {
    lanes::treat(
        bonds_, [&]() __attribute__((always_inline)) {
          return InterfaceWork{power_work(figures, H_s, window),
                               created_work(figures.interface_energy_J.data(), 0, window)};
        });
  } else {
    lanes::treat(
        bonds_, [&]() __attribute__((always_inline)) { return power_work(figures, H_s, window); });
  }
  return true;
}

void PowerTraces::expand_times() {
  if (in_step_) std::fill(last_time_s_.begin(), last_time_s_.end(), common_time_s_);
  in_step_ = false;
  if (!same_points_) return;
  same_points_ = false;
  for (std::size_t w = 0; w < TimeWindows::capacity; ++w)
    std::fill_n(windows_.time_s.data() + w * row_, bonds_, common_window_s_[w]);
}

void PowerTraces::observe_power(const BondFigures& figures, std::size_t bond, double H_s,
                                std::size_t window) {
  windows_.time_s[window * row_ + bond] += H_s;
  power_work(figures, H_s, window).at<double>(bond);
}

void PowerTraces::observe_interface(std::size_t bond, double created_J, double H_s, std::size_t window) {
  created_work(&created_J, bond, window).observe(0, H_s, state_.min_J[bond], state_.max_J[bond]);
}

void PowerTraces::observe_imbalance(std::size_t bond, double created_J, double time_s, std::size_t window) {
  imbalance_work(&created_J, bond, time_s, window).at<double>(0);
}

void PowerTraces::observe_imbalances(std::span<const double> created_J, double time_s, std::size_t window) {
  lanes::treat(
      bonds_, [&]() __attribute__((always_inline)) {
        return imbalance_work(created_J.data(), 0, time_s, window);
      });
}

void PowerTraces::widen() {
  if (bonds_ == 0) return;
  const auto sum = [](double a, double b) { return a + b; };
  for (NumberArray* figure : {&windows_.exchanged_J, &windows_.residual_J, &windows_.residual_W2s})
    TimeWindows::merge_pairs(std::span(*figure), row_, sum);
  if (!same_points_) TimeWindows::merge_pairs(std::span(windows_.time_s), row_, sum);
  TimeWindows::merge_pairs(std::span(windows_.created_J), row_,
                           [](double a, double b) { return std::max(a, b); });
  TimeWindows::merge_pairs(std::span<double>(common_window_s_), 1, sum);
}

/// What is not finite stays so in its window, however often windows are merged.
bool PowerTraces::finite(std::size_t bond) const {
  for (std::size_t w = 0; w < TimeWindows::capacity; ++w) {
    const Cell window = cell(bond, w);
    if (!std::isfinite(window.exchanged_J) || !std::isfinite(window.residual_W2s)) return false;
  }
  return true;
}

double PowerTraces::peak_to_peak_J(std::size_t bond) const {
  const double honest_J = state_.range_before_fault_J[bond];
  return honest_J > 0.0 ? honest_J : state_.max_J[bond] - state_.min_J[bond];
}

double PowerTraces::created_ratio(std::size_t bond) const {
  if (created_J(bond) == 0.0) return 0.0;
  const double swing = peak_to_peak_J(bond);
  return swing > 0.0 ? std::abs(created_J(bond)) / swing : std::numeric_limits<double>::infinity();
}

double PowerTraces::growth(std::size_t bond) const {
  std::size_t n = TimeWindows::capacity;
  while (n > 0 && cell(bond, n - 1).time_s == 0.0) --n;
  const std::size_t quarter = n / 4;
  if (quarter == 0) return 1.0;
  Cell first;
  Cell last;
  const auto add = [](Cell& sum, const Cell& window) {
    sum.time_s += window.time_s;
    sum.exchanged_J += window.exchanged_J;
  };
  for (std::size_t i = 0; i < quarter; ++i) {
    add(first, cell(bond, i));
    add(last, cell(bond, n - 1 - i));
  }
  if (!(first.exchanged_J > 0.0) || !(last.time_s > 0.0)) return 1.0;
  return (last.exchanged_J / last.time_s) / (first.exchanged_J / first.time_s);
}

PowerTraces::Span PowerTraces::creation(std::size_t bond) const {
  const double all_J = std::abs(created_J(bond));
  const auto first_above = [&](double share) {
    std::size_t w = 0;
    while (w < TimeWindows::capacity && !(cell(bond, w).created_J >= share * all_J)) ++w;
    return w;
  };
  return {first_above(limits::creation_begins), first_above(1.0 - limits::creation_begins)};
}

std::optional<PowerTraces::SuddenChange> PowerTraces::sudden_change(std::size_t bond,
                                                                    std::vector<double>& scratch) const {
  std::array<Cell, TimeWindows::capacity> windows;
  for (std::size_t w = 0; w < windows.size(); ++w) windows[w] = cell(bond, w);
  const auto median = [&](auto&& value_of) {
    scratch.clear();
    for (const Cell& cell : windows) {
      if (cell.time_s > 0.0) scratch.push_back(value_of(cell));
    }
    const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(scratch.size() / 2);
    std::nth_element(scratch.begin(), middle, scratch.end());
    return *middle;
  };
  if (static_cast<std::size_t>(std::count_if(windows.begin(), windows.end(), [](const Cell& c) {
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
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Cell& cell = windows[i];
    const double level = cell.level_W() / usual_W;
    if (i < limits::start_up_windows || level < limits::sudden_level || cell.share() < least_share) {
      elsewhere_J += cell.exchanged_J;
      continue;
    }
    const bool goes_on = change.count > 0 && (i - change.bursts[change.count - 1].windows.last <=
                                                  limits::windows_within_burst + 1 ||
                                              change.count == SuddenChange::max_bursts);
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

void PowerTraces::archive(Archive& archive) {
  for (NumberArray* figure : state_.all()) archive(std::span(*figure));
  for (NumberArray* figure : windows_.all()) archive(std::span(*figure));
  for (auto* times : {&last_time_s_, &imbalance_time_s_}) archive(std::span(*times));
  archive(same_points_);
  archive(common_window_s_);
  archive(in_step_);
  archive(common_time_s_);
}

}  // namespace ergon

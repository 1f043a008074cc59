#include "ergon/coupling/books/power_traces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/coupling/books/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;

PowerTraces::PowerTraces(std::size_t bonds)
    : bonds_(bonds),
      flows_(bonds),
      created_(bonds),
      start_time_s_(bonds, 0.0),
      limited_s_(bonds, 0.0),
      powers_(TimeWindows::capacity * bonds),
      residuals_(TimeWindows::capacity * bonds) {}

void PowerTraces::start(std::size_t bond, const BondRecord& books, double time_s) {
  flows_[bond].power_W = books.power_into_b_W;
  flows_[bond].last_time_s = created_[bond].last_time_s = start_time_s_[bond] = time_s;
}

void PowerTraces::part(std::size_t learnt, double time_s) {
  for (std::size_t b = 0; b < bonds_; ++b) flows_[b].last_time_s = b < learnt ? time_s : last_time_s_;
  together_ = false;
}

void PowerTraces::widen() {
  if (bonds_ == 0) return;
  TimeWindows::merge_pairs<PowerCell>(powers_, bonds_);
  TimeWindows::merge_pairs<ResidualCell>(residuals_, bonds_);
}

/// What is not finite stays so in its window, however often windows are merged.
bool PowerTraces::finite(std::size_t bond) const {
  for (std::size_t w = 0; w < TimeWindows::capacity; ++w) {
    const Cell window = cell(bond, w);
    if (!std::isfinite(window.exchanged_J) || !std::isfinite(window.residual_W2s)) return false;
  }
  return true;
}

double PowerTraces::limited_share(std::size_t bond) const {
  const double time_s = last_time_s(bond) - start_time_s_[bond];
  return time_s > 0.0 ? limited_s_[bond] / time_s : 0.0;
}

double PowerTraces::swing_J(std::size_t bond) const {
  const double honest_J = created_[bond].honest_swing_J;
  return honest_J > 0.0 ? honest_J : flows_[bond].most_J - flows_[bond].least_J;
}

double PowerTraces::created_ratio(std::size_t bond) const {
  if (created_J(bond) == 0.0) return 0.0;
  const double swing = swing_J(bond);
  return swing > 0.0 ? std::abs(created_J(bond)) / swing : std::numeric_limits<double>::infinity();
}

double PowerTraces::growth(std::size_t bond) const {
  std::size_t n = TimeWindows::capacity;
  while (n > 0 && cell(bond, n - 1).time_s == 0.0) --n;
  const std::size_t quarter = n / 4;
  if (quarter == 0) return 1.0;
  PowerCell first;
  PowerCell last;
  for (std::size_t i = 0; i < quarter; ++i) {
    first.merge(cell(bond, i));
    last.merge(cell(bond, n - 1 - i));
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

void PowerTraces::archive(Archive& archive) {
  if (together_) part(0, 0.0);  // `learn_powers` finds it out again
  archive(std::span(flows_));
  archive(std::span(created_));
  archive(std::span(start_time_s_));
  archive(std::span(limited_s_));
  archive(std::span(powers_));
  archive(std::span(residuals_));
}

}  // namespace ergon

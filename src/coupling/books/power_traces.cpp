#include "ergon/coupling/books/power_traces.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ergon/coupling/books/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;

namespace {

/// Two doubles that go through the same operations: what comes out is what each would give alone, bit for bit.
using Two __attribute__((vector_size(16))) = double;
using TwoBits __attribute__((vector_size(16))) = long long;

template <class Number>
[[gnu::always_inline]] inline Number load(const double* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}
template <class Number>
[[gnu::always_inline]] inline void store(double* to, Number number) {
  std::memcpy(to, &number, sizeof number);
}
template <class Number>
[[gnu::always_inline]] inline Number of_books(const BondRecord* books, double BondRecord::*member) {
  if constexpr (std::is_same_v<Number, Two>)
    return Two{books[0].*member, books[1].*member};
  else
    return books->*member;
}
[[gnu::always_inline]] inline double magnitude(double x) {
  return std::abs(x);
}
[[gnu::always_inline]] inline Two magnitude(Two x) {
  constexpr long long all_but_sign = std::numeric_limits<long long>::max();
  return reinterpret_cast<Two>(reinterpret_cast<TwoBits>(x) & TwoBits{all_but_sign, all_but_sign});
}

}  // namespace

PowerTraces::PowerTraces(std::size_t bonds)
    : bonds_(bonds),
      states_((bonds + 1) / 2),
      windows_(TimeWindows::capacity * states_.size()),
      last_time_s_(bonds),
      told_at_s_(bonds),
      start_time_s_(bonds),
      limited_s_(bonds) {}

void PowerTraces::start(std::size_t bond, const BondRecord& books, double time_s) {
  tell_times();
  states_[bond / 2].power_W[bond % 2] = books.power_into_b_W;
  last_time_s_[bond] = told_at_s_[bond] = start_time_s_[bond] = time_s;
}

void PowerTraces::tell_times() {
  if (in_step_) std::fill(last_time_s_.begin(), last_time_s_.end(), common_time_s_);
  in_step_ = false;
}

template <class Number>
[[gnu::always_inline]] inline void PowerTraces::learn_power(const BondRecord* books, State& s, Window& w,
                                                            std::size_t lane, double H_s) {
  const Number power_W = of_books<Number>(books, &BondRecord::power_into_b_W);
  const Number exchanged_J = of_books<Number>(books, &BondRecord::exchanged_energy_J);
  const Number passed_J =
      load<Number>(s.passed_J + lane) + 0.5 * (load<Number>(s.power_W + lane) + power_W) * H_s;
  store(w.time_s + lane, load<Number>(w.time_s + lane) + H_s);
  store(w.exchanged_J + lane,
        load<Number>(w.exchanged_J + lane) + (exchanged_J - load<Number>(s.exchanged_J + lane)));
  store(s.power_W + lane, power_W);
  store(s.passed_J + lane, passed_J);
  const Number least_J = load<Number>(s.least_J + lane);
  const Number most_J = load<Number>(s.most_J + lane);
  store(s.least_J + lane, Number(passed_J < least_J ? passed_J : least_J));
  store(s.most_J + lane, Number(most_J < passed_J ? passed_J : most_J));
  store(s.exchanged_J + lane, exchanged_J);
}

template <class Number>
[[gnu::always_inline]] inline void PowerTraces::learn_created(Number created_J, State& s, Window& w,
                                                              std::size_t lane, double H_s) {
  const Number swing_J = load<Number>(s.most_J + lane) - load<Number>(s.least_J + lane);
  const Number amount_J = magnitude(created_J);
  Number largest_J = load<Number>(s.largest_J + lane);
  largest_J = amount_J > magnitude(largest_J) ? created_J : largest_J;
  store(s.largest_J + lane, largest_J);
  const Number honest_J = load<Number>(s.honest_swing_J + lane);
  store(s.honest_swing_J + lane,
        Number(magnitude(largest_J) <= limits::honest_swing * swing_J ? swing_J : honest_J));
  const Number residual_J = created_J - load<Number>(s.created_J + lane);
  store(s.created_J + lane, created_J);
  store(w.residual_J + lane, load<Number>(w.residual_J + lane) + magnitude(residual_J));
  store(w.residual_W2s + lane, load<Number>(w.residual_W2s + lane) + residual_J * residual_J / H_s);
  const Number most_J = load<Number>(w.created_J + lane);
  store(w.created_J + lane, Number(most_J < amount_J ? amount_J : most_J));
}
template void PowerTraces::learn_power<double>(const BondRecord*, State&, Window&, std::size_t, double);
template void PowerTraces::learn_created<double>(double, State&, Window&, std::size_t, double);

bool PowerTraces::learn_all(std::span<const BondRecord> records, Tick now, double time_s, std::size_t window,
                            bool interface) {
  bool usual = bonds_ > 0;
  for (const BondRecord& books : records)
    usual = usual & (books.last_point == now) & !(books.corrected | books.correction_capped);
  if (!usual) return false;
  if (!in_step_) {
    common_time_s_ = last_time_s_.front();
    in_step_ = std::all_of(last_time_s_.begin(), last_time_s_.end(),
                           [&](double last_s) { return last_s == common_time_s_; });
  }
  const double H_s = time_s - common_time_s_;
  if (!in_step_ || !(H_s > 0.0)) return false;
  common_time_s_ = time_s;
  common_step_s_ = H_s;
  const BondRecord* books = records.data();
  State* state = states_.data();
  Window* row = windows_.data() + window * states_.size();
  const auto learn = [&]<class Number>(Number /*one or two*/) {
    learn_power<Number>(books, *state, *row, 0, H_s);
    if (interface)
      learn_created(of_books<Number>(books, &BondRecord::interface_energy_J), *state, *row, 0, H_s);
  };
  for (std::size_t left = bonds_ / 2; left > 0; --left, books += 2, ++state, ++row) learn(Two{});
  if (bonds_ % 2 == 1) learn(0.0);
  return true;
}

void PowerTraces::widen() {
  if (bonds_ > 0) TimeWindows::merge_pairs<Window>(windows_, states_.size());
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
  const State& s = state(bond);
  const std::size_t i = bond % 2;
  return s.honest_swing_J[i] > 0.0 ? s.honest_swing_J[i] : s.most_J[i] - s.least_J[i];
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
  tell_times();
  archive(std::span(states_));
  archive(std::span(windows_));
  for (auto* times : {&last_time_s_, &told_at_s_, &start_time_s_, &limited_s_}) archive(std::span(*times));
}

}  // namespace ergon

#include "ergon/run/motion/motion_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {
namespace {

/// Rows that are wanted at least, before subsystems with long steps decide about them.
constexpr double fewest_rows = 256.0;
/// Of multiples of steps in floating point.
constexpr double rounding = 1e-9;

}  // namespace

MotionSamples::MotionSamples(std::vector<Index> outputs, int steps_in_unit)
    : outputs_(std::move(outputs)), steps_in_unit_(steps_in_unit) {
  std::sort(outputs_.begin(), outputs_.end());
}

void MotionSamples::begin(const Engine& engine) {
  engine_ = &engine;
  controlled_ = engine.record().step_control() != nullptr;
  const CoupledSystem& system = engine.system();
  const auto end = static_cast<double>(engine.grid().end());
  ticks_ = std::max(end, 1.0);
  tick_s_ = (engine.grid().time_s(engine.grid().end()) - engine.grid().time_s(0)) / ticks_;
  lanes_.clear();
  std::vector<Tick> units;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Index node = system.outputs[outputs_[i]].node;
    // An element has no steps: it is taken at points that are everybody's.
    const Tick period = engine.period(node);
    const Tick steps = system.nodes[node].sampled ? 1 : steps_in_unit_;
    const Tick unit = period > 0 ? period * steps : 0;
    if (lanes_.empty() || lanes_.back().unit_ticks != unit || lanes_.back().own_ticks != period) {
      lanes_.push_back({i, 0, period, unit});
      if (unit > 0) units.push_back(unit);
    }
    ++lanes_.back().count;
  }
  for (Index node = 0; units.empty() && node < system.nodes.size(); ++node) {
    const Tick steps = system.nodes[node].sampled ? 1 : steps_in_unit_;
    if (engine.period(node) > 0) units.push_back(engine.period(node) * steps);
  }
  // The longest unit that still gives enough rows is that of the rows; those of other subsystems are theirs just before.
  std::sort(units.begin(), units.end());
  Tick base = units.empty() ? 1 : units.front();
  for (const Tick unit : units) {
    if (end / static_cast<double>(unit) >= fewest_rows) base = unit;
  }
  const double units_in_run = std::floor(end / static_cast<double>(base) + rounding);
  const double most = static_cast<double>(rows_at_most() - 2);
  const double stride = std::max(1.0, std::ceil(units_in_run / most));
  const auto rows = static_cast<std::size_t>(std::floor(units_in_run / stride)) + 1;
  tick_per_row_ = stride * static_cast<double>(base);
  if (controlled_) tick_per_row_ = end / most;
  const std::size_t all_rows = controlled_ ? rows_at_most() - 1 : rows;
  for (Lane& lane : lanes_) {
    if (lane.unit_ticks == 0) lane.unit_ticks = base;
  }
  row_times_s_.resize(all_rows);
  for (std::size_t r = 0; r < all_rows; ++r) {
    row_times_s_[r] = engine.grid().time_s(0) + static_cast<double>(r) * tick_per_row_ * tick_s_;
  }
  row_times_s_.push_back(engine.grid().time_s(engine.grid().end()));
  values_.assign(row_times_s_.size() * outputs_.size(), 0.0);
  least_ = values_;
  most_ = values_;
  least_so_far_.assign(outputs_.size(), std::numeric_limits<double>::infinity());
  most_so_far_.assign(outputs_.size(), -std::numeric_limits<double>::infinity());
  point_.assign(outputs_.size(), 0.0);
  swings_.assign(watches_swings() ? values_.size() : 0, 0.0F);
  swing_states_.assign(watches_swings() ? outputs_.size() : 0, {});
  next_own_points_.assign(watches_swings() ? lanes_.size() : 0, 0);
  is_sampled_.assign(outputs_.size(), false);
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    is_sampled_[i] = system.nodes[system.outputs[outputs_[i]].node].sampled;
  point_values_.assign(controlled_ ? points_of_cubic * outputs_.size() : 0, 0.0);
  states_.assign(lanes_.size(), {});
  next_tick_ = 0;
  points_ = 0;
  has_end_ = false;
}

std::size_t MotionSamples::rows_at_most() const {
  const std::size_t outputs = std::max<std::size_t>(outputs_.size(), 1);
  // Controlled steps are where they are: more rows than that would be interpolated from the same points.
  const std::size_t fine =
      controlled_ ? usual_rows : std::clamp(usual_values / outputs, usual_rows, most_rows);
  return std::clamp(most_values / outputs, fewest_rows_of_many, fine);
}

Tick MotionSamples::tick_of(const Lane& lane, std::size_t row) const {
  const double wanted = static_cast<double>(row) * tick_per_row_;
  return static_cast<Tick>(std::floor(wanted / static_cast<double>(lane.unit_ticks) + rounding)) *
         lane.unit_ticks;
}

// At every common point: what check runs cost beside their steps.
void MotionSamples::read(const StepRecord& record, const Lane& lane) {
  for (std::size_t i = 0; i < lane.count; ++i) point_[i] = record.output(outputs_[lane.first + i]);
}

void MotionSamples::include(const Lane& lane) {
  double* least = least_so_far_.data() + lane.first;
  double* most = most_so_far_.data() + lane.first;
  for (std::size_t i = 0; i < lane.count; ++i) {
    least[i] = std::min(least[i], point_[i]);
    most[i] = std::max(most[i], point_[i]);
  }
}

void MotionSamples::watch_swings(const Lane& lane) {
  constexpr double of_third_difference = 8.0;
  for (std::size_t i = 0; i < lane.count; ++i) {
    Swing& s = swing_states_[lane.first + i];
    const double first = point_[i] - s.value;
    const double second = first - s.first;
    const double third = second - s.second;
    s.alternations = third * s.third < 0.0 ? s.alternations + 1 : 0;
    if (s.alternations >= motion_limits::alternations) [[unlikely]] {
      const double c = std::min(std::abs(third), std::abs(s.third)) / of_third_difference;
      s.since_row = std::max(s.since_row, static_cast<float>(c));
    }
    s.value = point_[i];
    s.first = first;
    s.second = second;
    s.third = third;
  }
}

void MotionSamples::take(const Lane& lane, std::size_t row) {
  const std::size_t begin = row * outputs_.size();
  for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
    const double y = point_[i - lane.first];
    values_[begin + i] = y;
    least_[begin + i] = std::min(least_so_far_[i], y);
    most_[begin + i] = std::max(most_so_far_[i], y);
    least_so_far_[i] = most_so_far_[i] = y;
    if (swing_states_.empty()) continue;
    swings_[begin + i] = is_sampled_[i] ? 0.0F : swing_states_[i].since_row;
    swing_states_[i].since_row = 0.0F;
  }
}

std::size_t MotionSamples::rows_per_point(std::size_t output) const {
  const auto lane =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) { return output < l.first + l.count; });
  if (controlled_ || lane == lanes_.end()) return 1;
  return std::max<std::size_t>(
      1,
      static_cast<std::size_t>(std::ceil(static_cast<double>(lane->unit_ticks) / tick_per_row_ - rounding)));
}

void MotionSamples::inspect(const StepRecord& record) {
  part_done_.store(static_cast<double>(record.tick()) / ticks_, std::memory_order_relaxed);
  if (controlled_) {
    interpolate(record);
    return;
  }
  const Tick now = record.tick();
  if (now < next_tick_) return;
  const std::size_t last_row = row_times_s_.size() - 1;  // is the end
  next_tick_ = engine_->grid().end() + 1;
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    LaneState& state = states_[l];
    if (watches_swings() && lanes_[l].own_ticks > 0) {
      Tick& next = next_own_points_[l];
      if (next <= now) {
        read(record, lanes_[l]);
        watch_swings(lanes_[l]);
        do next += lanes_[l].own_ticks;
        while (next <= now);
      }
      next_tick_ = std::min(next_tick_, next);
    }
    if (state.next_point <= now) {
      read(record, lanes_[l]);
      // A point that is a row includes itself.
      if (state.next_row >= last_row || now < state.next_tick) include(lanes_[l]);
      do state.next_point += lanes_[l].unit_ticks;
      while (state.next_point <= now);
      while (state.next_row < last_row && state.next_tick <= now) {
        take(lanes_[l], state.next_row++);
        state.next_tick = tick_of(lanes_[l], state.next_row);
      }
    }
    next_tick_ = std::min(next_tick_, state.next_point);
  }
}

/// Rows up to this point from the cubic through the last four points, or what there is of them.
void MotionSamples::interpolate(const StepRecord& record) {
  const std::size_t n = outputs_.size();
  const std::size_t known = std::min(points_, points_of_cubic - 1);
  for (std::size_t p = known; p > 0; --p) {
    point_times_s_[p] = point_times_s_[p - 1];
    std::copy_n(point_values_.begin() + static_cast<std::ptrdiff_t>((p - 1) * n), n,
                point_values_.begin() + static_cast<std::ptrdiff_t>(p * n));
  }
  point_times_s_[0] = record.time_s();
  for (std::size_t i = 0; i < n; ++i) point_values_[i] = record.output(outputs_[i]);
  for (const Lane& lane : lanes_) {
    read(record, lane);
    include(lane);
  }
  ++points_;
  const std::size_t count = known + 1;
  if (states_.empty()) return;
  std::size_t& row = states_.front().next_row;
  for (; row + 1 < row_times_s_.size() && row_times_s_[row] <= record.time_s(); ++row) {
    double* to = values_.data() + row * n;
    std::fill_n(to, n, 0.0);
    for (std::size_t p = 0; p < count; ++p) {
      double weight = 1.0;
      for (std::size_t q = 0; q < count; ++q) {
        if (q != p)
          weight *= (row_times_s_[row] - point_times_s_[q]) / (point_times_s_[p] - point_times_s_[q]);
      }
      for (std::size_t i = 0; i < n; ++i) to[i] += weight * point_values_[p * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      least_[row * n + i] = std::min(least_so_far_[i], to[i]);
      most_[row * n + i] = std::max(most_so_far_[i], to[i]);
      least_so_far_[i] = most_so_far_[i] = to[i];
    }
  }
  for (LaneState& state : states_) state.next_row = row;
}

void MotionSamples::end(const std::optional<Failure>& failure) {
  if (failure || engine_ == nullptr || !engine_->done()) return;
  has_end_ = true;
  for (const Lane& lane : lanes_) {
    read(engine_->record(), lane);
    take(lane, row_times_s_.size() - 1);
  }
}

std::size_t MotionSamples::complete_rows() const {
  if (row_times_s_.empty()) return 0;
  std::size_t rows = row_times_s_.size() - 1;
  for (const LaneState& state : states_) rows = std::min(rows, state.next_row);
  return rows + (has_end_ && rows + 1 == row_times_s_.size() ? 1 : 0);
}

double MotionSamples::time_s(std::size_t row) const {
  return row_times_s_[row];
}

double MotionSamples::taken_at_s(std::size_t row, std::size_t output) const {
  if (controlled_ || row + 1 == row_times_s_.size()) return row_times_s_[row];
  const auto lane =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) { return output < l.first + l.count; });
  return row_times_s_.front() + static_cast<double>(tick_of(*lane, row)) * tick_s_;
}

void MotionSamples::archive(Archive& archive) {
  archive.section("motion");
  double end_ticks = ticks_;
  archive(end_ticks);
  fits_ = end_ticks == ticks_;
  archive(std::span(states_));
  archive(next_tick_);
  if (fits_) {
    archive(values_);
    archive(least_);
    archive(most_);
  } else {
    // Of a run with another end, which has other rows.
    std::vector<double> others;
    for (int i = 0; i < 3; ++i) archive(others);
  }
  archive(std::span(least_so_far_));
  archive(std::span(most_so_far_));
  archive(points_);
  archive(point_times_s_);
  archive(std::span(point_values_));
  if (archive.reads()) has_end_ = false;
}

}  // namespace ergon

#include "ergon/run/motion/compare_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ergon/core/displacement.hpp"
#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {
namespace limits = motion_limits;
namespace {

/// Motion, or what takes its place in a circuit.
bool moves(const Unit& unit) {
  static const Unit voltage = Unit::of("V");
  return is_displacement(unit) || (!unit.names_angle && unit.same_dimension(voltage));
}

/// Gives units to some of its ports: what has none there is a number.
bool knows_units(const Description& description) {
  const auto has_unit = [](const Port& port) { return !port.unit.is_unspecified(); };
  return std::any_of(description.inputs.begin(), description.inputs.end(), has_unit) ||
         std::any_of(description.outputs.begin(), description.outputs.end(), has_unit);
}

/// Numbers of the groups of nodes that links join, elements included; sources join nobody.
std::vector<std::size_t> groups_of_nodes(const CoupledSystem& system) {
  std::vector<std::size_t> parent(system.nodes.size());
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = i;
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i];
    return i;
  };
  for (const auto& link : system.links) {
    if (!link) continue;
    for (const LinkTerm& term : link->terms) {
      const Index source = system.outputs[term.output].node;
      if (system.nodes[source].input_count == 0) continue;
      parent[root(source)] = root(system.inputs[link->input].node);
    }
  }
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = root(i);
  return parent;
}

/// One variable of the run and of its companion, at the rows that both have.
struct Series {
  std::vector<double> ours;
  std::vector<double> theirs;
};

double half_range(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return 0.5 * (*most - *least);
}

struct Line {
  double slope = 0.0;
  double rest = 0.0;  ///< half the range of what is left
};

/// The straight line through values at `times` (least squares) and what it leaves.
Line straight_line(const std::vector<double>& times, const std::vector<double>& values) {
  const auto n = static_cast<double>(times.size());
  double t_mean = 0.0;
  double y_mean = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    t_mean += times[i] / n;
    y_mean += values[i] / n;
  }
  double tt = 0.0;
  double ty = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    tt += (times[i] - t_mean) * (times[i] - t_mean);
    ty += (times[i] - t_mean) * (values[i] - y_mean);
  }
  Line line;
  line.slope = tt > 0.0 ? ty / tt : 0.0;
  std::vector<double> rest(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) rest[i] = values[i] - line.slope * (times[i] - t_mean);
  line.rest = half_range(rest);
  return line;
}

/// The course of one error bar, judged.
class Course {
 public:
  Course(const std::vector<double>& times_s, const std::vector<double>& values,
         const std::vector<double>& errors, double scale)
      : times_s_(times_s), errors_(errors), scale_(scale) {
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
      const double so_far = std::max(std::min(ranges_[r], scale_), limits::first_movements * scale_);
      if (!(errors_[r] <= limit * so_far)) return r;
    }
    return std::nullopt;
  }

  /// Two decades of growth in a fraction of the time before, while the motion goes on as before.
  [[nodiscard]] std::optional<std::size_t> chaotic_after() const {
    const auto begins = passes(limits::chaos_begins);
    const auto middle = passes(limits::just_visible);
    const auto visible = passes(limits::visible);
    const auto ends = passes(limits::wrong);
    if (!ends || !visible || !middle || *begins == 0) return std::nullopt;
    const double t0 = times_s_.front();
    const double growth = times_s_[*ends] - times_s_[*begins];
    if (growth > limits::chaos_growth_time * (times_s_[*ends] - t0)) return std::nullopt;
    if (times_s_[*ends] - times_s_[*middle] < limits::chaos_steadiness * growth ||
        times_s_[*middle] - times_s_[*begins] < limits::chaos_steadiness * growth)
      return std::nullopt;
    if (ranges_[*begins] < limits::chaos_range_before * ranges_.back()) return std::nullopt;
    return visible;
  }

  [[nodiscard]] std::optional<double> time_s(std::optional<std::size_t> row) const {
    return row ? std::optional(times_s_[*row]) : std::nullopt;
  }

 private:
  const std::vector<double>& times_s_;
  const std::vector<double>& errors_;
  double scale_;
  std::vector<double> ranges_;  ///< half of them, so far
};

/// How variables are seen.
struct View {
  std::vector<double> scales;                        ///< half ranges that errors are compared with
  std::vector<std::vector<std::size_t>> companions;  ///< per variable: with whom it travels, itself included
  std::vector<double> beside;  ///< of those: half ranges of what moves beside the common travel
};

/// A variable about the mean of those that it travels with.
std::vector<double> about_mean(const std::vector<Series>& series, const std::vector<std::size_t>& members,
                               std::size_t v, std::vector<double> Series::*whose) {
  std::vector<double> rest = series[v].*whose;
  for (std::size_t r = 0; r < rest.size(); ++r) {
    double mean = 0.0;
    for (const std::size_t w : members) mean += (series[w].*whose)[r];
    rest[r] -= mean / static_cast<double>(members.size());
  }
  return rest;
}

double ratio_of(double error, double scale) {
  if (scale > 0.0) return error / scale;
  return error > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

/// Variables of one group that travel at one velocity are seen from their mean: what they have in common is no motion of theirs,
/// and an observer who goes along must find the same.
View view_of(const CoupledSystem& system, const WatchedOutputs& watched, const std::vector<double>& times_s,
             const std::vector<Series>& series) {
  const std::size_t n = series.size();
  View view;
  view.companions.resize(n);
  std::vector<double>& scales = view.scales;
  scales.resize(n);
  std::vector<Line> lines(n);
  std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>> alike;
  for (std::size_t v = 0; v < n; ++v) {
    const double ours = half_range(series[v].ours);
    const double theirs = half_range(series[v].theirs);
    // Whichever is the smaller: a run that explodes makes a range of its own.
    scales[v] = std::min(ours, theirs);
    lines[v] = straight_line(times_s, ours <= theirs ? series[v].ours : series[v].theirs);
    const SignalName& name = system.outputs[watched.outputs[v]];
    const Unit& unit = system.nodes[name.node].description->outputs[name.port].unit;
    if (watched.judged[v] && scales[v] > 0.0)
      alike[{watched.group[v], unit.text + std::to_string(name.element)}].push_back(v);
  }
  // The parts of a vector are measured by the largest of them: which is which is a matter of axes.
  for (std::size_t v = 0; v < n;) {
    const SignalName& name = system.outputs[watched.outputs[v]];
    std::size_t end = v;
    double most = 0.0;
    for (; end < n; ++end) {
      const SignalName& other = system.outputs[watched.outputs[end]];
      if (other.node != name.node || other.port != name.port) break;
      most = std::max(most, scales[end]);
    }
    for (; v < end; ++v) scales[v] = most;
  }
  // What a subsystem holds while it moves otherwise is judged by that motion.
  std::map<std::pair<Index, std::string>, double> largest;
  const auto kind = [&](std::size_t v) {
    const SignalName& name = system.outputs[watched.outputs[v]];
    return std::pair(name.node, system.nodes[name.node].description->outputs[name.port].unit.text);
  };
  for (std::size_t v = 0; v < n; ++v) largest[kind(v)] = std::max(largest[kind(v)], scales[v]);
  for (std::size_t v = 0; v < n; ++v)
    scales[v] = std::max(scales[v], limits::beside_the_motion * largest[kind(v)]);
  std::vector<double> beside = scales;  // what moves beside a common travel
  for (const auto& [key, members] : alike) {
    if (members.size() < 2) continue;
    const double slope = lines[members.front()].slope;
    const bool together = std::all_of(members.begin(), members.end(), [&](std::size_t v) {
      return lines[v].rest < limits::rest_of_travel * scales[v] &&
             std::abs(lines[v].slope - slope) <= limits::same_velocity * std::abs(slope);
    });
    if (!together) continue;
    for (const std::size_t v : members) {
      view.companions[v] = members;
      beside[v] = std::min(half_range(about_mean(series, members, v, &Series::ours)),
                           half_range(about_mean(series, members, v, &Series::theirs)));
    }
  }
  // In a group all directions count.
  std::map<std::pair<std::size_t, std::string>, double> in_group;
  const auto group_of = [&](std::size_t v) -> double& {
    const SignalName& name = system.outputs[watched.outputs[v]];
    return in_group[{watched.group[v], system.nodes[name.node].description->outputs[name.port].unit.text}];
  };
  for (std::size_t v = 0; v < n; ++v) {
    if (watched.judged[v]) group_of(v) = std::max(group_of(v), beside[v]);
  }
  view.beside.resize(n);
  for (std::size_t v = 0; v < n; ++v) {
    if (!view.companions[v].empty()) view.beside[v] = group_of(v);
  }
  return view;
}

/// Per variable: nothing but round-off.
std::vector<bool> resting(const std::vector<Series>& series) {
  std::vector<bool> rest;
  for (const Series& s : series) {
    double size = 0.0;
    for (const double y : s.ours) size = std::max(size, std::abs(y));
    rest.push_back(!(std::max(half_range(s.ours), half_range(s.theirs)) > limits::round_off * size));
  }
  return rest;
}

VerdictValue value_of(double ratio, double step_factor) {
  const bool coarse = step_factor > 1.0;
  if (!(ratio <= (coarse ? limits::unreliable_at_double : limits::unreliable_at_half)))
    return VerdictValue::unreliable;
  return ratio > (coarse ? limits::doubtful_at_double : limits::doubtful_at_half) ? VerdictValue::doubtful
                                                                                  : VerdictValue::reliable;
}

}  // namespace

WatchedOutputs watched_outputs(const CoupledSystem& system, const std::vector<Index>& recorded) {
  const std::size_t all = system.outputs.size();
  std::vector<bool> is_recorded(all, false);
  for (const Index output : recorded) is_recorded[output] = system.outputs[output].type == PortType::real;
  std::vector<bool> is_judged(all, false);
  bool any = false;
  for (Index o = 0; o < all; ++o) {
    const SignalName& name = system.outputs[o];
    const Description& description = *system.nodes[name.node].description;
    // A source has no motion of its own, a law none at all.
    if (description.algebraic || description.inputs.empty() || name.type != PortType::real) continue;
    const Unit& unit = description.outputs[name.port].unit;
    is_judged[o] = unit.is_unspecified() ? !knows_units(description) : moves(unit);
    any = any || is_judged[o];
  }
  for (Index o = 0; !any && o < all; ++o) {
    is_judged[o] = !system.nodes[system.outputs[o].node].description->algebraic &&
                   system.outputs[o].type == PortType::real;
  }
  const std::vector<std::size_t> groups = groups_of_nodes(system);
  WatchedOutputs watched;
  for (Index o = 0; o < all; ++o) {
    if (!is_recorded[o] && !is_judged[o]) continue;
    watched.outputs.push_back(o);
    watched.recorded.push_back(is_recorded[o]);
    watched.judged.push_back(is_judged[o]);
    watched.group.push_back(groups[system.outputs[o].node]);
  }
  return watched;
}

void compare_motion(const CoupledSystem& system, const WatchedOutputs& watched, const MotionSamples& run,
                    const MotionSamples& companion, double step_factor, Motion& motion) {
  const std::size_t rows = std::min(run.rows(), companion.rows());
  const std::size_t n = watched.outputs.size();
  const double bar = step_factor > 1.0 ? limits::bar_of_double_steps : limits::bar_of_half_steps;
  motion.step_factor = step_factor;
  motion.variables.clear();
  motion.times_s.clear();
  motion.worst.clear();
  motion.ratio = 0.0;
  motion.chaotic_after_s.reset();
  for (std::size_t r = 0; r < rows; ++r) motion.times_s.push_back(run.time_s(r));
  motion.errors.assign(rows * n, 0.0);
  motion.right_until_s = rows > 0 ? motion.times_s.back() : 0.0;
  if (rows == 0) return;

  std::vector<Series> series(n);
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t r = 0; r < rows; ++r) {
      series[v].ours.push_back(run.value(r, v));
      series[v].theirs.push_back(companion.value(r, v));
      motion.errors[r * n + v] = bar * std::abs(series[v].ours[r] - series[v].theirs[r]);
    }
  }
  const View view = view_of(system, watched, motion.times_s, series);
  const std::vector<double>& scales = view.scales;
  const std::vector<bool> rests = resting(series);
  std::vector<double> errors(rows);
  for (std::size_t v = 0; v < n; ++v) {
    const SignalName& name = system.outputs[watched.outputs[v]];
    VariableMotion& variable = motion.variables.emplace_back();
    variable.name = name.text;
    variable.unit = system.nodes[name.node].description->outputs[name.port].unit.text;
    variable.recorded = watched.recorded[v];
    variable.judged = watched.judged[v];
    variable.half_range = scales[v];
    for (std::size_t r = 0; r < rows; ++r) {
      errors[r] = motion.errors[r * n + v];
      if (errors[r] <= variable.largest_error) continue;
      variable.largest_error = errors[r];
      variable.at_s = motion.times_s[r];
    }
    if (rests[v]) continue;
    variable.ratio = ratio_of(variable.largest_error, scales[v]);
    double scale = scales[v];
    if (!view.companions[v].empty()) {
      const std::vector<double> ours = about_mean(series, view.companions[v], v, &Series::ours);
      const std::vector<double> theirs = about_mean(series, view.companions[v], v, &Series::theirs);
      double largest = 0.0;
      for (std::size_t r = 0; r < rows; ++r) largest = std::max(largest, bar * std::abs(ours[r] - theirs[r]));
      if (const double ratio = ratio_of(largest, view.beside[v]); ratio > *variable.ratio) {
        variable.ratio = ratio;
        variable.half_range = scale = view.beside[v];
        for (std::size_t r = 0; r < rows; ++r) errors[r] = bar * std::abs(ours[r] - theirs[r]);
      }
    }
    const Course course(motion.times_s, series[v].ours, errors, scale);
    variable.passes_1_percent_s = course.time_s(course.passes(limits::just_visible));
    variable.passes_5_percent_s = course.time_s(course.passes(limits::visible));
    variable.passes_20_percent_s = course.time_s(course.passes(limits::wrong));
    variable.chaotic_after_s = course.time_s(course.chaotic_after());
    if (!variable.judged) continue;
    if (motion.worst.empty() || *variable.ratio > motion.ratio) {
      motion.worst = variable.name;
      motion.ratio = *variable.ratio;
    }
    if (variable.passes_5_percent_s)
      motion.right_until_s = std::min(motion.right_until_s, *variable.passes_5_percent_s);
    if (variable.chaotic_after_s &&
        (!motion.chaotic_after_s || *variable.chaotic_after_s < *motion.chaotic_after_s))
      motion.chaotic_after_s = variable.chaotic_after_s;
  }
  // First movements are measured by what has moved so far; where that is little of what follows, they were right.
  if (motion.ratio <= limits::visible) motion.right_until_s = motion.times_s.back();
  motion.value = value_of(motion.ratio, step_factor);
}

}  // namespace ergon

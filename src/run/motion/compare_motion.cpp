#include "ergon/run/motion/compare_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "ergon/core/displacement.hpp"
#include "ergon/run/motion/error_course.hpp"
#include "ergon/run/motion/motion_limits.hpp"
#include "ergon/run/motion/motion_scales.hpp"
#include "ergon/run/motion/window_errors.hpp"

namespace ergon {
namespace limits = motion_limits;
namespace {

/// One output of the run and of its check run, at the rows that both have.
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

/// The mean of some variables, row by row.
std::vector<double> mean_of(const std::vector<Series>& series, const std::vector<std::size_t>& members,
                            std::vector<double> Series::*whose) {
  std::vector<double> mean((series[members.front()].*whose).size(), 0.0);
  for (std::size_t r = 0; r < mean.size(); ++r) {
    for (const std::size_t w : members) mean[r] += (series[w].*whose)[r];
    mean[r] /= static_cast<double>(members.size());
  }
  return mean;
}

/// A variable about the mean of those that it travels with.
std::vector<double> about(const std::vector<double>& mean, std::vector<double> values) {
  for (std::size_t r = 0; r < values.size(); ++r) values[r] -= mean[r];
  return values;
}

double ratio_of(double error, double scale) {
  if (scale > 0.0) return error / scale;
  return error > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

/// Outputs of one group that travel at one velocity are seen from their mean, too: what they have in common is not a motion of theirs,
/// and an observer who goes along must find the same.
struct Travel {
  std::vector<std::optional<std::size_t>>
      mean_of;  ///< per output: which of `means`, where it travels with others
  std::vector<Series> means;
  std::vector<double> scales;  ///< of those: half ranges of what moves beside the common travel
};

Travel travel_of(const CoupledSystem& system, const WatchedOutputs& watched,
                 const std::vector<double>& times_s, const std::vector<Series>& series,
                 const std::vector<double>& scales) {
  const std::size_t n = series.size();
  Travel travel;
  travel.mean_of.resize(n);
  travel.scales.resize(n);
  using Key = std::pair<std::size_t, std::string>;
  std::map<Key, std::vector<std::size_t>> alike;
  for (std::size_t v = 0; v < n; ++v) {
    const Unit& unit = system.output_port(watched.outputs[v]).unit;
    if (!watched.judged[v] || !(scales[v] > 0.0)) continue;
    // A common drift is no matter of temperatures or forces.
    if (!unit.is_unspecified() && !is_displacement(unit)) continue;
    const std::size_t element = system.outputs[watched.outputs[v]].element;
    alike[{watched.group[v], unit.text + std::to_string(element)}].push_back(v);
  }
  std::vector<double> beside = scales;
  for (const auto& [key, members] : alike) {
    if (members.size() < 2) continue;
    std::vector<Line> lines;
    for (const std::size_t v : members) {
      const Series& s = series[v];
      lines.push_back(straight_line(times_s, half_range(s.ours) <= half_range(s.theirs) ? s.ours : s.theirs));
    }
    const double slope = lines.front().slope;
    bool together = true;
    for (std::size_t i = 0; i < members.size(); ++i) {
      together = together && lines[i].rest < limits::rest_of_travel * scales[members[i]] &&
                 std::abs(lines[i].slope - slope) <= limits::same_velocity * std::abs(slope);
    }
    if (!together) continue;
    const Series mean{mean_of(series, members, &Series::ours), mean_of(series, members, &Series::theirs)};
    for (const std::size_t v : members) {
      travel.mean_of[v] = travel.means.size();
      beside[v] = std::min(half_range(about(mean.ours, series[v].ours)),
                           half_range(about(mean.theirs, series[v].theirs)));
    }
    travel.means.push_back(mean);
  }
  // In a group all directions count.
  std::map<Key, double> in_group;
  const auto group_of = [&](std::size_t v) -> double& {
    return in_group[{watched.group[v], system.output_port(watched.outputs[v]).unit.text}];
  };
  for (std::size_t v = 0; v < n; ++v) {
    if (watched.judged[v]) group_of(v) = std::max(group_of(v), beside[v]);
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (travel.mean_of[v]) travel.scales[v] = group_of(v);
  }
  return travel;
}

Extent extent_of(const MotionSamples& run, const MotionSamples& check_run, std::size_t rows, std::size_t v) {
  const auto of = [&](const MotionSamples& samples) {
    Extent extent;
    double least = samples.value(0, v);
    double most = least;
    for (std::size_t r = 0; r < rows; ++r) {
      least = std::min(least, samples.least(r, v));
      most = std::max(most, samples.most(r, v));
    }
    extent.half_range = 0.5 * (most - least);
    extent.size = std::max(std::abs(least), std::abs(most));
    return extent;
  };
  const Extent ours = of(run);
  const Extent theirs = of(check_run);
  return {std::min(ours.half_range, theirs.half_range), std::max(ours.half_range, theirs.half_range),
          std::min(ours.size, theirs.size)};
}

/// Angles within one turn, and the signs of quaternions.
std::vector<Comparison> comparisons_of(const CoupledSystem& system, const WatchedOutputs& watched,
                                       const std::vector<Series>& series,
                                       const std::vector<Extent>& extents) {
  const std::size_t n = series.size();
  std::vector<Comparison> result(n);
  for (std::size_t v = 0; v < n; ++v) result[v].output = v;
  for (std::size_t v = 0; v < n; ++v) {
    const Port& port = system.output_port(watched.outputs[v]);
    if (port.unit.names_angle && is_displacement(port.unit)) {
      const double turn = 2.0 * std::numbers::pi / port.unit.to_SI();
      const double range = 2.0 * extents[v].larger_half_range;
      if (range > limits::wraps_from * turn && range <= limits::wraps_to * turn) result[v].turn = turn;
    }
    const SignalName& name = system.outputs[watched.outputs[v]];
    constexpr std::size_t components = 4;
    if (port.role != PortRole::orientation || name.element != 0 || v + components > n) continue;
    if (system.outputs[watched.outputs[v + components - 1]].element != components - 1) continue;
    std::vector<bool> negated(series[v].ours.size());
    for (std::size_t r = 0; r < negated.size(); ++r) {
      double product = 0.0;
      for (std::size_t c = v; c < v + components; ++c) product += series[c].ours[r] * series[c].theirs[r];
      negated[r] = product < 0.0;
    }
    for (std::size_t c = v; c < v + components; ++c) result[c].negated = negated;
  }
  return result;
}

/// Subsystems whose solvers have a fixed step; FMUs whose outputs move, and are the same to the last bit at all step sizes.
std::vector<std::string> solvers_inside(const CoupledSystem& system, const WatchedOutputs& watched,
                                        const std::vector<Extent>& extents,
                                        const std::vector<Series>& series) {
  struct Seen {
    bool moves = false;
    bool is_same = true;
  };
  std::vector<Seen> seen(system.nodes.size());
  for (std::size_t v = 0; v < watched.outputs.size(); ++v) {
    Seen& of_node = seen[system.outputs[watched.outputs[v]].node];
    of_node.moves = of_node.moves || !extents[v].rests();
    of_node.is_same = of_node.is_same && series[v].ours == series[v].theirs;
  }
  std::vector<std::string> names;
  for (Index n = 0; n < system.nodes.size(); ++n) {
    const Description& description = *system.nodes[n].description;
    const bool is_same = seen[n].is_same && !description.kind.empty();
    if (seen[n].moves && (is_same || description.solver_step_s > 0.0)) names.push_back(system.nodes[n].name);
  }
  return names;
}

VerdictValue value_of(double excess, double step_factor) {
  const bool coarse = step_factor > 1.0;
  if (!(excess <= (coarse ? limits::unreliable_at_double : limits::unreliable_at_half)))
    return VerdictValue::unreliable;
  return excess > 1.0 ? VerdictValue::doubtful : VerdictValue::reliable;
}

}  // namespace

void compare_motion(const CoupledSystem& system, const WatchedOutputs& watched, const MotionSamples& run,
                    const MotionSamples& companion, double step_factor, Motion& motion,
                    const FurtherCheck& further) {
  const std::size_t rows = std::min(run.rows(), companion.rows());
  const std::size_t n = watched.outputs.size();
  const double bar = bar_of(step_factor);
  motion.step_factor = step_factor;
  motion.variables.clear();
  motion.times_s.clear();
  motion.worst.clear();
  motion.ratio = 0.0;
  motion.excess = 0.0;
  motion.chaotic_after_s.reset();
  motion.solvers_inside.clear();
  motion.order_is_open = false;
  std::vector<double> times_s;
  for (std::size_t r = 0; r < rows; ++r) times_s.push_back(run.time_s(r));
  motion.right_until_s = rows > 0 ? times_s.back() : 0.0;
  motion.errors.clear();
  if (rows == 0) return;
  // What is shown of the course is as much as a plot shows: the largest of some rows.
  const std::size_t rows_shown_as_one = (rows + MotionSamples::usual_rows - 1) / MotionSamples::usual_rows;
  const auto shown_as = [&](std::size_t r) { return (r + rows_shown_as_one - 1) / rows_shown_as_one; };
  for (std::size_t r = 0; r < rows; ++r) {
    if (r + 1 == rows || shown_as(r + 1) != shown_as(r)) motion.times_s.push_back(times_s[r]);
  }
  motion.errors.assign(motion.times_s.size() * n, 0.0);

  std::vector<Series> series(n);
  std::vector<Extent> extents(n);
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t r = 0; r < rows; ++r) {
      series[v].ours.push_back(run.value(r, v));
      series[v].theirs.push_back(companion.value(r, v));
    }
    extents[v] = extent_of(run, companion, rows, v);
  }
  motion.solvers_inside = solvers_inside(system, watched, extents, series);
  const std::vector<double> scales = scales_of(system, watched, extents, times_s.back() - times_s.front());
  const Travel travel = travel_of(system, watched, times_s, series, scales);
  const std::vector<Comparison> comparisons = comparisons_of(system, watched, series, extents);
  for (std::size_t v = 0; v < n; ++v) {
    const Port& port = system.output_port(watched.outputs[v]);
    VariableMotion& variable = motion.variables.emplace_back();
    variable.name = system.outputs[watched.outputs[v]].text;
    variable.unit = port.unit.text;
    variable.recorded = watched.recorded[v];
    variable.judged = watched.judged[v];
    variable.accuracy = watched.accuracy[v];
    variable.half_range = scales[v];
    std::vector<double> errors = window_errors(run, companion, rows, comparisons[v]);
    for (double& error : errors) error *= bar;
    const Differences differences{run, companion, step_factor, further, v, scales[v]};
    if (further.samples != nullptr && comparisons[v].is_plain()) {
      if (step_factor < 1.0)
        include_both_orders(differences, errors);
      else if (!widen_by_larger_steps(differences, errors))
        motion.order_is_open = motion.order_is_open || (watched.judged[v] && !extents[v].rests());
    }
    variable.swing = include_swings(companion, v, errors);
    for (std::size_t r = 0; r < rows; ++r) {
      double& shown = motion.errors[shown_as(r) * n + v];
      if (!(errors[r] <= shown)) shown = errors[r];
      if (errors[r] <= variable.largest_error) continue;
      variable.largest_error = errors[r];
      variable.at_s = times_s[r];
    }
    if (extents[v].rests()) continue;
    variable.ratio = ratio_of(variable.largest_error, scales[v]);
    if (travel.mean_of[v]) {
      const Series& mean = travel.means[*travel.mean_of[v]];
      const std::vector<double> ours = about(mean.ours, series[v].ours);
      const std::vector<double> theirs = about(mean.theirs, series[v].theirs);
      double largest = 0.0;
      for (std::size_t r = 0; r < rows; ++r) largest = std::max(largest, bar * std::abs(ours[r] - theirs[r]));
      if (const double ratio = ratio_of(largest, travel.scales[v]); ratio > *variable.ratio) {
        variable.ratio = ratio;
        variable.half_range = travel.scales[v];
        for (std::size_t r = 0; r < rows; ++r) errors[r] = bar * std::abs(ours[r] - theirs[r]);
      }
    }
    const ErrorCourse course(times_s, series[v].ours, errors, variable.half_range);
    variable.passes_1_percent_s = course.time_s(course.passes(limits::just_visible));
    variable.passes_5_percent_s = course.time_s(course.passes(limits::visible));
    variable.passes_20_percent_s = course.time_s(course.passes(limits::wrong));
    // Rates and forces jump for other reasons; where the motion is chaotic, positions are.
    if (port.unit.is_unspecified() || is_displacement(port.unit) || is_voltage(port.unit))
      variable.chaotic_after_s = course.time_s(course.chaotic_after());
    if (!variable.judged) continue;
    const Accuracy& accuracy = watched.accuracy[v];
    const bool is_absolute = accuracy.kind == Accuracy::Kind::absolute;
    variable.excess =
        is_absolute ? variable.largest_error / accuracy.value : *variable.ratio / accuracy.value;
    const auto misses =
        course.time_s(is_absolute ? course.exceeds(accuracy.value) : course.passes(accuracy.value));
    if (*variable.excess > 1.0) variable.misses_accuracy_s = misses;
    if (motion.worst.empty() || *variable.excess > motion.excess) {
      motion.worst = variable.name;
      motion.ratio = *variable.ratio;
      motion.excess = *variable.excess;
    }
    if (variable.misses_accuracy_s)
      motion.right_until_s = std::min(motion.right_until_s, *variable.misses_accuracy_s);
    if (variable.chaotic_after_s &&
        (!motion.chaotic_after_s || *variable.chaotic_after_s < *motion.chaotic_after_s))
      motion.chaotic_after_s = variable.chaotic_after_s;
  }
  motion.value = value_of(motion.excess, step_factor);
}

}  // namespace ergon

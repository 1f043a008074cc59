#include "ergon/study/converge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ergon/scenario/build/output_selection.hpp"

namespace ergon::study {
namespace {

Rational least_common_multiple(const Rational& a, const Rational& b) {
  return a / greatest_common_divisor(a, b) * b;
}

Scenario loaded(const ConvergeOptions& options) {
  ProblemList problems;
  Scenario scenario = load_scenario(options.scenario.string(), options.overrides, problems);
  if (problems.has_errors()) throw InputError(problems);
  return scenario;
}

bool has_variable_steps(const IntegratorOptions& integrator) {
  const auto& known = integrators();
  return std::any_of(known.begin(), known.end(), [&](const IntegratorInfo& info) {
    return info.name == integrator.method && info.variable_step;
  });
}

/// What a solver inside is told to keep to, where there is one.
std::optional<double> tolerance_of(const SubsystemEntry& entry) {
  if (entry.foreign.tolerance) return entry.foreign.tolerance;
  if (entry.info && entry.info->solver_tolerance) return entry.info->solver_tolerance;
  if (entry.source == "model" && has_variable_steps(entry.integrator)) return entry.integrator.rtol;
  return std::nullopt;
}

/// The samples of one course at all levels.
std::vector<std::vector<double>> levels_of(const std::vector<const Outcome*>& runs, std::size_t course,
                                           std::size_t samples) {
  std::vector<std::vector<double>> levels;
  for (const Outcome* run : runs) {
    const auto begin = run->courses.begin() + static_cast<std::ptrdiff_t>(course * samples);
    levels.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(samples));
  }
  return levels;
}

double largest_change(const Outcome& a, const Outcome& b, std::size_t course, std::size_t samples) {
  double largest = 0.0;
  for (std::size_t i = course * samples; i < (course + 1) * samples; ++i)
    largest = std::max(largest, std::abs(a.courses[i] - b.courses[i]));
  return largest;
}

}  // namespace

ConvergenceStudy::ConvergenceStudy(ConvergeOptions options) : options_(std::move(options)) {
  if (options_.levels < 3)
    throw InputError({}, "An order takes at least three step sizes.", "Give --levels 3 or more.");
  const Scenario scenario = loaded(options_);
  if (scenario.step_control)
    throw InputError(scenario.step_control->where,
                     "The steps of this system follow a tolerance: they have no order to observe.",
                     "Remove [step_control], or ask for an accuracy: ergon run --accuracy 1%.");
  const Simulation simulation(options_.scenario, options_.overrides);
  const CoupledSystem& system = simulation.system();

  study_.kind = "converge";
  study_.common.scenario = options_.scenario;
  study_.common.overrides = options_.overrides;
  study_.common.check = MotionCheck::off;
  study_.common.overrides.check = "off";  // levels check each other

  // Subsystems that are stepped meet at multiples of this.
  std::optional<Rational> common;
  double longest_s = 0.0;
  for (const Node& node : system.nodes) {
    if (node.description->algebraic) continue;
    common = common ? least_common_multiple(*common, node.step_s) : node.step_s;
    if (!node.sampled) longest_s = std::max(longest_s, node.step_s.value());
  }
  if (!common || longest_s == 0.0)
    throw InputError({options_.scenario.string(), 0, 0},
                     "No subsystem of this system has a step that may differ.", "There is nothing to study.");
  step_s_ = longest_s;
  const double start_s = scenario.simulation.start_time_s.value.value();
  const double duration_s = scenario.simulation.stop_time_s->value.value() - start_s;
  const double points = std::floor(duration_s / common->value() * (1.0 + 1e-12));
  if (points < 1.0)
    throw InputError({options_.scenario.string(), 0, 0},
                     "The run is shorter than one step that all subsystems have in common.",
                     "Give smaller steps, or a longer run.");
  const double stride = std::ceil(points / static_cast<double>(options_.most_samples));
  for (double k = 0.0; k <= points; k += stride)
    study_.common.course_times_s.push_back(start_s + k * common->value());

  std::vector<Said<std::string>> patterns;
  for (const std::string& pattern : options_.variables)
    patterns.push_back({pattern, {"--variables " + pattern, 0, 0}});
  ProblemList problems;
  const auto selected =
      select_outputs(system, patterns.empty() ? scenario.output.variables : patterns, problems);
  if (problems.has_errors()) throw InputError(problems);
  for (const Index output : selected) {
    const SignalName& name = system.outputs[output];
    if (name.type != PortType::real || system.output_port(output).role == PortRole::diagnostic) continue;
    study_.common.courses.push_back(name.text);
    units_.push_back(system.output_port(output).unit.text);
  }
  if (study_.common.courses.empty())
    throw InputError({options_.scenario.string(), 0, 0},
                     "No real output is recorded: there is nothing to compare.",
                     "Record some, or name them with --variables.");

  for (std::size_t level = 0; level < options_.levels; ++level)
    study_.runs.push_back({{}, Rational(1, std::int64_t{1} << level)});
  for (const SubsystemEntry& entry : scenario.subsystems) {
    if (const auto tolerance = tolerance_of(entry)) {
      solvers_inside_.push_back(entry.name.value);
      solver_noise_ = std::max(solver_noise_, 0.1 * *tolerance);  // all levels run with a tenth
    }
    const auto node = system.find_node(entry.name.value);
    if (!options_.per_subsystem || !node || entry.sampled || system.nodes[*node].description->algebraic)
      continue;
    const Rational half = system.nodes[*node].step_s * Rational(1, 2);
    std::vector<std::string> settings = {fmt::format("{}.step_size={}", entry.name.value, half.text())};
    if (entry.integrator.step_s)
      settings.push_back(
          fmt::format("{}.integrator.step={}", entry.name.value, 0.5 * *entry.integrator.step_s));
    subsystems_.push_back(entry.name.value);
    subsystem_steps_s_.push_back(system.nodes[*node].step_s.value());
    study_.runs.push_back({std::move(settings), Rational(1, 1)});
  }
  // Of a single subsystem the first two levels tell.
  if (subsystems_.size() == 1) {
    study_.runs.pop_back();
    subsystems_.clear();
    subsystem_steps_s_.clear();
  }
}

ConvergenceReport ConvergenceStudy::report(const StudyResult& result) const {
  ConvergenceReport report;
  report.runs = result.outcomes;
  report.solvers_inside = solvers_inside_;
  const auto& times_s = study_.common.course_times_s;
  report.samples = times_s.size();
  report.compared_from_s = times_s.front();
  report.compared_to_s = times_s.back();
  for (std::size_t level = 0; level < options_.levels; ++level)
    report.steps_s.push_back(std::ldexp(step_s_, -static_cast<int>(level)));
  std::vector<const Outcome*> by_number(study_.runs.size(), nullptr);
  for (const Outcome& outcome : report.runs) by_number[outcome.run] = &outcome;
  const auto has_courses = [&](std::size_t run) {
    return by_number[run] != nullptr &&
           by_number[run]->courses.size() == study_.common.courses.size() * times_s.size();
  };
  // Steps that are too long may fail: what is smaller tells.
  std::size_t first = 0;
  for (std::size_t level = 0; level < options_.levels; ++level) {
    if (has_courses(level)) continue;
    first = level + 1;
    const Outcome* run = by_number[level];
    report.failure = run == nullptr ? "the study was interrupted"
                                    : fmt::format("at a step of {:.6g} s: {} {}", report.steps_s[level],
                                                  run->status, run->message);
  }
  if (options_.levels - first < 3) return report;
  report.failure.clear();
  report.steps_s.erase(report.steps_s.begin(), report.steps_s.begin() + static_cast<std::ptrdiff_t>(first));
  const std::vector<const Outcome*> levels(by_number.begin() + static_cast<std::ptrdiff_t>(first),
                                           by_number.begin() + static_cast<std::ptrdiff_t>(options_.levels));
  for (std::size_t c = 0; c < study_.common.courses.size(); ++c) {
    VariableConvergence v = analyse_convergence(levels_of(levels, c, times_s.size()), times_s, solver_noise_);
    v.name = study_.common.courses[c];
    v.unit = units_[c];
    report.variables.push_back(std::move(v));
  }
  if (first > 0) return report;
  for (std::size_t s = 0; s < subsystems_.size(); ++s) {
    SubsystemShare share{subsystems_[s], subsystem_steps_s_[s], 0.0, "", 0.0, ""};
    const std::size_t run = options_.levels + s;
    if (!has_courses(run)) {
      share.failure =
          by_number[run] == nullptr ? "interrupted" : by_number[run]->status + " " + by_number[run]->message;
      report.subsystems.push_back(std::move(share));
      continue;
    }
    for (std::size_t c = 0; c < report.variables.size(); ++c) {
      const VariableConvergence& v = report.variables[c];
      if (v.loss == OrderLoss::still || v.loss == OrderLoss::round_off || v.half_range <= 0.0) continue;
      const double change = largest_change(*by_number[0], *by_number[run], c, times_s.size()) / v.half_range;
      if (change < share.change && !share.variable.empty()) continue;
      share.change = change;
      share.variable = v.name;
      const double all = v.differences[0] / v.half_range;
      share.share = all > 0.0 ? change / all : 0.0;
    }
    report.subsystems.push_back(std::move(share));
  }
  return report;
}

WantedStep wanted_step(const ConvergenceReport& report, double accuracy) {
  WantedStep wanted{accuracy, std::nullopt, ""};
  for (const VariableConvergence& v : report.variables) {
    if (v.loss == OrderLoss::still) continue;
    // Agrees to the last digits at all steps.
    if (v.loss == OrderLoss::round_off && v.half_range > 0.0 && v.bars.front() <= accuracy * v.half_range)
      continue;
    const auto step_s = step_for(v, report.steps_s.back(), accuracy);
    if (!step_s) return {accuracy, std::nullopt, v.name};
    if (!wanted.step_s || *step_s < *wanted.step_s) {
      wanted.step_s = step_s;
      wanted.variable = v.name;
    }
  }
  return wanted;
}

std::string to_json(const ConvergenceReport& report) {
  using nlohmann::json;
  const auto number = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
  const auto numbers = [&](const std::vector<double>& values) {
    json list = json::array();
    for (const double value : values) list.push_back(number(value));
    return list;
  };
  json variables = json::array();
  for (const VariableConvergence& v : report.variables) {
    json one{{"name", v.name},
             {"unit", v.unit},
             {"half_range", number(v.half_range)},
             {"differences", numbers(v.differences)},
             {"orders", numbers(v.orders)},
             {"order", v.order ? json(*v.order) : json(nullptr)},
             {"loss", name_of(v.loss)},
             {"errors", numbers(v.errors)},
             {"bars", numbers(v.bars)},
             {"last_value", number(v.last_value)},
             {"last_value_bar", number(v.last_value_bar)}};
    if (v.lost_at_level && *v.lost_at_level < report.steps_s.size())
      one["lost_at_step_s"] = report.steps_s[*v.lost_at_level];
    if (v.lost_at_s) one["lost_at_s"] = *v.lost_at_s;
    variables.push_back(std::move(one));
  }
  json subsystems = json::array();
  for (const SubsystemShare& s : report.subsystems) {
    json one{{"name", s.subsystem},
             {"step_s", s.step_s},
             {"change", number(s.change)},
             {"variable", s.variable},
             {"share", number(s.share)}};
    if (!s.failure.empty()) one["failure"] = s.failure;
    subsystems.push_back(std::move(one));
  }
  json steps = json::array();
  for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
    const WantedStep wanted = wanted_step(report, accuracy);
    steps.push_back({{"accuracy", accuracy},
                     {"step_s", wanted.step_s ? json(*wanted.step_s) : json(nullptr)},
                     {"variable", wanted.variable}});
  }
  json all{{"format", 1},
           {"kind", "converge"},
           {"steps_s", report.steps_s},
           {"compared_from_s", report.compared_from_s},
           {"compared_to_s", report.compared_to_s},
           {"samples", report.samples},
           {"solvers_inside", report.solvers_inside},
           {"variables", std::move(variables)},
           {"subsystems", std::move(subsystems)},
           {"steps_for_accuracy", std::move(steps)}};
  if (!report.failure.empty()) all["failure"] = report.failure;
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace ergon::study

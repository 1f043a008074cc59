#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "benchmarks/framework/scenario_file.hpp"
#include "benchmarks/verdict/families/family.hpp"
#include "ergon/run/motion/advice.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

/// Instants that are compared, at most.
constexpr double most_samples = 800.0;
constexpr std::size_t parallel_shares = 8;

/// The values of some outputs at some times.
struct Course {
  std::vector<double> times_s;
  std::vector<std::vector<double>> values;  ///< per output
};

/// Lists the outputs at multiples of `interval_s`, or at every point.
void record(Simulation& simulation, const std::vector<std::string>& outputs, double interval_s,
            Course& course) {
  std::vector<Index> indices;
  for (const std::string& name : outputs) indices.push_back(simulation.output(name));
  course.values.resize(outputs.size());
  simulation.observe([=, &course](const StepRecord& record) {
    const double t = record.time_s();
    if (interval_s > 0.0) {
      const double next = static_cast<double>(course.times_s.size()) * interval_s;
      if (t < next - 1e-9 * interval_s) return;
    }
    course.times_s.push_back(t);
    for (std::size_t i = 0; i < indices.size(); ++i) course.values[i].push_back(record.output(indices[i]));
  });
}

/// What is between neighbours instead of where they are.
void take_differences(Course& course) {
  for (std::size_t i = 0; i + 1 < course.values.size(); ++i) {
    for (std::size_t k = 0; k < course.times_s.size(); ++k) course.values[i][k] -= course.values[i + 1][k];
  }
  course.values.pop_back();
}

Course exact_course(const Network& network, const std::vector<double>& times_s) {
  const numerics::LinearSolution solution = network.exact();
  Course course;
  course.times_s = times_s;
  course.values.resize(network.masses.size());
  std::vector<double> z(solution.size());
  for (const double t : times_s) {
    solution.at(t, z);
    for (std::size_t i = 0; i < network.masses.size(); ++i) course.values[i].push_back(z[i]);
  }
  return course;
}

double range(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  if (begin >= end) return 0.0;
  const auto first = values.begin();
  const auto [least, most] = std::minmax_element(first + static_cast<std::ptrdiff_t>(begin),
                                                 first + static_cast<std::ptrdiff_t>(end));
  return *most - *least;
}

/// Parts of one vector have the same name up to the bracket: they are measured by the largest of them.
std::vector<double> ranges(const Course& truth, const std::vector<std::string>& outputs, std::size_t count) {
  std::vector<double> result;
  for (const auto& values : truth.values) result.push_back(range(values, 0, count));
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < result.size(); ++j) {
      const std::string stem = outputs[i].substr(0, outputs[i].find('['));
      if (outputs[i].find('[') != std::string::npos && outputs[j].substr(0, outputs[j].find('[')) == stem)
        result[i] = std::max(result[i], result[j]);
    }
  }
  return result;
}

/// How often bars hold what they promise; nothing of what is wrong by round-off alone.
void compare_bars(const Course& ours, const Course& truth, const std::vector<std::string>& outputs,
                  const Motion& motion, FamilyRun& run) {
  constexpr double round_off = 1e-9;
  const std::size_t count = std::min(ours.times_s.size(), truth.times_s.size());
  const std::vector<double> scale = ranges(truth, outputs, count);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    double largest = 0.0;
    for (std::size_t k = 0; k < count; ++k)
      largest = std::max(largest, std::abs(ours.values[i][k] - truth.values[i][k]));
    const auto bar = std::find_if(motion.variables.begin(), motion.variables.end(),
                                  [&](const VariableMotion& v) { return v.name == outputs[i]; });
    if (bar == motion.variables.end() || !(largest > round_off * scale[i]) || !std::isfinite(largest))
      continue;
    run.bar_over_error.push_back(bar->largest_error / largest);
  }
}

void compare(const Course& ours, const Course& truth, const std::vector<std::string>& outputs,
             FamilyRun& run) {
  const std::size_t count = std::min(ours.times_s.size(), truth.times_s.size());
  const std::vector<double> scale = ranges(truth, outputs, count);
  for (std::size_t i = 0; i < ours.values.size(); ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      const double error = std::abs(ours.values[i][k] - truth.values[i][k]) / (0.5 * scale[i]);
      run.error = std::max(run.error, std::isfinite(error) ? error : std::numeric_limits<double>::infinity());
    }
    for (std::size_t part = 0; part < parallel_shares; ++part) {
      const std::size_t begin = part * count / parallel_shares;
      const std::size_t end = (part + 1) * count / parallel_shares;
      const double difference =
          std::abs(range(ours.values[i], begin, end) - range(truth.values[i], begin, end));
      run.amplitude_error = std::max(run.amplitude_error, difference / scale[i]);
    }
  }
}

Course exact_blocks(const BlockSystem& blocks, const std::vector<std::string>& outputs,
                    const std::vector<double>& times_s) {
  const numerics::LinearSolution solution = blocks.exact();
  Course course;
  course.times_s = times_s;
  course.values.resize(outputs.size());
  std::vector<double> z(solution.size());
  for (const double t : times_s) {
    solution.at(t, z);
    for (std::size_t i = 0; i < outputs.size(); ++i) course.values[i].push_back(z[blocks.state(outputs[i])]);
  }
  return course;
}

Simulation simulation_of(const BlockSystem& blocks, const std::vector<std::string>& recorded) {
  SimulationOptions options;
  options.stop_time_s = decimal(blocks.stop_s);
  options.recorded = recorded;
  options.sampled = blocks.sampled();
  return Simulation([blocks] { return blocks.graph(); }, options);
}

std::vector<std::string> recording(const std::vector<std::string>& outputs) {
  std::string list;
  for (const std::string& name : outputs) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  return {"output.variables=[" + list + "]"};
}

/// What came out and what should have.
struct Courses {
  Course ours;
  Course truth;
  bool failed = false;
};

std::vector<std::string> recorded_by(const FamilyCase& c) {
  std::vector<std::string> recorded = c.outputs;
  recorded.insert(recorded.end(), c.also.begin(), c.also.end());
  return recorded;
}

Courses run_case(const FamilyCase& c, Simulation& simulation) {
  Courses courses;
  Course& ours = courses.ours;
  Course& truth = courses.truth;
  const std::vector<std::string> recorded = recorded_by(c);
  const TimeGrid& grid = simulation.engine().grid();
  const double duration_s = grid.time_s(grid.end()) - grid.time_s(0);
  double interval_s = c.common_step_s;
  if (interval_s > 0.0 && !c.every_point)
    interval_s *= std::max(1.0, std::ceil(duration_s / interval_s / most_samples));
  record(simulation, c.outputs, interval_s, ours);
  courses.failed = simulation.run().failure.has_value();

  const auto run_reference = [&](Simulation reference) {
    record(reference, c.outputs, interval_s, truth);
    reference.run();
  };
  if (c.exact) {
    truth = exact_course(*c.exact, ours.times_s);
    if (!c.also.empty()) truth.values = {truth.values.front(), truth.values.back()};
  } else if (c.blocks && c.blocks_finer == 0) {
    truth = exact_blocks(*c.blocks, c.outputs, ours.times_s);
  } else if (c.blocks) {
    run_reference(simulation_of(c.blocks->finer(c.blocks_finer), recorded));
  } else {
    const ScenarioFile finer(c.reference);
    run_reference(Simulation(finer.path()));
  }
  if (c.between) {
    take_differences(ours);
    take_differences(truth);
  }
  return courses;
}

void compare_all(const FamilyCase& c, const Courses& courses, FamilyRun& run) {
  compare(courses.ours, courses.truth, c.outputs, run);
  if (courses.failed) run.error = run.amplitude_error = std::numeric_limits<double>::infinity();
}

}  // namespace

FamilyRun judge_family_run(const Family& family, unsigned seed) {
  Random random(family.name, seed);
  const FamilyCase c = family.make(random);
  FamilyRun run;
  run.family = family.name;
  run.kind = family.kind;
  run.seed = seed;
  const std::vector<std::string> recorded = recorded_by(c);
  const ScenarioFile file(c.scenario);
  Simulation simulation =
      c.blocks ? simulation_of(*c.blocks, recorded) : Simulation(file.path(), recording(recorded));
  simulation.check_motion(MotionCheck::automatic);
  const Courses courses = run_case(c, simulation);
  if (!c.between && !courses.failed)
    compare_bars(courses.ours, courses.truth, c.outputs, simulation.motion(), run);
  compare_all(c, courses, run);
  run.checked = simulation.verdict().value;
  run.unchecked = simulation.verdict().energy;
  run.motion = simulation.verdict().motion;
  run.check_runs = simulation.motion().companions.size();
  for (const CompanionReport& companion : simulation.motion().companions) {
    const double part = companion.reached_time_s / simulation.outcome().reached_time_s;
    run.check_steps += part / companion.step_factor;
    if (!companion.ratio) continue;
    (companion.step_factor > 1.0 ? run.ratio_double : run.ratio_half) = companion.ratio;
  }
  for (const VerdictReason& reason : simulation.verdict().reasons) {
    run.energy_stays = run.energy_stays || reason.at_all_steps.value_or(false);
    if (reason.kind == ReasonKind::motion) continue;
    run.why += (run.why.empty() ? "" : "; ") + std::string(name_of(reason.kind)) +
               (reason.ratio ? fmt::format(" {:.3g}", *reason.ratio) : std::string());
  }
  return run;
}

/// Among settings: the run is repeated at smaller steps until it is accurate enough, as the command does.
constexpr const char* repeated = "--accuracy";

std::vector<std::string> typed_by(const std::string& advice) {
  const auto begin = advice.find("(--");
  if (begin == std::string::npos) return {};
  std::istringstream words(advice.substr(begin + 1, advice.find(')', begin) - begin - 1));
  std::vector<std::string> settings;
  std::string option;
  std::string value;
  while (words >> option >> value) {
    if (option == "--set") settings.push_back(value);
    if (option == "--step-size") settings.push_back("simulation.step_size=" + value);
    if (option == "--stop-time") settings.push_back("simulation.stop_time=" + value);
    if (option == "--accuracy") settings.push_back(repeated);
  }
  return settings;
}

std::optional<AdvisedRun> follow_advice(const Family& family, unsigned seed) {
  constexpr double wrong = 0.05;
  Random random(family.name, seed);
  const FamilyCase c = family.make(random);
  if (c.blocks) return std::nullopt;
  const ScenarioFile file(c.scenario);
  const auto error_with = [&](std::vector<std::string> typed, std::string* advice) {
    const bool repeats = std::erase(typed, repeated) > 0;
    std::vector<std::string> settings = recording(recorded_by(c));
    settings.insert(settings.end(), typed.begin(), typed.end());
    Simulation simulation(file.path(), settings);
    constexpr int most_runs = 4;
    constexpr int most_at_once = 16;
    for (int i = 1;; ++i) {
      if (advice != nullptr || repeats) simulation.check_motion(MotionCheck::automatic);
      FamilyRun run;
      compare_all(c, run_case(c, simulation), run);
      if (advice != nullptr) *advice = simulation.verdict().advice;
      const Motion& motion = simulation.motion();
      if (!repeats || i == most_runs || !motion.checked || !(motion.excess > 1.0)) return run.error;
      simulation = simulation.with_steps(Rational(1, std::min(step_divisor(motion), most_at_once)));
    }
  };
  AdvisedRun run;
  run.family = family.name;
  run.seed = seed;
  run.error = error_with({}, &run.advice);
  if (!(run.error > wrong)) return std::nullopt;
  run.typed = typed_by(run.advice);
  run.error_then =
      run.typed.empty() ? std::numeric_limits<double>::infinity() : error_with(run.typed, nullptr);
  return run;
}

}  // namespace ergon::bench

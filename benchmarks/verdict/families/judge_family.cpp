#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "benchmarks/verdict/families/family.hpp"
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

class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("ergon-family-{}.toml", ::getpid())) {
    std::ofstream(path_) << text;
  }
  ~ScenarioFile() { std::filesystem::remove(path_); }
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
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

}  // namespace

FamilyRun judge_family_run(const Family& family, unsigned seed) {
  Random random(family.name, seed);
  const FamilyCase c = family.make(random);
  FamilyRun run;
  run.family = family.name;
  run.kind = family.kind;
  run.seed = seed;
  Course ours;
  std::vector<std::string> recorded = c.outputs;
  recorded.insert(recorded.end(), c.also.begin(), c.also.end());
  const ScenarioFile file(c.scenario);
  Simulation simulation =
      c.blocks ? simulation_of(*c.blocks, recorded) : Simulation(file.path(), recording(recorded));
  simulation.check_motion(MotionCheck::automatic);
  const TimeGrid& grid = simulation.engine().grid();
  const double duration_s = grid.time_s(grid.end()) - grid.time_s(0);
  double interval_s = c.common_step_s;
  if (interval_s > 0.0 && !c.every_point)
    interval_s *= std::max(1.0, std::ceil(duration_s / interval_s / most_samples));
  record(simulation, c.outputs, interval_s, ours);
  const auto failure = simulation.run().failure;

  Course truth;
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
  } else if (!failure) {
    compare_bars(ours, truth, c.outputs, simulation.motion(), run);
  }
  compare(ours, truth, c.outputs, run);
  if (failure) run.error = run.amplitude_error = std::numeric_limits<double>::infinity();
  run.checked = simulation.verdict().value;
  run.unchecked = simulation.verdict().energy;
  for (const CompanionReport& companion : simulation.motion().companions) {
    (companion.step_factor > 1.0 ? run.ratio_double : run.ratio_half) = companion.ratio;
  }
  for (const VerdictReason& reason : simulation.verdict().reasons) {
    if (reason.kind == ReasonKind::motion) continue;
    run.why += (run.why.empty() ? "" : "; ") + std::string(name_of(reason.kind)) +
               (reason.ratio ? fmt::format(" {:.3g}", *reason.ratio) : std::string());
  }
  return run;
}

}  // namespace ergon::bench

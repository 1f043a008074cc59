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

}  // namespace

FamilyRun judge_family_run(const Family& family, unsigned seed) {
  Random random(family.name, seed);
  const FamilyCase c = family.make(random);
  FamilyRun run;
  run.family = family.name;
  run.seed = seed;
  Course ours;
  const ScenarioFile file(c.scenario);
  Simulation simulation(file.path());
  simulation.check_motion(MotionCheck::automatic);
  const TimeGrid& grid = simulation.engine().grid();
  const double duration_s = grid.time_s(grid.end()) - grid.time_s(0);
  double interval_s = c.common_step_s;
  if (interval_s > 0.0) interval_s *= std::max(1.0, std::ceil(duration_s / interval_s / most_samples));
  record(simulation, c.outputs, interval_s, ours);
  const auto failure = simulation.run().failure;

  Course truth;
  if (c.exact) {
    truth = exact_course(*c.exact, ours.times_s);
  } else {
    const ScenarioFile finer(c.reference);
    Simulation reference(finer.path());
    record(reference, c.outputs, interval_s, truth);
    reference.run();
  }
  if (c.between) {
    take_differences(ours);
    take_differences(truth);
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

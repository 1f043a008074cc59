#include "benchmarks/work-precision/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>

#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double coarse = 1e-2;
constexpr double fine = 1e-3;

/// Right-hand sides per step. Newmark's steps solve for the accelerations of their end: three rounds, about.
double evaluations_of(const std::string& integrator) {
  if (integrator == "rk4") return 4.0;
  return integrator == "newmark" ? 3.0 : 1.0;
}

double cpu_now_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The components of the outputs of a motion.
std::vector<Index> motion_of(const Simulation& simulation, const WorkProblem& problem) {
  std::vector<Index> indices;
  const auto& outputs = simulation.system().outputs;
  for (const std::string& name : problem.motion) {
    for (Index o = 0; o < outputs.size(); ++o) {
      if (outputs[o].text == name || outputs[o].text.starts_with(name + "[")) indices.push_back(o);
    }
  }
  return indices;
}

/// Steps of what subsystem cost what, and their number over all tries.
void count_work(const Simulation& simulation, const WorkProblem& problem, const WorkSetting& setting,
                bool within, WorkRun& run) {
  const ImplicitRecord* const implicit = simulation.engine().record().implicit_steps();
  double per_round = 0.0;
  double members = 0.0;
  for (const WorkSubsystem& subsystem : problem.subsystems) {
    if (subsystem.at_start.empty()) continue;
    const double of_step = evaluations_of(within ? subsystem.within : subsystem.at_start);
    const auto node = simulation.system().find_node(subsystem.name);
    const double steps = static_cast<double>(simulation.engine().cost(*node).steps);
    per_round += of_step * (setting.solves ? subsystem.ratio : 1);
    members += 1.0;
    if (implicit != nullptr) continue;
    run.integrations += steps;
    run.evaluations += of_step * steps;
  }
  if (implicit != nullptr) {
    run.integrations = static_cast<double>(implicit->integrations);
    run.evaluations = run.integrations * per_round / members;
  }
  // A starter takes the first k windows k + 1 times, and sets them back.
  const double windows = static_cast<double>(setting.starter_degree) * (setting.starter_degree + 1);
  for (const WorkSubsystem& subsystem : problem.subsystems) {
    if (subsystem.at_start.empty()) continue;
    run.integrations += windows * subsystem.ratio;
    run.evaluations +=
        windows * subsystem.ratio * evaluations_of(within ? subsystem.within : subsystem.at_start);
  }
}

WorkSetting reference_setting() {
  return {.name = "reference",
          .coupling = {"scheme=jacobi", "extrapolation=cubic", "starter=repeat"},
          .starter_degree = 3};
}

std::vector<std::vector<double>> sampled(const WorkProblem& problem, int refinement,
                                         const std::string& folder) {
  Simulation simulation(folder + "/" + problem.scenario,
                        run_settings(problem, reference_setting(), true, refinement));
  const std::vector<Index> motion = motion_of(simulation, problem);
  const double distance_s = problem.duration_s / problem.parts / refinement;
  std::vector<std::vector<double>> samples;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const double place = record.time_s() / distance_s;
    if (std::abs(place - std::round(place)) > 1e-6) return;
    std::vector<double>& sample = samples.emplace_back();
    for (const Index o : motion) sample.push_back(record.output(o));
  });
  if (failure) samples.clear();
  return samples;
}

}  // namespace

WorkReference::WorkReference(const WorkProblem& problem, const std::string& folder) {
  constexpr double good_enough = 1e-6;
  constexpr int finest = 1024;
  std::vector<std::vector<double>> rough;
  own_error_ = infinite;
  for (int refinement = 32; refinement <= finest && own_error_ > good_enough; refinement *= 2) {
    samples_ = sampled(problem, refinement, folder);
    distance_s_ = problem.duration_s / problem.parts / refinement;
    if (samples_.empty()) continue;
    half_ranges_.assign(samples_.front().size(), 0.0);
    for (std::size_t i = 0; i < half_ranges_.size(); ++i) {
      double least = infinite;
      double most = -infinite;
      for (const auto& sample : samples_) {
        least = std::min(least, sample[i]);
        most = std::max(most, sample[i]);
      }
      half_ranges_[i] = 0.5 * (most - least);
    }
    // A component that hardly moves beside the others is measured by them.
    const double largest = *std::max_element(half_ranges_.begin(), half_ranges_.end());
    for (double& half_range : half_ranges_) half_range = std::max(half_range, 1e-2 * largest);
    if (!rough.empty()) {
      own_error_ = 0.0;
      for (std::size_t s = 0; s < rough.size() && 2 * s < samples_.size(); ++s) {
        for (std::size_t i = 0; i < half_ranges_.size(); ++i) {
          const double d = std::abs(rough[s][i] - samples_[2 * s][i]) / half_ranges_[i];
          if (!(d <= own_error_)) own_error_ = d;
        }
      }
    }
    rough = samples_;
  }
}

double WorkReference::error(double t_s, const std::vector<double>& values) const {
  // The cubic through four neighbours; at a sample, the sample.
  const double place = t_s / distance_s_;
  const std::size_t last = samples_.size() - 1;
  const auto nearest = static_cast<std::size_t>(std::max(0.0, std::floor(place)));
  const std::size_t first = std::min(nearest > 0 ? nearest - 1 : 0, last - 3);
  std::array<double, 4> weight{};
  for (std::size_t j = 0; j < 4; ++j) {
    weight[j] = 1.0;
    for (std::size_t m = 0; m < 4; ++m) {
      if (m == j) continue;
      weight[j] *=
          (place - static_cast<double>(first + m)) / (static_cast<double>(j) - static_cast<double>(m));
    }
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double motion = 0.0;
    for (std::size_t j = 0; j < 4; ++j) motion += weight[j] * samples_[first + j][i];
    const double error = std::abs(values[i] - motion) / half_ranges_[i];
    if (!(error <= largest)) largest = std::isfinite(error) ? error : infinite;
  }
  return largest;
}

std::optional<WorkRun> work_run(const WorkProblem& problem, const WorkSetting& setting, bool within,
                                int refinement, const std::string& folder, const WorkReference& reference) {
  const bool controlled = !setting.control.empty();
  constexpr int steps_to_start_with = 8;
  std::vector<std::string> settings =
      run_settings(problem, setting, within, controlled ? steps_to_start_with : refinement);
  const double rtol = setting.control_rtol > 0.0 ? setting.control_rtol : 1.0 / (refinement * refinement);
  if (controlled) settings.push_back(fmt::format("step_control.rtol={:.6g}", rtol));
  WorkRun run;
  std::vector<double> values;
  try {
    Simulation simulation(folder + "/" + problem.scenario, settings);
    const std::vector<Index> motion = motion_of(simulation, problem);
    values.resize(motion.size());
    const double part_s = problem.duration_s / problem.parts;
    simulation.start();
    const double begin_s = cpu_now_s();
    const auto failure = simulation.for_each_point([&](const StepRecord& record) {
      const double place = record.time_s() / part_s;
      if (!controlled && std::abs(place - std::round(place)) > 1e-6) return;
      for (std::size_t i = 0; i < motion.size(); ++i) values[i] = record.output(motion[i]);
      run.error = std::max(run.error, reference.error(record.time_s(), values));
    });
    run.cpu_s = cpu_now_s() - begin_s;
    if (failure) run.error = infinite;
    count_work(simulation, problem, setting, within, run);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return run;
}

WorkCost work_cost(const WorkProblem& problem, const WorkSetting& setting, bool within,
                   const std::string& folder, const WorkReference& reference, double most_evaluations) {
  WorkCost cost;
  int below = 0;
  for (const int refinement : {1,   2,   3,   4,   6,   8,   12,   16,   24,   32,   48,   64,   96,
                               128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 16384}) {
    const auto run = work_run(problem, setting, within, refinement, folder, reference);
    if (!run) break;
    cost.fits = true;
    cost.runs.push_back(*run);
    below = run->error <= fine ? below + 1 : 0;
    if (below == 3 || run->evaluations > most_evaluations) break;
  }
  for (auto run = cost.runs.rbegin(); run != cost.runs.rend() && run->error <= coarse; ++run)
    cost.at_1_percent = *run;
  for (auto run = cost.runs.rbegin(); run != cost.runs.rend() && run->error <= fine; ++run)
    cost.at_01_percent = *run;
  return cost;
}

}  // namespace ergon::bench

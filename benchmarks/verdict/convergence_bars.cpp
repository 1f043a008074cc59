#include "benchmarks/verdict/convergence_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "benchmarks/reference/linear_solution.hpp"
#include "benchmarks/verdict/random_oscillators.hpp"
#include "ergon/study/converge.hpp"

namespace ergon::bench {
namespace {

/// Outputs of the scenario, in the order of the states of the exact solution.
constexpr std::array<const char*, 4> state_outputs = {"left.position", "right.position", "left.velocity",
                                                      "right.velocity"};
/// Errors below that part of the largest value are digits of the exact solution, too.
constexpr double last_digits = 1e-11;

/// How the system of a seed is simulated: drawn, and the same on every platform.
std::vector<std::string> drawn_settings(unsigned seed, const TwoMassOscillator& data) {
  std::mt19937_64 generator(seed ^ 0x9e3779b97f4a7c15ULL);
  const auto unit = [&] { return static_cast<double>(generator() >> 11U) * 0x1p-53; };
  const auto one_of = [&](auto... choices) {
    const std::array<const char*, sizeof...(choices)> list = {choices...};
    return list[static_cast<std::size_t>(unit() * static_cast<double>(list.size()))];
  };
  const double H_s = 2e-4 * std::pow(25.0, unit());  // to 5e-3: from fine to hardly stable
  const char* const integrator = one_of("semi-implicit-euler", "rk4");
  const std::string H = fmt::format("{:.2g}", H_s);
  std::vector<std::string> settings = {
      fmt::format("simulation.stop_time={:.2g}", 0.3 + unit()),
      fmt::format("simulation.step_size={}", H),
      fmt::format("right.step_size={}/{}", H, one_of("1", "1", "2", "5")),
      fmt::format("left.integrator.method={}", integrator),
      fmt::format("right.integrator.method={}", integrator),
      fmt::format("coupling.scheme={}", one_of("jacobi", "gauss-seidel")),
      fmt::format("coupling.extrapolation={}", one_of("hold", "linear", "quadratic")),
      fmt::format("coupling.starter={}", one_of("none", "repeat")),
      fmt::format("bond.coupling.feedthrough={}", one_of("stale", "refresh"))};
  const std::vector<std::string> oscillator = settings_of(data);
  settings.insert(settings.end(), oscillator.begin(), oscillator.end());
  return settings;
}

}  // namespace

std::vector<ConvergenceBar> convergence_bars(const std::filesystem::path& scenario,
                                             const std::filesystem::path& folder, unsigned seed) {
  const TwoMassOscillator data = random_oscillator(seed);
  study::ConvergeOptions options;
  options.scenario = scenario;
  options.overrides.settings = drawn_settings(seed, data);
  options.variables.assign(state_outputs.begin(), state_outputs.end());
  options.per_subsystem = false;
  options.most_samples = 200;
  const study::ConvergenceStudy convergence(options);
  study::ExecuteOptions execution;
  execution.journal = folder / fmt::format("{}.jsonl", seed);
  execution.jobs = 1;
  execution.restart = true;
  const study::ConvergenceReport report = convergence.report(study::execute(convergence.study(), execution));

  const auto& times_s = convergence.study().common.course_times_s;
  const numerics::LinearSolution exact(data.matrix(), data.z0);
  const std::size_t levels = options.levels;
  std::vector<double> at_coarsest(state_outputs.size(), 0.0), at_finest = at_coarsest, size = at_coarsest;
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    std::array<double, 4> z{};
    exact.at(times_s[k], z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto error = [&](std::size_t level) {
        const auto& courses = report.runs[level].courses;
        return courses.empty() ? INFINITY : std::abs(courses[i * times_s.size() + k] - z[i]);
      };
      at_coarsest[i] = std::max(at_coarsest[i], error(0));
      at_finest[i] = std::max(at_finest[i], error(levels - 1));
      size[i] = std::max(size[i], std::abs(z[i]));
    }
  }
  std::vector<ConvergenceBar> bars;
  for (std::size_t i = 0; i < report.variables.size(); ++i) {
    const study::VariableConvergence& v = report.variables[i];
    const bool has_order = v.loss == study::OrderLoss::none;
    if (at_coarsest[i] > last_digits * size[i])
      bars.push_back({v.name, false, v.bars.front(), at_coarsest[i], has_order});
    if (at_finest[i] > last_digits * size[i])
      bars.push_back({v.name, true, v.bars.back(), at_finest[i], has_order});
  }
  return bars;
}

BarFigures figures_of(const std::vector<ConvergenceBar>& bars) {
  BarFigures figures;
  std::vector<double> ratios;
  for (const ConvergenceBar& bar : bars) {
    if (!std::isfinite(bar.bar)) {
      ++figures.not_given;
      continue;
    }
    ++figures.bars;
    if (bar.true_error <= bar.bar) ++figures.holding;
    ratios.push_back(bar.bar / bar.true_error);
  }
  if (ratios.empty()) return figures;
  std::sort(ratios.begin(), ratios.end());
  figures.median_ratio = ratios[ratios.size() / 2];
  figures.ninth_decile_ratio = ratios[ratios.size() * 9 / 10];
  return figures;
}

}  // namespace ergon::bench

#include "benchmarks/universal-joint-3d/universal_joint_3d.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "benchmarks/framework/convergence.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double sampling_s = 2.5e-4;

std::vector<std::string> centres() {
  std::vector<std::string> names;
  for (const char* rod : {"rod1", "rod2"}) {
    for (int i = 0; i < 3; ++i) names.push_back(fmt::format("{}.position[{}]", rod, i));
  }
  return names;
}

/// Explicit coupling with forty times smaller steps. At the end it is the solution of a monolithic program with its own
/// equations (tests/golden/joints_test.cpp).
SampledTrajectory reference(const std::filesystem::path& scenario) {
  constexpr double fine_s = 2.5e-5;
  auto settings = scheme_settings("explicit", 2, fine_s);
  Simulation simulation(scenario, settings);
  std::vector<Index> outputs;
  for (const std::string& name : centres()) outputs.push_back(simulation.output(name));
  std::vector<std::vector<double>> samples;
  const auto every = static_cast<std::size_t>(std::lround(sampling_s / fine_s));
  std::size_t point = 0;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    if (point++ % every != 0) return;
    auto& sample = samples.emplace_back();
    for (const Index output : outputs) sample.push_back(record.output(output));
  });
  if (failure) throw std::runtime_error(failure->what);
  return {sampling_s, std::move(samples)};
}

std::optional<Expectation> known_error(int k, double H_s) {
  constexpr double about_m[] = {9.4e-6, 2.2e-8, 4.1e-9};
  if (H_s != 1e-3) return std::nullopt;
  return Expectation{.value = about_m[k], .rel = 0.15};
}

}  // namespace

std::vector<Row> universal_joint_3d(const std::filesystem::path& folder) {
  const auto scenario = folder / "universal-joint-3d.toml";
  const SampledTrajectory fine = reference(scenario);
  constexpr std::array steps_s = {1e-3, 5e-4, 2.5e-4};
  std::vector<Row> rows;
  for (int k = 0; k <= 2; ++k) {
    Case settings = {{"decomposition", "F/F"}, {"scheme", "semi-implicit"}, {"k", static_cast<double>(k)}};
    std::vector<double> errors;
    for (const double H : steps_s) {
      const ComparedRun run = compare(scenario, scheme_settings("semi-implicit", k, H), centres(), fine);
      errors.push_back(run.max_error);
      Case at_step = settings;
      at_step.emplace_back("H", H);
      rows.push_back({at_step, "max_error", "m", {}, known_error(k, H), run.max_error});
      rows.push_back({at_step, "integrations_per_step", "", {}, {}, run.integrations_per_step});
    }
    rows.push_back({settings, "order", "", {}, {}, numerics::fitted_order(steps_s, errors)});
  }
  return rows;
}

}  // namespace ergon::bench

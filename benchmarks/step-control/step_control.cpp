#include "benchmarks/step-control/step_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

struct StepControlSetup {
  std::string arrangement;
  double damping_Ns_m = 0.0;  // of each of the three dampers
  std::string extrapolation;
  std::string feedthrough;  // f-s only
};

struct StepControlFigures {
  double energy_J = 0.0;  // largest |E − E_exact| over all points
  double steps = 0.0;
  double rejections = 0.0;
};

StepControlFigures simulate(const std::filesystem::path& folder, const StepControlSetup& setup,
                            const std::string& steps) {
  TwoMassOscillator problem;
  problem.c1 = problem.cc = problem.c2 = setup.damping_Ns_m;
  std::vector<std::string> set = {steps, fmt::format("coupling.extrapolation={}", setup.extrapolation),
                                  fmt::format("left.c={}", problem.c1), fmt::format("left.cc={}", problem.cc),
                                  fmt::format("right.c={}", problem.c2)};
  if (setup.arrangement == "s-s") {
    set.push_back(fmt::format("right.cc={}", problem.cc));
  } else {
    set.push_back("bond.coupling.feedthrough=" + setup.feedthrough);
  }
  if (steps.starts_with("step_control")) set.emplace_back("step_control.method=interface-power");
  Simulation simulation(folder / (setup.arrangement + ".toml"),
                        with_changes(folder / (setup.arrangement + ".toml"), set));
  const std::array<Index, 4> outputs = {
      simulation.output("left.position"), simulation.output("right.position"),
      simulation.output("left.velocity"), simulation.output("right.velocity")};
  const numerics::LinearSolution exact(problem.matrix(), problem.z0);
  StepControlFigures figures;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    std::array<double, 4> z{};
    std::array<double, 4> reference{};
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = record.output(outputs[i]);
    exact.at(record.time_s(), reference);
    figures.energy_J =
        std::max(figures.energy_J, std::abs(problem.energy_J(z) - problem.energy_J(reference)));
    figures.steps += record.tick() > 0 ? 1.0 : 0.0;
    if (record.step_control() != nullptr) {
      figures.rejections = static_cast<double>(record.step_control()->rejected);
    }
  });
  if (failure) figures.energy_J = std::nan("");
  return figures;
}

/// How many fixed steps reach this error: by a straight line in logarithms between (or beyond) those measured.
double fixed_steps_for(double error, const std::vector<StepControlFigures>& fixed) {
  std::size_t i = 0;
  while (i + 2 < fixed.size() && fixed[i + 1].energy_J > error) ++i;
  const double slope =
      std::log(fixed[i + 1].steps / fixed[i].steps) / std::log(fixed[i + 1].energy_J / fixed[i].energy_J);
  return fixed[i].steps * std::pow(error / fixed[i].energy_J, slope);
}

/// Where fewer steps than fixed ones are expected. In s-s without damping the errors of fixed steps cancel over a period,
/// and hold breaks even; at the loosest tolerance the undamped run is useless anyway.
bool gains(const StepControlSetup& setup, double rtol) {
  if (setup.arrangement == "s-s") return setup.damping_Ns_m > 0.0 && setup.extrapolation == "linear";
  return setup.damping_Ns_m > 0.0 || rtol < 5e-3;
}

std::vector<StepControlSetup> all_setups() {
  std::vector<StepControlSetup> setups;
  for (const double damping : {0.0, 1.0}) {
    for (const std::string extrapolation : {"hold", "linear"}) {
      setups.push_back({"f-s", damping, extrapolation, "refresh"});
      setups.push_back({"f-s", damping, extrapolation, "stale"});
      setups.push_back({"s-s", damping, extrapolation, ""});
    }
  }
  return setups;
}

}  // namespace

std::vector<Row> step_control(const std::filesystem::path& folder) {
  std::vector<Row> rows;
  for (const StepControlSetup& setup : all_setups()) {
    Case settings = {{"arrangement", setup.arrangement},
                     {"c", setup.damping_Ns_m},
                     {"extrapolation", setup.extrapolation}};
    if (!setup.feedthrough.empty()) settings.emplace_back("feedthrough", setup.feedthrough);
    std::vector<StepControlFigures> fixed;
    for (const double H : {1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4}) {
      fixed.push_back(simulate(folder, setup, fmt::format("simulation.step_size={}", H)));
      Case with_step = settings;
      with_step.emplace_back("H", H);
      rows.push_back({with_step, "max_energy_error", "J", {}, {}, fixed.back().energy_J});
      rows.push_back({with_step, "steps", "", {}, {}, fixed.back().steps});
    }
    double previous_error = 0.0;
    for (const double rtol : {1e-2, 1e-3, 1e-4, 1e-5}) {
      const StepControlFigures ours = simulate(folder, setup, fmt::format("step_control.rtol={}", rtol));
      const double equal = fixed_steps_for(ours.energy_J, fixed);
      Case with_tolerance = settings;
      with_tolerance.emplace_back("rtol", rtol);
      std::optional<Expectation> falls;
      if (previous_error > 0.0) falls = Expectation{.max = previous_error};
      previous_error = ours.energy_J;
      rows.push_back({with_tolerance, "max_energy_error", "J", {}, falls, ours.energy_J});
      rows.push_back({with_tolerance, "steps", "", {}, {}, ours.steps});
      rows.push_back({with_tolerance, "rejections", "", {}, {}, ours.rejections});
      rows.push_back({with_tolerance, "fixed_steps_of_equal_error", "", {}, {}, equal});
      std::optional<Expectation> fewer;
      if (gains(setup, rtol)) fewer = Expectation{.max = 1.0};
      rows.push_back({with_tolerance, "steps_relative", "", {}, fewer, ours.steps / equal});
    }
  }
  return rows;
}

}  // namespace ergon::bench

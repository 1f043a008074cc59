// Systems beside the published ones, against the matrix exponential.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/convergence.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path lim_folder =
    std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator";

// Started without force, semi-implicit Euler is the leapfrog, whose positions are of order 2; linear extrapolation and
// refresh leave no larger error, at rate ratio 7 as well: halving both steps quarters the error.
TEST(OtherSystems, HeavyMassAtRateRatioSevenConverges) {
  TwoMassOscillator data;
  data.m1 = 3.0;
  const auto a = data.matrix();
  const numerics::LinearSolution exact(a, data.z0);
  std::vector<double> steps;
  std::vector<double> errors;
  for (const int n : {1, 2, 4, 8}) {
    const double h = 1e-4 / n;
    Simulation simulation(
        lim_folder / "f-s.toml",
        {"left.m=3", fmt::format("left.step_size=7e-4/{}", n), fmt::format("right.step_size=1e-4/{}", n),
         "simulation.stop_time=1.4", "coupling.extrapolation=linear", "bond.coupling.feedthrough=refresh"});
    const Index x1 = simulation.output("left.position");
    const Index x2 = simulation.output("right.position");
    double worst = 0.0;
    int points = 0;
    const auto failure = simulation.for_each_point([&](const StepRecord& record) {
      std::array<double, 4> z{};
      exact.at(record.time_s(), z);
      ++points;
      if (simulation.engine().record().tick() % 7 != 0) return;
      worst = std::max({worst, std::abs(record.output(x1) - z[0]), std::abs(record.output(x2) - z[1])});
    });
    EXPECT_FALSE(failure);
    EXPECT_EQ(points, 14000 * n + 1);
    steps.push_back(h);
    errors.push_back(worst);
  }
  EXPECT_NEAR(numerics::fitted_order(steps, errors), 2.0, 0.1) << fmt::format("{}", fmt::join(errors, ", "));
}

/// Three masses in a row, each with its own communication step; the middle one takes a force from the left and gives
/// one to the right.
std::string three_masses(const std::string& h1, const std::string& h2, const std::string& h3) {
  return fmt::format(R"(
[simulation]
stop_time = 0.6
[[subsystem]]
name = "one"
model = "oscillator.force_output"
step_size = "{}"
parameters = {{ m = 1.0, k = 50.0, kc = 80.0 }}
initial = {{ v = 1.0 }}
[[subsystem]]
name = "two"
model = "oscillator.force_output"
step_size = "{}"
parameters = {{ m = 2.0, k = 0.0, kc = 60.0, force_ports = 1 }}
[[subsystem]]
name = "three"
model = "oscillator.mass"
step_size = "{}"
parameters = {{ m = 1.5, k = 40.0 }}
[[bond]]
name = "one-two"
a = {{ effort = "one.force", flow = "one.velocity_in", displacement = "one.position_in" }}
b = {{ effort = "two.force_in", flow = "two.velocity", displacement = "two.position" }}
[[bond]]
name = "two-three"
a = {{ effort = "two.force", flow = "two.velocity_in", displacement = "two.position_in" }}
b = {{ effort = "three.force", flow = "three.velocity", displacement = "three.position" }}
)",
                     h1, h2, h3);
}

// 1, 2 and 3 ms: no two of them share a macro step below 6 ms. The error at common points falls with order 1.
TEST(OtherSystems, ThreeMassesWithOneTwoAndThreeMillisecondsConverge) {
  const std::vector<double> a = {0,    0,   0,
                                 1,    0,   0,  //
                                 0,    0,   0,
                                 0,    1,   0,  //
                                 0,    0,   0,
                                 0,    0,   1,  //
                                 -130, 80,  0,
                                 0,    0,   0,  //
                                 40,   -70, 30,
                                 0,    0,   0,  //
                                 0,    40,  -(40.0 + 60.0) / 1.5,
                                 0,    0,   0};
  const std::vector<double> z0 = {0, 0, 0, 1, 0, 0};
  const numerics::LinearSolution exact(a, z0);
  std::vector<double> steps;
  std::vector<double> errors;
  for (const int n : {1, 2, 4, 8, 16}) {
    const auto file =
        std::filesystem::temp_directory_path() / fmt::format("ergon-three-masses-{}-{}.toml", n, getpid());
    std::ofstream(file) << three_masses(fmt::format("1e-3/{}", n), fmt::format("2e-3/{}", n),
                                        fmt::format("3e-3/{}", n));
    Simulation simulation(file);
    std::filesystem::remove(file);
    const Index x[] = {simulation.output("one.position"), simulation.output("two.position"),
                       simulation.output("three.position")};
    double worst = 0.0;
    const auto failure = simulation.for_each_point([&](const StepRecord& record) {
      if (record.tick() % 6 != 0) return;
      std::vector<double> z(6);
      exact.at(record.time_s(), z);
      for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(record.output(x[i]) - z[i]));
    });
    EXPECT_FALSE(failure);
    steps.push_back(1e-3 / n);
    errors.push_back(worst);
  }
  EXPECT_NEAR(numerics::fitted_order(steps, errors), 1.0, 0.15) << fmt::format("{}", fmt::join(errors, ", "));
  EXPECT_LT(errors.back(), 2e-4);
}

}  // namespace
}  // namespace ergon::bench

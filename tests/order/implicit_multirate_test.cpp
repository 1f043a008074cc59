// Order of convergence of implicit coupling with several steps of the fast subsystems in one of the slowest, in the maximum norm;
// accurate subsystems, so that nothing but the coupling error is left.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/convergence.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path benchmark_folders = std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks";

struct MultirateProblem {
  std::string scenario;
  std::vector<std::string> names;  ///< of the masses, the slow one first
  numerics::LinearSolution exact;  ///< positions, then velocities
  std::vector<std::string> settings{};
};

MultirateProblem two_masses(const std::string& arrangement) {
  const TwoMassOscillator data;
  const auto a = data.matrix();
  return {"lim-oscillator/" + arrangement + ".toml", {"left", "right"}, {a, data.z0}};
}

/// m₁ and m₂ hang on m₃: all masses 1 kg, springs to the wall 10, 10, 1000 N/m, between them 100 N/m [rodriguez2022, Table 2].
MultirateProblem three_masses() {
  constexpr double kc = 100.0;
  const double k[3] = {10.0, 10.0, 1000.0};
  std::vector<double> a(36, 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    a[i * 6 + 3 + i] = 1.0;
    a[(3 + i) * 6 + i] = -k[i] - (i < 2 ? kc : 2.0 * kc);
  }
  for (const std::size_t i : {0U, 1U}) a[(3 + i) * 6 + 2] = a[5 * 6 + i] = kc;
  const std::vector<double> z0 = {0.0, 0.0, 0.0, 100.0, 100.0, -100.0};
  return {"residual-multiple/multiple-3.toml",
          {"m1", "m2", "m3"},
          {a, z0},
          {"bond.bond1.correction=", "bond.bond2.correction="}};
}

/// Largest error of a position in [0, 0.4 s].
double coupling_error(const MultirateProblem& problem, const std::string& scheme, double H, int ratio) {
  // RK4 with an internal step of 5e-5: error about 1e-10 m, far below that of the coupling.
  std::vector<std::string> settings = {"coupling.scheme=" + scheme, "coupling.degree=1",
                                       "simulation.stop_time=0.4", fmt::format("simulation.step_size={}", H)};
  settings.insert(settings.end(), problem.settings.begin(), problem.settings.end());
  for (const std::string& name : problem.names) {
    settings.push_back(fmt::format("{}.integrator={{method=\"rk4\",step=5e-5}}", name));
    if (name != problem.names.front()) settings.push_back(fmt::format("{}.step_size={}", name, H / ratio));
  }
  Simulation simulation(benchmark_folders / problem.scenario, settings);
  std::vector<Index> positions;
  for (const std::string& name : problem.names) positions.push_back(simulation.output(name + ".position"));
  std::vector<double> z(2 * positions.size());
  double worst = 0.0;
  std::size_t points = 0;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    ++points;
    problem.exact.at(record.time_s(), z);
    for (std::size_t i = 0; i < positions.size(); ++i)
      worst = std::max(worst, std::abs(record.output(positions[i]) - z[i]));
  }));
  EXPECT_EQ(points, static_cast<std::size_t>(std::lround(0.4 / H)) + 1) << "points are those of the slowest";
  return worst;
}

class ImplicitMultirate : public testing::TestWithParam<int> {};

// The polynomials through the coupling variables are those of the slowest step, whatever the ratio: order k + 1 = 2.
TEST_P(ImplicitMultirate, IsOfSecondOrder) {
  const int ratio = GetParam();
  std::vector<MultirateProblem> problems;
  for (const char* arrangement : {"f-s", "s-s", "f-f"}) problems.push_back(two_masses(arrangement));
  problems.push_back(three_masses());
  const std::vector<double> steps = {4e-3, 2e-3, 1e-3, 5e-4};
  for (const char* scheme : {"semi-implicit", "implicit"}) {
    for (const MultirateProblem& problem : problems) {
      std::vector<double> errors;
      for (const double H : steps) errors.push_back(coupling_error(problem, scheme, H, ratio));
      const double order = numerics::fitted_order(steps, errors);
      EXPECT_GE(order, 1.9) << scheme << ' ' << problem.scenario << ": " << fmt::format("{}", errors);
      EXPECT_LE(order, 2.3) << scheme << ' ' << problem.scenario << ": " << fmt::format("{}", errors);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ratios, ImplicitMultirate, testing::Values(2, 5, 10));

// Linear subsystems that integrate exactly do not see into how many steps theirs is cut.
TEST(ImplicitMultirateSteps, LeaveTheSolutionOfTheSlowestStepWhereItIs) {
  const MultirateProblem problem = two_masses("f-s");
  const double whole = coupling_error(problem, "implicit", 1e-3, 1);
  for (const int ratio : {2, 5, 10})
    EXPECT_NEAR(coupling_error(problem, "implicit", 1e-3, ratio), whole, 1e-6 * whole) << ratio;
}

// A sweep that is repeated ends where Newton's iteration does, whoever comes first, in any arrangement and at any ratio.
TEST(ImplicitSweeps, EndWhereNewtonsIterationDoes) {
  const auto course = [](const std::string& file, int ratio, const std::vector<std::string>& more) {
    std::vector<std::string> settings = {
        "coupling.scheme=implicit",   "coupling.degree=1",
        "coupling.tolerance=1e-12",   "simulation.stop_time=0.2",
        "left.integrator.method=rk4", "right.integrator.method=rk4",
        "simulation.step_size=2e-3",  fmt::format("right.step_size={}", 2e-3 / ratio)};
    settings.insert(settings.end(), more.begin(), more.end());
    Simulation simulation(benchmark_folders / "lim-oscillator" / file, settings);
    const Index x2 = simulation.output("right.position");
    std::vector<double> values;
    EXPECT_FALSE(
        simulation.for_each_point([&](const StepRecord& record) { values.push_back(record.output(x2)); }));
    return values;
  };
  for (const char* file : {"f-s.toml", "s-s.toml", "f-f.toml"}) {
    for (const int ratio : {1, 4}) {
      const auto newton = course(file, ratio, {});
      for (const char* first : {"left", "right"}) {
        const auto sweeps =
            course(file, ratio,
                   {"coupling.acceleration=gauss-seidel", fmt::format("coupling.order=[\"{}\"]", first)});
        ASSERT_EQ(sweeps.size(), newton.size());
        for (std::size_t i = 0; i < sweeps.size(); ++i)
          ASSERT_NEAR(sweeps[i], newton[i], 1e-9) << file << ' ' << first << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace ergon::bench

// What every coupling scheme of the registry promises; a new one runs through this without being named here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/convergence.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path lim_folder =
    std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator";

/// x1, x2 at every communication point.
std::vector<double> positions(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Simulation simulation(file, overrides);
  const Index x1 = simulation.output("left.position");
  const Index x2 = simulation.output("right.position");
  std::vector<double> values;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    values.push_back(record.output(x1));
    values.push_back(record.output(x2));
  }));
  return values;
}

class SchemeContract : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::vector<std::string> with(std::vector<std::string> settings) const {
    settings.push_back("coupling.scheme=" + GetParam());
    if (is_implicit()) settings.push_back("coupling.accept_unstable=true");
    return settings;
  }
  /// Implicit schemes take ratios of steps that are whole numbers.
  [[nodiscard]] bool is_implicit() const { return find_scheme(GetParam())->solves_for_coupling_variables(); }
};

TEST_P(SchemeContract, ARunRepeatsBitForBit) {
  for (const char* file : {"f-s.toml", "s-s.toml", "f-f.toml"}) {
    auto settings = with({"simulation.stop_time=0.5", "coupling.extrapolation=linear"});
    settings.emplace_back(is_implicit() ? "right.step_size=2.5e-4" : "right.step_size=3e-4");
    EXPECT_EQ(positions(lim_folder / file, settings), positions(lim_folder / file, settings)) << file;
  }
}

// Without coupling stiffness there is nothing to exchange: any scheme is then the two masses on their own.
TEST_P(SchemeContract, LeavesUncoupledSubsystemsAlone) {
  const std::vector<std::string> uncoupled = {"simulation.stop_time=0.5", "left.kc=0"};
  EXPECT_EQ(positions(lim_folder / "f-s.toml", with(uncoupled)),
            positions(lim_folder / "f-s.toml",
                      {"simulation.stop_time=0.5", "left.kc=0", "coupling.scheme=jacobi"}));
}

// The scheme decides the order of execution, never the order in which a file lists things.
TEST_P(SchemeContract, DoesNotDependOnTheOrderOfTheFile) {
  std::ifstream stream(lim_folder / "s-s.toml");
  const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const auto left = text.find("[[subsystem]]");
  const auto right = text.find("[[subsystem]]", left + 1);
  const auto rest = text.find("[[connection]]");
  const std::string swapped = text.substr(0, left) + text.substr(right, rest - right) +
                              text.substr(left, right - left) + text.substr(rest);
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("ergon-swapped-{}-{}.toml", GetParam(), getpid());
  std::ofstream(file) << swapped;
  const auto settings = with({"simulation.stop_time=0.5"});
  EXPECT_EQ(positions(file, settings), positions(lim_folder / "s-s.toml", settings));
  std::filesystem::remove(file);
}

// At least order 1 with hold, at least order 2 with linear extrapolation, accurate subsystems.
TEST_P(SchemeContract, ConvergesToTheAnalyticSolution) {
  const TwoMassOscillator data;
  const auto a = data.matrix();
  const numerics::LinearSolution exact(a, data.z0);
  for (const auto& [extrapolation, order] : {std::pair{"hold", 1}, std::pair{"linear", 2}}) {
    std::vector<double> steps;
    std::vector<double> errors;
    for (const double H : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
      auto settings = with({"left.integrator.method=rk4", "right.integrator.method=rk4",
                            "left.integrator.step=1e-4", "right.integrator.step=1e-4",
                            "simulation.stop_time=0.5", fmt::format("simulation.step_size={}", H),
                            fmt::format("coupling.extrapolation={}", extrapolation)});
      if (is_implicit()) settings.push_back(fmt::format("coupling.degree={}", order - 1));
      Simulation simulation(lim_folder / "s-s.toml", settings);
      const Index x1 = simulation.output("left.position");
      const Index x2 = simulation.output("right.position");
      double worst = 0.0;
      EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
        std::array<double, 4> z{};
        exact.at(record.time_s(), z);
        worst = std::max({worst, std::abs(record.output(x1) - z[0]), std::abs(record.output(x2) - z[1])});
      }));
      steps.push_back(H);
      errors.push_back(worst);
    }
    EXPECT_GE(numerics::fitted_order(steps, errors), order - 0.1) << extrapolation;
  }
}

std::vector<std::string> scheme_names() {
  std::vector<std::string> names;
  for (const Scheme* scheme : schemes()) names.emplace_back(scheme->name());
  return names;
}

std::string test_name_of(const ::testing::TestParamInfo<std::string>& scheme) {
  std::string name = scheme.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, SchemeContract, ::testing::ValuesIn(scheme_names()), test_name_of);

}  // namespace
}  // namespace ergon::bench

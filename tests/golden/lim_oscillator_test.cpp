#include <gtest/gtest.h>

#include <cmath>

#include "ergon/run/simulation.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator";

TEST(LimOscillator, ReachesEveryKnownFigureToItsPrintedDigits) {
  // 2 figures in each of: stale, refresh, s-s, f-f, three Gauss–Seidel arrangements, six multi-rate rows.
  expect_all_known_figures("lim-oscillator", 26);
}

/// x1, x2, v1, v2 at every communication point.
std::vector<double> trajectory(const std::string& file, const std::vector<std::string>& overrides) {
  Simulation simulation(folder / file, overrides);
  const bool monolithic = file == "monolithic.toml";
  const std::vector<std::string> names =
      monolithic
          ? std::vector<std::string>{"both.position[0]", "both.position[1]", "both.velocity[0]",
                                     "both.velocity[1]"}
          : std::vector<std::string>{"left.position", "right.position", "left.velocity", "right.velocity"};
  std::vector<Index> outputs;
  for (const std::string& name : names) outputs.push_back(simulation.output(name));
  std::vector<double> values;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    for (const Index o : outputs) values.push_back(record.output(o));
  });
  EXPECT_FALSE(failure);
  return values;
}

const std::vector<std::string> damped_left = {"left.c=0.01", "left.cc=0.01", "right.c=0.01"};

// Semi-implicit Euler uses the positions at the start of the step, whoever evaluates the coupling force; with one
// expression order the bits are the same however the oscillator is cut.
TEST(LimOscillator, SingleRateJacobiIsBitwiseTheMonolithicRun) {
  const auto monolithic = trajectory("monolithic.toml", {});
  EXPECT_EQ(trajectory("s-s.toml", {}), monolithic);
  EXPECT_EQ(trajectory("f-f.toml", {}), monolithic);
  EXPECT_EQ(trajectory("f-s.toml", {"bond.coupling.feedthrough=refresh"}), monolithic);
  EXPECT_NE(trajectory("f-s.toml", {}), monolithic);
}

TEST(LimOscillator, SingleRateJacobiIsBitwiseTheMonolithicRunWithDamping) {
  const auto monolithic = trajectory("monolithic.toml", {"both.c=[0.01, 0.01]", "both.cc=[0.01]"});
  EXPECT_EQ(trajectory("s-s.toml", {"left.c=0.01", "right.c=0.01", "left.cc=0.01", "right.cc=0.01"}),
            monolithic);
  EXPECT_EQ(trajectory("f-f.toml", {"left.c=0.01", "right.c=0.01", "spring.c=0.01"}), monolithic);
  auto refreshed = damped_left;
  refreshed.emplace_back("bond.coupling.feedthrough=refresh");
  EXPECT_EQ(trajectory("f-s.toml", refreshed), monolithic);
}

TEST(LimOscillator, GaussSeidelIsTheSameInAllThreeArrangements) {
  for (const std::string order : {"left", "right"}) {
    const std::vector<std::string> set = {"coupling.scheme=gauss-seidel",
                                          "coupling.order=[\"" + order + "\"]"};
    const auto reference = trajectory("s-s.toml", set);
    EXPECT_EQ(trajectory("f-f.toml", set), reference) << order;
    EXPECT_EQ(trajectory("f-s.toml", set), reference) << order;
  }
}

TEST(LimOscillator, ThreadsDoNotChangeABit) {
  const auto one = trajectory("f-s.toml", {});
  EXPECT_EQ(trajectory("f-s.toml", {"simulation.threads=2"}), one);
  EXPECT_EQ(trajectory("f-s.toml", {"simulation.threads=3"}), one);
}

// Interface power from the inputs actually applied predicts the true energy change; the residual of plain samples
// does not. H = 0.1 ms, 10 s; true changes: 0.017 J (exact subsystems, refresh, linear), 628 J (semi-implicit Euler,
// stale), 996 J (exact subsystems, stale, hold).
struct ResidualFigures {
  double residual_J = 0.0;
  double interface_J = 0.0;
  double imbalance_J = 0.0;
};

ResidualFigures residuals(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), "simulation.step_size=1e-4");
  Simulation simulation(folder / "f-s.toml", overrides);
  ResidualFigures figures;
  simulation.for_each_point([&](const StepRecord& record) {
    const BondRecord& bond = record.bonds()[0];
    figures = {bond.residual_energy_J, bond.interface_energy_J, record.imbalance_J(0)};
  });
  return figures;
}

TEST(BondResiduals, InterfacePowerTellsTheTruthWhereTheResidualOfPlainSamplesDoesNot) {
  const std::vector<std::string> accurate = {"left.integrator.method=rk4", "right.integrator.method=rk4"};
  const auto stale_euler = residuals({});
  EXPECT_NEAR(stale_euler.interface_J, 655.0, 0.5);
  EXPECT_NEAR(stale_euler.residual_J, 1306.0, 1.0);
  EXPECT_NEAR(stale_euler.imbalance_J, 628.0, 5.0);

  const auto stale_exact = residuals(accurate);
  EXPECT_NEAR(stale_exact.interface_J, 1349.0, 0.5);
  EXPECT_NEAR(stale_exact.imbalance_J, 996.0, 5.0);  // the last jump of the held input is still to come

  auto refreshed = accurate;
  refreshed.insert(refreshed.end(), {"bond.coupling.feedthrough=refresh", "coupling.extrapolation=linear"});
  const auto refresh_exact = residuals(refreshed);
  EXPECT_NEAR(refresh_exact.interface_J, 0.028, 0.0005);
  EXPECT_NEAR(refresh_exact.residual_J, 1239.0, 1.0);
  EXPECT_NEAR(refresh_exact.imbalance_J, 0.017, 0.005);
}

// Multi-rate with refresh: the held force is the only error left. It is the f-f arrangement in other words (3626 J).
TEST(BondResiduals, TheImbalanceOfAccountsSeesAForceHeldOverManySteps) {
  const std::vector<std::string> multirate = {"bond.coupling.feedthrough=refresh", "left.step_size=1e-3",
                                              "right.step_size=1e-4"};
  const auto held = residuals(multirate);
  EXPECT_GT(held.imbalance_J, 1000.0);
  EXPECT_GT(held.interface_J, 1000.0);
  auto with_linear = multirate;
  with_linear.emplace_back("coupling.extrapolation=linear");
  const auto linear = residuals(with_linear);
  EXPECT_LT(std::abs(linear.imbalance_J), 100.0);
  EXPECT_LT(std::abs(linear.interface_J), 100.0);
}

}  // namespace
}  // namespace ergon::bench

// Convergence studies of the two-mass oscillator: orders that theory gives to its couplings, and bars against the exact motion.
#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "benchmarks/verdict/convergence_bars.hpp"
#include "ergon/study/converge.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::bench {
namespace {

namespace fs = std::filesystem;
const fs::path lim_oscillators = fs::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator";

/// Integrators of order four: what is left is the error of the coupling.
study::ConvergeOptions accurately_integrated(const std::string& arrangement,
                                             const std::string& extrapolation) {
  study::ConvergeOptions options;
  options.scenario = lim_oscillators / (arrangement + ".toml");
  options.overrides.settings = {"left.integrator.method=rk4", "right.integrator.method=rk4",
                                "simulation.stop_time=0.5",   "simulation.step_size=1e-3",
                                "coupling.starter=repeat",    "coupling.extrapolation=" + extrapolation};
  if (arrangement == "f-s") options.overrides.settings.push_back("bond.coupling.feedthrough=refresh");
  return options;
}

study::ConvergenceReport study_report(const study::ConvergenceStudy& convergence, const fs::path& folder) {
  study::ExecuteOptions execution;
  execution.journal = folder / "journal.jsonl";
  execution.restart = true;
  return convergence.report(study::execute(convergence.study(), execution));
}

struct StudyClaim {
  const char* arrangement;
  const char* extrapolation;
  double order;
};
void PrintTo(const StudyClaim& claim, std::ostream* out) {
  *out << claim.arrangement << ' ' << claim.extrapolation;
}
class ConvergenceOrder : public testing::TestWithParam<StudyClaim> {};

// Polynomials of degree k make errors of order k + 1, with a starter that fills their history.
TEST_P(ConvergenceOrder, IsThatOfTheExtrapolation) {
  const StudyClaim& claim = GetParam();
  const ScratchDirectory scratch;
  const study::ConvergenceStudy convergence(accurately_integrated(claim.arrangement, claim.extrapolation));
  const study::ConvergenceReport report = study_report(convergence, scratch / ".");
  ASSERT_EQ(report.steps_s.size(), 5U);
  ASSERT_GE(report.variables.size(), 4U);
  const TwoMassOscillator data;
  const auto a = data.matrix();
  const numerics::LinearSolution exact(a, data.z0);
  std::array<double, 4> z{};
  exact.at(report.compared_to_s, z);
  for (const study::VariableConvergence& v : report.variables) {
    ASSERT_TRUE(v.order) << v.name;
    EXPECT_NEAR(*v.order, claim.order, 0.15) << v.name;
    EXPECT_EQ(v.loss, study::OrderLoss::none) << v.name;
    if (v.name == "left.position") {
      EXPECT_NEAR(v.last_value, z[0], v.last_value_bar);
    }
    if (v.name == "right.velocity") {
      EXPECT_NEAR(v.last_value, z[3], v.last_value_bar);
    }
  }
  // Of order p a hundredth of the accuracy takes steps 100^(1/p) times shorter.
  const auto coarse = study::wanted_step(report, 1e-2);
  const auto fine = study::wanted_step(report, 1e-4);
  ASSERT_TRUE(coarse.step_s && fine.step_s);
  if (*coarse.step_s < report.steps_s.front()) {
    EXPECT_NEAR(*coarse.step_s / *fine.step_s, std::pow(100.0, 1.0 / claim.order), 0.02);
  }
}

INSTANTIATE_TEST_SUITE_P(Oscillators, ConvergenceOrder,
                         testing::Values(StudyClaim{"f-s", "hold", 1.0}, StudyClaim{"f-s", "linear", 2.0},
                                         StudyClaim{"f-s", "quadratic", 3.0},
                                         StudyClaim{"s-s", "linear", 2.0},
                                         StudyClaim{"f-f", "quadratic", 3.0}));

// The step that is told for an accuracy gives it: a run at that step is off by what was asked for, and not by half of it.
TEST(ConvergenceSteps, GiveTheAccuracyThatWasAskedFor) {
  const ScratchDirectory scratch;
  const auto report =
      study_report(study::ConvergenceStudy(accurately_integrated("f-s", "linear")), scratch / ".");
  constexpr double accuracy = 1e-5;
  const auto wanted = study::wanted_step(report, accuracy);
  ASSERT_TRUE(wanted.step_s);
  const TwoMassOscillator data;
  const auto a = data.matrix();
  const numerics::LinearSolution exact(a, data.z0);
  auto options = accurately_integrated("f-s", "linear");
  options.overrides.settings[3] = "simulation.step_size=" + std::to_string(*wanted.step_s);
  Simulation simulation(options.scenario, options.overrides);
  const Index velocity = simulation.output("right.velocity");
  double error = 0.0;
  double low = 0.0, high = 0.0;
  simulation.for_each_point([&](const StepRecord& record) {
    std::array<double, 4> z{};
    exact.at(record.time_s(), z);
    error = std::max(error, std::abs(record.output(velocity) - z[3]));
    low = std::min(low, z[3]);
    high = std::max(high, z[3]);
  });
  ASSERT_EQ(wanted.variable, "right.velocity");
  const double ratio = error / (0.5 * (high - low));
  EXPECT_LE(ratio, 1.05 * accuracy);  // sampled times may miss the largest error by as much
  EXPECT_GE(ratio, 0.5 * accuracy);
}

// With a right mass whose integrator is ten thousand times more accurate the left one makes the error.
TEST(ConvergenceSubsystems, ShowWhoseStepMakesTheError) {
  const ScratchDirectory scratch;
  study::ConvergeOptions options;
  options.scenario = lim_oscillators / "f-s.toml";
  options.overrides.settings = {"left.integrator.method=semi-implicit-euler",
                                "right.integrator.method=rk4",
                                "simulation.stop_time=0.5",
                                "left.step_size=1e-3",
                                "right.step_size=1e-4",
                                "left.k=2000"};
  const auto report = study_report(study::ConvergenceStudy(options), scratch / ".");
  ASSERT_EQ(report.subsystems.size(), 2U);
  EXPECT_EQ(report.subsystems[0].subsystem, "left");
  EXPECT_GT(report.subsystems[0].change, 5.0 * report.subsystems[1].change);
}

TEST(ConvergenceStudies, RefuseStepsThatFollowATolerance) {
  study::ConvergeOptions options;
  options.scenario = lim_oscillators / "f-s.toml";
  options.overrides.settings = {"step_control.rtol=1e-3"};
  EXPECT_THROW(study::ConvergenceStudy{options}, InputError);
  options.overrides.settings = {};
  options.variables = {"nobody.*"};
  EXPECT_THROW(study::ConvergenceStudy{options}, InputError);
  options.variables = {};
  options.levels = 2;
  EXPECT_THROW(study::ConvergenceStudy{options}, InputError);
}

// A sample of what bench/convergence measures with hundreds of drawn systems.
TEST(ConvergenceBars, HoldTheErrorOfRandomSystems) {
  const ScratchDirectory scratch;
  std::vector<ConvergenceBar> bars;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    const auto more = convergence_bars(fs::path(ERGON_SOURCE_DIR) / "benchmarks" / "verdict" / "f-s.toml",
                                       scratch / ".", seed);
    bars.insert(bars.end(), more.begin(), more.end());
  }
  const BarFigures figures = figures_of(bars);
  EXPECT_GE(figures.bars, 150);
  EXPECT_GE(figures.holding_percent(), 95.0);
  EXPECT_LE(figures.median_ratio, 2.0);
  EXPECT_LE(figures.not_given, 8);
}

}  // namespace
}  // namespace ergon::bench

// What settings cost to an accuracy, and what controlled steps reach of the tolerance that is asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "benchmarks/tolerances/tolerances.hpp"
#include "benchmarks/work-precision/cost_table.hpp"
#include "benchmarks/work-precision/measure.hpp"
#include "benchmarks/work-precision/work_precision.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/run/simulation.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

const std::string problem_folder = std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks";

const WorkProblem& problem_named(const std::string& name) {
  const auto& all = work_problems();
  return *std::find_if(all.begin(), all.end(), [&](const WorkProblem& p) { return p.name == name; });
}

const WorkSetting& setting_named(const std::string& name) {
  const auto& all = work_settings();
  return *std::find_if(all.begin(), all.end(), [&](const WorkSetting& s) { return s.name == name; });
}

TEST(WorkPrecision, TheReferenceIsTheAnalyticSolution) {
  const WorkReference reference(problem_named("oscillator f-s"), problem_folder);
  ASSERT_TRUE(reference.converged());
  const TwoMassOscillator data;
  const auto matrix = data.matrix();
  const numerics::LinearSolution exact(matrix, data.z0);
  std::array<double, 4> z{};
  for (const double t_s : {0.1, 1.2345, 5.0, 7.7777, 10.0}) {
    exact.at(t_s, z);
    EXPECT_LT(reference.error(t_s, {z[0], z[1]}), 1e-5) << t_s;
    EXPECT_GT(reference.error(t_s, {1.01 * z[0] + 1.0, z[1]}), 1e-3) << t_s;
  }
}

// Held inputs are of first order whatever follows them, quadratic ones of third where the history is right from the start; without a
// starter, as in 2027.1, the first step leaves an error of second order that is small beside the others.
TEST(WorkPrecision, ErrorsFallWithTheOrderOfTheExtrapolation) {
  const WorkProblem& problem = problem_named("oscillator f-s");
  const WorkReference reference(problem, problem_folder);
  const auto error = [&](const char* setting, int refinement) {
    const auto run = work_run(problem, setting_named(setting), true, refinement, problem_folder, reference);
    EXPECT_TRUE(run) << setting;
    return run->error;
  };
  const auto order = [&](const char* setting, int refinement) {
    return std::log2(error(setting, refinement) / error(setting, 2 * refinement));
  };
  // Held inputs are off by half of the motion at 64.
  EXPECT_NEAR(order("edition 2026.1", 256), 1.0, 0.1);
  EXPECT_NEAR(order("quadratic, refresh, starter", 64), 3.0, 0.1);
  EXPECT_NEAR(order("cubic, refresh, starter", 64), 4.0, 0.3);
  EXPECT_LT(error("edition 2027.1", 128), 1e-3 * error("edition 2026.1", 128));
}

// Of receivers that look at their inputs at the start of a step both editions are the same run.
TEST(WorkPrecision, EditionsAgreeWhereNobodyFollowsInputs) {
  const WorkProblem& problem = problem_named("haptic device");
  const WorkReference reference(problem, problem_folder);
  for (const int refinement : {16, 64}) {
    const auto old =
        work_run(problem, setting_named("edition 2026.1"), false, refinement, problem_folder, reference);
    const auto now =
        work_run(problem, setting_named("edition 2027.1"), false, refinement, problem_folder, reference);
    ASSERT_TRUE(old && now);
    EXPECT_EQ(old->error, now->error);
    EXPECT_EQ(old->evaluations, now->evaluations);
  }
}

// A fast receiver that looks at its inputs at the start of its steps sees them move in a step of the slow one.
TEST(WorkPrecision, FastReceiversFollowTheirInputs) {
  for (const char* name : {"damped, 20 : 1", "heavy, 10 : 1"}) {
    const auto positions = [&](const char* setting) {
      const WorkProblem& problem = problem_named(name);
      auto settings = run_settings(problem, setting_named(setting), false, 50);
      settings.emplace_back("simulation.stop_time=0.5");
      Simulation simulation(problem_folder + "/" + problem.scenario, settings);
      simulation.run();
      return std::pair(simulation.value("left.position"), simulation.value("right.position"));
    };
    EXPECT_EQ(positions("edition 2027.1"), positions("quadratic, refresh")) << name;
    EXPECT_NE(positions("edition 2027.1"), positions("edition 2026.1")) << name;
  }
}

TEST(WorkPrecision, ACostIsOfTheLargestStepBelowWhichAllReachTheAccuracy) {
  const WorkProblem& problem = problem_named("haptic device");
  const WorkReference reference(problem, problem_folder);
  const WorkCost cost =
      work_cost(problem, setting_named("quadratic, refresh"), true, problem_folder, reference, 5e5);
  ASSERT_TRUE(cost.at_1_percent && cost.at_01_percent);
  EXPECT_LT(cost.at_1_percent->evaluations, cost.at_01_percent->evaluations);
  double dearest_miss = 0.0;
  for (const WorkRun& run : cost.runs) {
    if (run.evaluations >= cost.at_1_percent->evaluations) {
      EXPECT_LE(run.error, 1e-2);
    }
    if (run.error > 1e-2) dearest_miss = std::max(dearest_miss, run.evaluations);
  }
  EXPECT_GT(dearest_miss, 0.0);
  const auto between = std::count_if(cost.runs.begin(), cost.runs.end(), [&](const WorkRun& run) {
    return run.evaluations > dearest_miss && run.evaluations < cost.at_1_percent->evaluations;
  });
  EXPECT_EQ(between, 0);
}

TEST(WorkPrecision, CostsAreComparedWithTheCheapestOfTheOthers) {
  std::vector<Row> rows;
  const auto add = [&](const char* problem, const char* origin, const char* setting, double cost) {
    rows.push_back(
        {{{"problem", problem}, {"integrator", "within"}, {"origin", origin}, {"setting", setting}},
         "evaluations_1%",
         "",
         {},
         {},
         cost});
  };
  const double never = std::numeric_limits<double>::infinity();
  for (const auto& [problem, ours] : {std::pair("a", 50.0), std::pair("b", 20.0), std::pair("c", never)}) {
    add(problem, "others", "Jacobi, hold, stale", 400.0);
    add(problem, "others", "Newton-iterated", 100.0);
    add(problem, "default", "edition 2027.1", ours);
  }
  // Where nobody else arrives whoever does is ahead; where nobody does there is nothing to compare.
  for (const char* problem : {"d", "e"}) add(problem, "others", "Newton-iterated", never);
  add("d", "default", "edition 2027.1", 7.0);
  add("e", "default", "edition 2027.1", never);
  const RelativeCosts costs(rows);
  EXPECT_EQ(costs.ratios("1%", "edition 2027.1", "within"), (std::vector<double>{0.5, 0.2, never, 0.0}));
  EXPECT_EQ(costs.ratios("1%", "edition 2027.1", "start"), std::vector<double>{});
  EXPECT_NE(costs.by_setting().find("  0.35  > all"), std::string::npos) << costs.by_setting();
  const std::string by_problem = costs.by_problem();
  EXPECT_NE(by_problem.find("100  Newton-iterated"), std::string::npos) << by_problem;
  EXPECT_EQ(by_problem.find("400"), std::string::npos) << by_problem;
}

TEST(WorkPrecision, RefusesConditionsThatNothingMeets) {
  EXPECT_THROW(work_precision(problem_folder + "/work-precision", {{"problem", "pendulums"}}), InputError);
  EXPECT_THROW(work_precision(problem_folder + "/work-precision", {{"integrator", "both"}}), InputError);
  EXPECT_THROW(tolerances(problem_folder + "/tolerances", {{"family", "wild"}}), InputError);
}

// Networks that no limit was fixed with, against exact solutions.
TEST(Tolerances, AreKeptWithinAFactorOfThree) {
  std::vector<double> ratios;
  constexpr double rtol = 1e-2;
  for (const std::string& family : controlled_families()) {
    for (unsigned seed = 1001; seed <= 1006; ++seed) {
      for (const char* method : {"richardson", "milne"})
        ratios.push_back(controlled_network_error(family, seed, method, rtol) / rtol);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  EXPECT_LE(ratios[ratios.size() * 95 / 100], 3.0);
  const double median = ratios[ratios.size() / 2];
  EXPECT_GT(median, 0.03);
  EXPECT_LT(median, 1.0);
}

}  // namespace
}  // namespace ergon::bench

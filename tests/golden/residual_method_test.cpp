// The residual-power correction step by step, against a transcription of the method that shares nothing with the engine.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/rodriguez2022/residual_run.hpp"
#include "ergon/run/simulation.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path residual_scenario = benchmark_folder("residual-oscillator") / "double.toml";
constexpr double residual_H = ResidualProblem::macro_step_s;

/// What is known at a macro point.
struct Point {
  double x1, x2, v1, v2;
  double f;   ///< uncorrected force on mass 2
  double dP;  ///< residual power
  double fc;  ///< correction of the next macro step
};

/// D: mass 1 with n_D steps per macro step, N: mass 2 with n_N; of extrapolated samples each sees the value at the start of
/// its step.                                                                     [rodriguez2022, (9), (11), (14)–(17)]
std::vector<Point> transcribed(const ResidualRun& run, std::size_t macro_steps) {
  const MassChain::Parameters& p = run.problem.masses;
  const double m1 = p.mass_kg[0], m2 = p.mass_kg[1];
  const double k1 = p.ground_spring[0].stiffness, k2 = p.ground_spring[1].stiffness;
  const double kc = p.coupling_spring[0].stiffness;
  const double c1 = p.ground_damper[0].coefficient, c2 = p.ground_damper[1].coefficient;
  const double cc = p.coupling_damper[0].coefficient;
  const auto n_D = std::lround(residual_H / run.schedule.sender_step_s);
  const auto n_N = std::lround(residual_H / run.schedule.receiver_step_s);
  const double h_D = residual_H / static_cast<double>(n_D), h_N = residual_H / static_cast<double>(n_N);
  const bool linear = run.schedule.extrapolation == "linear";
  const double mu = run.correction.mu.value(), nu = run.correction.nu, cap = run.correction.limit;

  double x1 = 0.0, x2 = 0.0, v1 = 100.0, v2 = -100.0;
  double f = kc * (x1 - x2) + cc * (v1 - v2);
  double f_before = f, x2_before = x2, v2_before = v2;
  double fc = 0.0, zeta = 0.0, U = 0.0;
  std::vector<Point> points = {{x1, x2, v1, v2, f, 0.0, fc}};
  for (std::size_t k = 1; k <= macro_steps; ++k) {
    const double slope = linear && k > 1 ? 1.0 : 0.0;
    const double x2_start = x2, v2_start = v2;
    double x_used = 0.0, v_used = 0.0;
    for (long l = 0; l < n_D; ++l) {
      const double ahead = slope * static_cast<double>(l) / static_cast<double>(n_D);
      x_used = x2_start + (x2_start - x2_before) * ahead;
      v_used = v2_start + (v2_start - v2_before) * ahead;
      v1 += h_D * (-k1 * x1 - c1 * v1 - kc * (x1 - x_used) - cc * (v1 - v_used)) / m1;
      x1 += h_D * v1;
    }
    for (long l = 0; l < n_N; ++l) {
      const double ahead = slope * static_cast<double>(l) / static_cast<double>(n_N);
      v2 += h_N * (-k2 * x2 - c2 * v2 + f + (f - f_before) * ahead + fc) / m2;
      x2 += h_N * v2;
    }
    const double f1 = kc * (x1 - x_used) + cc * (v1 - v_used);  // stale
    const double dP = f * v2 - f1 * v2_start;
    U += zeta + fc * v2 * residual_H;
    zeta = mu * residual_H * dP;
    fc = std::clamp(-(zeta + nu * U) / (v2 * residual_H), -cap * std::abs(f1), cap * std::abs(f1));
    f_before = f;
    x2_before = x2_start;
    v2_before = v2_start;
    f = f1;
    points.push_back({x1, x2, v1, v2, f, dP, fc});
  }
  return points;
}

std::vector<Point> by_engine(const ResidualRun& run) {
  Simulation names(residual_scenario);
  const Index force_given = names.output("m1.force");
  const Index force_felt = names.system().find_input("m2.force").value();
  const bool held = run.schedule.extrapolation == "hold";
  std::vector<Point> points;
  EXPECT_TRUE(follow_residual_run(residual_scenario, run, [&](const ResidualPoint& now) {
    // The correction of the step that ends here: what the receiver felt beyond the force that was held.
    if (now.j > 0 && held) points.back().fc = now.record->applied_input(force_felt) - points.back().f;
    points.push_back({now.x_m[0], now.x_m[1], now.v_m_s[0], now.v_m_s[1], now.record->output(force_given),
                      now.record->bonds()[0].residual_power_W, 0.0});
  }));
  return points;
}

ResidualRun corrected_run(int number, std::size_t schedule, double nu, double limit) {
  const ResidualSchedule& s = residual_schedules().at(schedule);
  return {double_oscillator(number), s, {ResidualMethod::published, published_mu(s), nu, limit}, "stale"};
}

// Derived by hand for case 1. First step: mass 1 feels nothing, x1 = 0.1 m, and the stale x2 = 0: f = 10 N,
// dP = 0·v2 − 10·(−100) W, fc = −0.5·1000/(−100) N. The digits of the second step are those of the same arithmetic.
TEST(ResidualPowerMethod, TakesTheFirstTwoStepsAsByHand) {
  const auto points = by_engine(corrected_run(1, 0, 0.0, 1.0));
  constexpr double digits = 1e-8;
  EXPECT_NEAR(points[1].f, 10.0, 10.0 * digits);
  EXPECT_NEAR(points[1].dP, 1000.0, 1000.0 * digits);
  EXPECT_NEAR(points[1].fc, 5.0, 5.0 * digits);
  EXPECT_NEAR(points[2].f, 29.9979, 5e-5);
  EXPECT_NEAR(points[2].dP, 2000.94, 5e-3);
  EXPECT_NEAR(points[2].fc, 10.0162187, 5e-8);
  const auto exact = transcribed(corrected_run(1, 0, 0.0, 1.0), 2);
  EXPECT_NEAR(points[2].f, exact[2].f, digits * exact[2].f);
  EXPECT_NEAR(points[2].dP, exact[2].dP, digits * exact[2].dP);
  EXPECT_NEAR(points[2].fc, exact[2].fc, digits * exact[2].fc);
}

struct ResidualComparison {
  std::string name;
  ResidualRun run;
};
std::ostream& operator<<(std::ostream& out, const ResidualComparison& c) {
  return out << c.name;
}

class ResidualPowerTranscription : public testing::TestWithParam<ResidualComparison> {};

// The correction changes sign where v2 does, so that a trajectory depends on its data without being continuous in it: step by
// step for 300 macro steps only.
TEST_P(ResidualPowerTranscription, AgreesStepByStepWithTheEngine) {
  const ResidualRun& run = GetParam().run;
  constexpr std::size_t step_by_step = 300;
  constexpr double tolerance = 1e-8;
  const auto expected = transcribed(run, step_by_step);
  const auto points = by_engine(run);
  Point scale{};
  for (const Point& e : expected) {
    scale.x1 = std::max(scale.x1, std::abs(e.x1));
    scale.x2 = std::max(scale.x2, std::abs(e.x2));
    scale.f = std::max(scale.f, std::abs(e.f));
    scale.dP = std::max(scale.dP, std::abs(e.dP));
  }
  for (std::size_t k = 0; k <= step_by_step; ++k) {
    ASSERT_NEAR(points[k].x1, expected[k].x1, tolerance * scale.x1) << k;
    ASSERT_NEAR(points[k].x2, expected[k].x2, tolerance * scale.x2) << k;
    ASSERT_NEAR(points[k].v1, expected[k].v1, tolerance * 100.0) << k;
    ASSERT_NEAR(points[k].v2, expected[k].v2, tolerance * 100.0) << k;
    ASSERT_NEAR(points[k].f, expected[k].f, tolerance * scale.f) << k;
    ASSERT_NEAR(points[k].dP, expected[k].dP, tolerance * scale.dP) << k;
    if (run.schedule.extrapolation == "hold" && k < step_by_step) {
      ASSERT_NEAR(points[k].fc, expected[k].fc, tolerance * scale.f) << k;
    }
  }
}

std::vector<ResidualComparison> residual_comparisons() {
  std::vector<ResidualComparison> list;
  for (std::size_t s = 0; s < residual_schedules().size(); ++s) {
    std::string name = residual_schedules()[s].name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    list.push_back({name, corrected_run(1, s, 0.0, 1.0)});
    list.push_back({name + "_damped_with_integral_term", corrected_run(2, s, 0.25, 0.1)});
  }
  list.push_back({"single_light_receiver_with_integral_term", corrected_run(7, 0, 0.25, 1.0)});
  return list;
}

INSTANTIATE_TEST_SUITE_P(Schedules, ResidualPowerTranscription, testing::ValuesIn(residual_comparisons()),
                         [](const auto& tested) { return tested.param.name; });

// Without `mu` the engine finds the published one; to round-off, hence step by step for some time only.
TEST(ResidualPowerMethod, FindsThePublishedFactorItself) {
  for (std::size_t s = 0; s < residual_schedules().size(); ++s) {
    ResidualRun run = corrected_run(1, s, 0.0, 1.0);
    const auto given = by_engine(run);
    run.correction.mu.reset();
    const auto found = by_engine(run);
    for (std::size_t k = 0; k <= 300; ++k)
      ASSERT_NEAR(found[k].x2, given[k].x2, 1e-8) << run.schedule.name << k;
  }
}

/// Largest by smallest displacement error when mass 1 is changed by some parts in 10⁹.
double spread_of_x(const ResidualCorrection& correction) {
  ResidualRun run{double_oscillator(5), residual_schedules().front(), correction, "stale"};
  const ReferenceMotion reference = analytic_motion(run.problem);
  double smallest = 1e300;
  double largest = 0.0;
  for (int i = 0; i <= 10; ++i) {
    run.problem.masses.mass_kg[0] = 1.0 + 2e-10 * i;
    const double x = residual_errors(residual_scenario, run, reference).rms_x;
    smallest = std::min(smallest, x);
    largest = std::max(largest, x);
  }
  return largest / smallest;
}

// f_c of the published law jumps by twice its limit where v2 passes zero. The banked one shrinks with the change of the force.
TEST(ResidualPowerMethod, IsContinuousInTheDataOnlyWithoutParameters) {
  EXPECT_GT(spread_of_x({ResidualMethod::published, 0.5}), 1.2);
  EXPECT_LT(spread_of_x({ResidualMethod::banked}), 1.001);
  EXPECT_LT(spread_of_x({ResidualMethod::by_parts}), 1.001);
}

// A row is what the command computes from the same file with the same settings.
TEST(ResidualPowerMethod, GivesTheCommandTheSameBits) {
  ResidualRun run = corrected_run(1, 1, 0.25, 0.5);
  const auto out = std::filesystem::temp_directory_path() / ("ergon-residual-" + std::to_string(getpid()));
  std::string command = std::string(ERGON_COMMAND) + " run --quiet --stop-time 0.5 --out " + out.string() +
                        " " + residual_scenario.string();
  std::vector<std::string> overrides = run.overrides();
  for (const std::string& set : overrides) command += " --set '" + set + "'";
  command += " --set 'output.variables=[\"m2.position\"]'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  overrides.emplace_back("simulation.stop_time=0.5");
  Simulation simulation(residual_scenario, overrides);
  const Index x2 = simulation.output("m2.position");
  std::ifstream file(out / "results.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "time,m2.position");
  std::size_t points = 0;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    ASSERT_TRUE(std::getline(file, line));
    ASSERT_EQ(std::stod(line.substr(line.find(',') + 1)), record.output(x2)) << points;
    ++points;
  }));
  EXPECT_EQ(points, 5001U);
  std::filesystem::remove_all(out);
}

}  // namespace
}  // namespace ergon::bench

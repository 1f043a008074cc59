// The verdict on the motion: companions at other steps, and runs that were once misjudged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/verdict/families/families_table.hpp"
#include "benchmarks/verdict/families/network.hpp"
#include "ergon/run/simulation.hpp"
#include "support/judged_runs.hpp"

namespace ergon::bench {
namespace {

// ── Companions ──

/// The bar of m0.position over its largest error.
double bar_over_error(const Network& n, const NetworkSetup& s, MotionCheck check) {
  const auto exact = n.exact();
  const Text file(scenario_text(n, s));
  Simulation simulation(file.path());
  simulation.check_motion(check);
  double largest = 0.0;
  const Index x = simulation.output("m0.position");
  std::vector<double> z(exact.size());
  simulation.for_each_point([&](const StepRecord& record) {
    exact.at(record.time_s(), z);
    largest = std::max(largest, std::abs(record.output(x) - z[0]));
  });
  const Motion& motion = simulation.motion();
  EXPECT_TRUE(motion.checked);
  EXPECT_EQ(motion.times_s.size() * motion.variables.size(), motion.errors.size());
  const auto bar = std::find_if(motion.variables.begin(), motion.variables.end(),
                                [](const VariableMotion& v) { return v.name == "m0.position"; });
  EXPECT_NE(bar, motion.variables.end());
  return bar == motion.variables.end() ? 0.0 : bar->largest_error / largest;
}

// Semi-implicit Euler with refreshed efforts, the monolithic scheme, is leapfrog with velocities that are half a step late. Its
// phase runs away by (ωH)²/24 per radian: order two, where the late velocity does no harm at the start, that is without forces. The
// bar of twice the steps is then 1.2 (2² − 1) times the error, that of half of them 1.3 · 2(1 − 2⁻²) times. From a stretched spring the
// error has a part of order one, a₀H/2 in the velocity, whose bar is 1.2 or 1.3 times the error.
TEST(Companion, BarsAreTheErrorWithinTheOrderOfTheScheme) {
  Network n = pair();
  const NetworkSetup s = steps(0.005, 2000, "refresh");
  EXPECT_GT(bar_over_error(n, s, MotionCheck::double_steps), 1.0);
  EXPECT_LT(bar_over_error(n, s, MotionCheck::double_steps), 3.6);
  EXPECT_GT(bar_over_error(n, s, MotionCheck::half_steps), 1.0);
  EXPECT_LT(bar_over_error(n, s, MotionCheck::half_steps), 1.95);
  for (Network::Mass& m : n.masses) m.x = 0.0;
  EXPECT_NEAR(bar_over_error(n, s, MotionCheck::double_steps), 3.6, 0.18);
  EXPECT_NEAR(bar_over_error(n, s, MotionCheck::half_steps), 1.95, 0.065);
}

TEST(Companion, TheRunKeepsItsBits) {
  const Text file(scenario_text(pair(), steps(0.02, 400)));
  std::vector<double> values[2];
  for (const int checked : {0, 1}) {
    Simulation simulation(file.path());
    if (checked == 1) simulation.check_motion(MotionCheck::automatic);
    const Index x = simulation.output("m1.position");
    simulation.for_each_point([&](const StepRecord& r) { values[checked].push_back(r.output(x)); });
    EXPECT_EQ(simulation.motion().checked, checked == 1);
  }
  EXPECT_EQ(values[0], values[1]);
}

// A mass on a spring by semi-implicit Euler is stable up to ωH = 2. At 1.2 the companion with twice the steps explodes; that says
// nothing about the run, which half the steps judge.
TEST(Companion, OneThatFailsOrExplodesIsNoEvidence) {
  Network n = pair();
  n.masses[0].k = 1.0;
  n.masses[1] = {1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  n.springs[0].k = 1e-3;
  const Summary s = judged(scenario_text(n, steps(1.1, 8, "refresh")));
  ASSERT_EQ(s.motion.companions.size(), 2U);
  EXPECT_EQ(s.motion.step_factor, 0.5);
  EXPECT_EQ(s.motion.companions[0].step_factor, 2.0);
}

TEST(Companion, WithoutOneNothingIsReliable) {
  const std::string text = scenario_text(pair(), steps(1e-3, 500, "refresh"));
  EXPECT_EQ(judged(text, MotionCheck::off).verdict->value, VerdictValue::consistent);
  const Summary checked = judged(text);
  EXPECT_EQ(checked.verdict->value, VerdictValue::reliable);
  EXPECT_EQ(checked.verdict->energy, VerdictValue::consistent);
  EXPECT_TRUE(checked.verdict->advice.empty());
}

TEST(Companion, TellsWhenTheMotionLeavesItsBars) {
  const Summary s = judged(scenario_text(pair(), steps(0.02, 1000)));
  EXPECT_EQ(s.verdict->value, VerdictValue::unreliable);
  EXPECT_GT(s.motion.right_until_s, 0.0);
  EXPECT_LT(s.motion.right_until_s, 10.0);
  EXPECT_FALSE(s.motion.chaotic_after_s) << "it grows, it is not chaotic";
  EXPECT_NE(s.verdict->advice.find("refresh"), std::string::npos) << s.verdict->advice;
}

// A double pendulum from 2 rad and 2.5 rad: neighbouring solutions part by e in less than a second.
TEST(Companion, ChaosIsToldAsSuch) {
  const double a = 2.0;
  const double b = 2.5;
  const std::string text = fmt::format(
      R"(simulation = {{ stop_time = 12.0, step_size = 5e-4 }}
[[subsystem]]
name = "upper"
model = "multibody.planar_link"
integrator = {{ method = "rk4" }}
parameters = {{ m = 1.0, J = 0.0833, length = 1.0, pinned = true, gravity = [0.0, -9.81] }}
initial = {{ phi = {} }}
[[subsystem]]
name = "lower"
model = "multibody.planar_link"
integrator = {{ method = "rk4" }}
parameters = {{ m = 1.0, J = 0.0833, length = 1.0, gravity = [0.0, -9.81] }}
initial = {{ phi = {}, position = [{}, {}] }}
[[element]]
name = "elbow"
joint = "revolute"
i = "upper.end"
j = "lower.start"
stiffness = 2e4
damping = 20.0
[coupling]
extrapolation = "linear"
)",
      a - std::numbers::pi / 2.0, b - std::numbers::pi / 2.0, std::sin(a) + 0.5 * std::sin(b),
      -std::cos(a) - 0.5 * std::cos(b));
  const Summary s = judged(text);
  ASSERT_TRUE(s.motion.checked);
  EXPECT_EQ(s.motion.value, VerdictValue::unreliable);
  ASSERT_TRUE(s.motion.chaotic_after_s) << motion_sentence(s.motion);
  EXPECT_GT(*s.motion.chaotic_after_s, 1.0);
}

// ── What must not matter ──

TEST(Verdict, IsTheSameAtAnotherHeightAtAnotherSpeedAndUnderPreload) {
  for (const double H_s : {0.002, 0.01, 0.03}) {
    Network n = pair();
    const NetworkSetup s = steps(H_s, 600);
    const Summary plain = judged(scenario_text(n, s));
    Network high = n;
    for (Network::Mass& m : high.masses) {
      m.x += 10.0;
      m.rest += 10.0;
    }
    Network preloaded = n;
    preloaded.masses[0].rest = 5000.0 / n.masses[0].k;
    preloaded.springs[0].rest = -5000.0 / n.springs[0].k;
    preloaded.masses[1].rest = -5000.0 / n.masses[1].k;
    for (const Network& other : {high, preloaded}) {
      const Summary shifted = judged(scenario_text(other, s));
      EXPECT_EQ(shifted.verdict->value, plain.verdict->value) << H_s;
      EXPECT_EQ(shifted.verdict->energy, plain.verdict->energy) << H_s;
      EXPECT_NEAR(shifted.motion.ratio, plain.motion.ratio, 0.02 * plain.motion.ratio + 1e-6);
    }
    Network free = n;
    for (Network::Mass& m : free.masses) m.k = 0.0;
    free.masses[0].v = 0.6;
    free.masses[1].v = -0.3;  // no momentum
    Network travelling = free;
    for (Network::Mass& m : travelling.masses) m.v += 30.0;
    const NetworkSetup refreshed = steps(H_s, 600, "refresh");
    const Summary here = judged(scenario_text(free, refreshed));
    const Summary there = judged(scenario_text(travelling, refreshed));
    EXPECT_EQ(there.verdict->value, here.verdict->value) << H_s;
    EXPECT_EQ(there.verdict->energy, here.verdict->energy) << H_s;
    // Stale efforts do not move along: the spring sees an end that is late by V·H, and who travels is more wrong.
    EXPECT_GE(severity(judged(scenario_text(travelling, s)).verdict->value),
              severity(judged(scenario_text(free, s)).verdict->value))
        << H_s;
  }
}

// ── Families ──

#ifdef __SANITIZE_ADDRESS__
constexpr unsigned last_seed = 31;
#else
constexpr unsigned last_seed = 33;
#endif

// `ergon bench verdict --families` is the whole of it.
TEST(Families, TheVerdictAgreesWithTheMotion) {
  MotionTable table;
  for (const FamilyRun& run : judge_families(31, last_seed)) {
    table.add(run);
    EXPECT_NE(run.unchecked, VerdictValue::reliable) << run.family << ' ' << run.seed;
    EXPECT_FALSE(run.checked == VerdictValue::reliable && run.error > 0.2) << run.family << ' ' << run.seed;
    EXPECT_FALSE(severity(run.checked) >= severity(VerdictValue::doubtful) && run.error < 0.01)
        << run.family << ' ' << run.seed;
  }
  EXPECT_GE(table.runs(), 28);
  EXPECT_GE(table.agreement_percent(), 95.0);
}

}  // namespace
}  // namespace ergon::bench

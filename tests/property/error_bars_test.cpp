// Error bars of outputs whose errors are known: orders that cancel in one difference, and errors at points that runs do not share.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ergon/run/motion/error_bars.hpp"
#include "support/step_dependent.hpp"

namespace ergon {
namespace {

using namespace known_errors;

// ── Orders that cancel ──

/// sin t, off by `error` at the steps of the run: aH + bH² with this a/bH.
Outputs of_two_orders(double a_over_b, double error) {
  return [=](double t, double h, double* y) {
    const double x = h / H_s;
    y[0] = std::sin(t) + error / (a_over_b + 1.0) * (a_over_b * x + x * x) * std::sin(2.0 * t);
  };
}

// aH + bH² is the same at H and 2H where a = −3bH, and at H and H/2 where a = −3/2 bH. Near the one, 22 % are told as 4 % by the first check
// run, and as nothing at the other by the second.
TEST(Accuracy, ErrorsOfTwoOrdersThatCancelAreSeen) {
  for (const double a_over_b : {-2.725, -2.95, -3.05, -3.275, -1.5, -1.45}) {
    const Summary wrong = judge({port("position", "m")}, of_two_orders(a_over_b, 0.22));
    EXPECT_GE(severity(wrong.verdict->value), severity(VerdictValue::doubtful))
        << a_over_b << ": " << wrong.verdict->reasons.front().what;
    EXPECT_GE(wrong.motion.variables.front().largest_error, 0.15) << a_over_b;
    EXPECT_EQ(judge({port("position", "m")}, of_two_orders(a_over_b, 0.01)).verdict->value,
              VerdictValue::reliable);
  }
}

// e = A + B with A = 1, B = 2: the differences to 2, 4 and 1/2 times the steps are A + 3B, 3A + 15B, −A/2 − 3/4 B.
TEST(Accuracy, TwoDifferencesTellTheSumOfTwoOrders) {
  EXPECT_DOUBLE_EQ(sum_of_two_orders(2.0, 7.0, 4.0, 33.0), 3.0);
  EXPECT_DOUBLE_EQ(sum_of_two_orders(0.5, -2.0, 2.0, 7.0), 3.0);
}

// Where the difference to twice the steps leaves it open by little, four times the steps tell: the bar is 1.2 errors, however they cancel.
// Where it is nothing a quarter of the time is enough.
TEST(Accuracy, FourTimesTheStepsBoundWhatCancelsAtTwice) {
  for (const double a_over_b : {-2.5, -2.8, -3.2, -4.0, -6.0}) {
    const Motion motion = judge({port("position", "m")}, of_two_orders(a_over_b, 0.03)).motion;
    ASSERT_EQ(motion.companions.size(), 2U) << a_over_b;
    EXPECT_EQ(motion.companions[1].step_factor, 4.0);
    EXPECT_NEAR(motion.variables.front().largest_error, 1.2 * 0.03, 1e-4) << a_over_b;
    EXPECT_EQ(motion.value, VerdictValue::reliable);
    EXPECT_NE(motion_sentence(motion).find("runs at twice and four times the step size"), std::string::npos);
  }
  // Order two: 3.6 errors at twice the steps, which four times the steps confirm.
  EXPECT_NEAR(judge({port("position", "m")}, of_two_orders(0.0, 0.01)).motion.variables.front().largest_error,
              3.6 * 0.01, 1e-4);
  const Motion clear = judge({port("position", "m")}, of_two_orders(0.0, 1e-4)).motion;
  ASSERT_EQ(clear.companions.size(), 2U);
  EXPECT_EQ(clear.companions[1].status, RunStatus::interrupted);
  EXPECT_DOUBLE_EQ(clear.companions[1].reached_time_s, 0.25 * 10.0);
}

// ── Errors at points that check runs do not share ──

/// About sin t, c above it at every second step and c below at the others: at the points that it shares with runs at smaller steps it is c above, in all of them.
Outputs swinging(double c) {
  return [c](double t, double h, double* y) { y[0] = std::sin(t) + (std::lround(t / h) % 2 == 0 ? c : -c); };
}

TEST(Accuracy, WhatSwingsFromStepToStepIsNotRightBecauseAllRunsAgree) {
  const Summary wrong = judge({port("force", "N")}, swinging(0.3));
  EXPECT_EQ(wrong.verdict->value, VerdictValue::unreliable) << wrong.verdict->reasons.front().what;
  EXPECT_NEAR(variable(wrong, "body.force").swing, 0.3, 1e-6);
  EXPECT_NEAR(variable(wrong, "body.force").largest_error, 1.2 * 0.3, 1e-5);
  EXPECT_NE(wrong.verdict->reasons.front().what.find("swings from step to step"), std::string::npos);
  EXPECT_EQ(judge({port("force", "N")}, swinging(0.1)).verdict->value, VerdictValue::doubtful);
  EXPECT_EQ(judge({port("force", "N")}, swinging(0.02)).verdict->value, VerdictValue::reliable);
}

// A digital controller may do so by its law; and a wave of six points in a period, at half the steps, is a wave.
TEST(Accuracy, WhatIsMeantToSwingIsNoAlarm) {
  SimulationOptions options = options_for(MotionCheck::half_steps);
  EXPECT_EQ(judge({port("demand", "N")}, swinging(0.3), options).verdict->value, VerdictValue::unreliable);
  options.sampled = {"body"};
  EXPECT_EQ(judge({port("demand", "N")}, swinging(0.3), options).verdict->value, VerdictValue::reliable);
  const Outputs wave = [](double t, double /*h*/, double* y) {
    y[0] = std::sin(2.0 * std::numbers::pi / (3.0 * H_s) * t);
  };
  const Summary right = judge({port("force", "N")}, wave, options_for(MotionCheck::half_steps));
  EXPECT_EQ(right.verdict->value, VerdictValue::reliable) << right.verdict->reasons.front().what;
  EXPECT_EQ(variable(right, "body.force").swing, 0.0);
}

}  // namespace
}  // namespace ergon

#include "ergon/models/control/velocity_controller.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

/// The spool after steps of h from 0 to t, with what it measures held.
double spool_after(Subsystem& controller, double t, double h, double velocity, double acceleration) {
  const double u[] = {velocity, acceleration, 0.0, 0.0};
  const long steps = std::lround(t / h);
  for (long i = 0; i < steps; ++i) EXPECT_TRUE(controller.step(static_cast<double>(i) * h, h, {u, 4, 0}).ok);
  return outputs(controller, {u[0], u[1], u[2], u[3]})[0];
}

const Values lift = {{"k_p", 4.0},     {"k_d", 0.1},    {"velocity", -0.02},
                     {"start_s", 0.1}, {"full_s", 0.2}, {"end_s", 0.5}};

// An actuator at rest: ∫κ̇ dt = −k_P ∫w* dt − k_D ∫ẇ* dt, with ∫w* = w_max·(½·0.1 + 0.3) and ∫ẇ* over the ramp = w_max; the fall at
// the end has no rate.
TEST(VelocityController, FollowsTheDesiredVelocity) {
  const auto controller = make_model("control.velocity", lift, {{"spool", 0.4}});
  const double exact = 0.4 + 4.0 * 0.02 * 0.35 + 0.1 * 0.02;
  EXPECT_NEAR(spool_after(*controller, 0.8, 1e-5, 0.0, 0.0), exact, 1e-6);
}

// What the actuator does counts with the opposite sign: a constant −0.01 m/s with −0.2 m/s².
TEST(VelocityController, MeasuresVelocityAndAcceleration) {
  const auto controller = make_model("control.velocity", {{"k_p", 4.0}, {"k_d", 0.1}}, {{"spool", 0.5}});
  EXPECT_NEAR(spool_after(*controller, 0.5, 1e-3, -0.01, -0.2), 0.5 + 0.5 * (4.0 * -0.01 + 0.1 * -0.2),
              1e-12);
}

TEST(VelocityController, TheSpoolHasAFastestRateAndEnds) {
  const auto controller = make_model("control.velocity", {{"k_p", 6.0}, {"fastest", 3.0}}, {{"spool", 0.2}});
  EXPECT_NEAR(spool_after(*controller, 0.1, 1e-3, 10.0, 0.0), 0.5, 1e-12);
  EXPECT_EQ(spool_after(*controller, 0.5, 1e-3, 10.0, 0.0), 1.0);
  EXPECT_EQ(spool_after(*controller, 0.5, 1e-3, -10.0, 0.0), 0.0);
}

TEST(VelocityController, TakesADesiredVelocityFromOutside) {
  const auto controller = make_model("control.velocity", {{"k_p", 2.0}, {"k_d", 0.5}}, {{"spool", 0.5}});
  const double u[] = {0.01, 0.0, 0.03, 0.04};
  ASSERT_TRUE(controller->step(0.0, 1e-2, {u, 4, 0}).ok);
  EXPECT_NEAR(outputs(*controller, {0.01, 0.0, 0.03, 0.04})[0], 0.5 - 1e-2 * (2.0 * 0.02 + 0.5 * 0.04),
              1e-15);
}

// Internal steps look at the inputs on their way: w = t gives ∫κ̇ = ½k_P h², less what the first order is off.
TEST(VelocityController, InternalStepsFollowTheInputs) {
  const auto controller = make_model("control.velocity", {{"k_p", 1.0}, {"k_d", 0.0}}, {{"spool", 0.1}},
                                     {.method = "explicit-euler", .step_s = 1e-4});
  const double u[] = {0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  ASSERT_TRUE(controller->step(0.0, 0.5, {u, 4, 1}).ok);
  EXPECT_NEAR(outputs(*controller, {0.5, 0.0, 0.0, 0.0})[0], 0.1 + 0.125, 1e-4);
}

TEST(VelocityController, WrongTimesAndSpoolsAreRefused) {
  EXPECT_NE(refusal("control.velocity", {{"start_s", 2.0}, {"full_s", 1.0}}).find("not an order of times"),
            std::string::npos);
  EXPECT_NE(refusal("control.velocity", {}, {{"spool", 1.5}}).find("beyond 1"), std::string::npos);
  EXPECT_NE(refusal("control.velocity", {{"fastest", 0.0}}).find("must be greater than 0"),
            std::string::npos);
}

}  // namespace
}  // namespace ergon

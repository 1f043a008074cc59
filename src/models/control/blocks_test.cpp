#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

void step_with_inputs(Subsystem& subsystem, double t, double h, std::vector<double> u) {
  ASSERT_TRUE(subsystem.step(t, h, InputView{u.data(), u.size(), 0}).ok);
}

// A constant error e: u = k_p e + k_i e t + k_d e/T_f exp(−t/T_f).
TEST(Pid, AnswersAConstantErrorAsItsFormulaSays) {
  const auto pid = make_model("control.pid", {{"k_p", 2.0}, {"k_i", 3.0}, {"k_d", 0.4}, {"T_f", 0.2}}, {},
                              {.method = "rk4"});
  constexpr double h = 1e-3;
  for (int i = 0; i < 500; ++i) step_with_inputs(*pid, i * h, h, {1.5, 1.0});
  const double t = 0.5;
  EXPECT_NEAR(outputs(*pid, {1.5, 1.0}, t)[0], 0.5 * (2.0 + 3.0 * t + 0.4 / 0.2 * std::exp(-t / 0.2)), 1e-9);
}

// In a limit I follows İ = k_i e + (u − k_p e − I)/T_t: it stays where the signal leaves the limit as soon as the error turns.
TEST(Pid, DoesNotWindUp) {
  const Values numbers = {{"k_p", 1.0}, {"k_i", 10.0}, {"T_t", 0.05}, {"upper", 2.0}, {"lower", -2.0}};
  for (const double sample_time : {0.0, 1e-3}) {
    Values values = numbers;
    values.emplace_back("sample_time", sample_time);
    const auto pid = make_model("control.pid", values, {}, {.method = "rk4"});
    constexpr double h = 1e-3;
    for (int i = 0; i < 5000; ++i) step_with_inputs(*pid, i * h, h, {5.0, 0.0});
    EXPECT_EQ(outputs(*pid, {5.0, 0.0}, 5.0)[0], 2.0);
    // The equilibrium in the limit: I = u + T_t k_i e − k_p e = 2 + 2.5 − 5; then e = −1: u = −1 + I.
    EXPECT_NEAR(outputs(*pid, {-1.0, 0.0}, 5.0)[0], -1.0 + (2.0 + 0.05 * 10.0 * 5.0 - 5.0), 1e-6)
        << sample_time;
  }
}

TEST(Pid, SampledOneConvergesToTheContinuousOne) {
  const auto error_with = [](double sample_time) {
    const auto pid =
        make_model("control.pid",
                   {{"k_p", 2.0}, {"k_i", 3.0}, {"k_d", 0.4}, {"T_f", 0.2}, {"sample_time", sample_time}});
    const int steps = static_cast<int>(std::lround(0.5 / sample_time));
    for (int i = 0; i < steps; ++i) step_with_inputs(*pid, i * sample_time, sample_time, {1.5, 1.0});
    return std::abs(outputs(*pid, {1.5, 1.0}, 0.5)[0] - 0.5 * (2.0 + 1.5 + 2.0 * std::exp(-2.5)));
  };
  EXPECT_LT(error_with(1e-3), 2e-3);
  EXPECT_NEAR(error_with(2e-3) / error_with(1e-3), 2.0, 0.1) << "of first order";
}

TEST(Pid, RefusesLimitsThatCross) {
  EXPECT_NE(refusal("control.pid", {{"lower", 1.0}, {"upper", -1.0}}).find("not below"), std::string::npos);
}

TEST(Integrator, IntegratesAndStopsAtItsLimits) {
  const auto integrator =
      make_model("control.integrator", {{"gain", 2.0}, {"upper", 0.5}, {"lower", -0.25}}, {{"x", 0.1}});
  for (int i = 0; i < 100; ++i) step_with_inputs(*integrator, 0.0, 1e-3, {1.0});
  EXPECT_NEAR(outputs(*integrator, {1.0})[0], 0.3, 1e-12);
  for (int i = 0; i < 1000; ++i) step_with_inputs(*integrator, 0.0, 1e-3, {1.0});
  EXPECT_NEAR(outputs(*integrator, {1.0})[0], 0.5, 1e-12);
  for (int i = 0; i < 100; ++i) step_with_inputs(*integrator, 0.0, 1e-3, {-1.0});
  EXPECT_NEAR(outputs(*integrator, {1.0})[0], 0.3, 3e-3) << "no wind-up beyond one step";
}

TEST(RateLimit, FollowsNoFasterThanItsRates) {
  const auto limit = make_model("control.rate_limit", {{"rise", 2.0}, {"fall", 5.0}, {"initial", 1.0}});
  step_with_inputs(*limit, 0.0, 0.1, {10.0});
  EXPECT_NEAR(outputs(*limit, {0.0})[0], 1.2, 1e-15);
  step_with_inputs(*limit, 0.1, 0.1, {-10.0});
  EXPECT_NEAR(outputs(*limit, {0.0})[0], 0.7, 1e-15);
  step_with_inputs(*limit, 0.2, 0.1, {0.75});
  EXPECT_EQ(outputs(*limit, {0.0})[0], 0.75);
}

// A straight line comes out as the same line, later; interpolation is exact on it.
TEST(Delay, GivesWhatWasThereSomeTimeAgo) {
  for (const double delay_s : {0.0, 0.004, 0.01, 0.037, 0.2}) {
    const auto delay = make_model("control.delay", {{"delay", delay_s}, {"initial", -3.0}});
    constexpr double h = 0.01;
    for (int i = 0; i < 100; ++i) {
      const double u[2] = {5.0 + 2.0 * i * h, 2.0};
      ASSERT_TRUE(delay->step(i * h, h, InputView{u, 1, 1}).ok);
      const double wanted = (i + 1) * h - delay_s;
      EXPECT_NEAR(outputs(*delay, {0.0})[0], wanted < -1e-12 ? -3.0 : 5.0 + 2.0 * wanted, 1e-12)
          << delay_s << ", " << i;
    }
  }
  const auto small = make_model("control.delay", {{"delay", 1.0}, {"samples", 3.0}});
  double u = 1.0;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(small->step(i * 0.01, 0.01, InputView{&u, 1, 0}).ok);
  EXPECT_STREQ(small->step(0.03, 0.01, InputView{&u, 1, 0}).reason,
               "more samples than fit into its delay: raise 'samples'");
}

TEST(Hysteresis, SwitchesAtTwoThresholds) {
  const auto relay =
      make_model("control.hysteresis", {{"on_at", 1.0}, {"off_at", -1.0}, {"low", -7.0}, {"high", 9.0}});
  const double inputs[] = {0.0, 0.9, 1.0, 0.0, -0.9, -1.0, 0.5};
  const double expected[] = {-7.0, -7.0, 9.0, 9.0, 9.0, -7.0, -7.0};
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    EXPECT_EQ(outputs(*relay, {inputs[i]})[0], expected[i]) << i;
    step_with_inputs(*relay, 0.0, 0.1, {inputs[i]});
  }
}

TEST(SampleHold, HoldsWhatWasThereAtItsInstants) {
  const auto hold = make_model("control.sample_hold", {{"sample_time", 0.02}});
  constexpr double h = 0.005;
  for (int i = 0; i < 40; ++i) {
    const double u[2] = {100.0 * i * h, 100.0};
    ASSERT_TRUE(hold->step(i * h, h, InputView{u, 1, 1}).ok);
    const double t = (i + 1) * h;
    const double last_instant = 0.02 * std::floor((i + 1) / 4);
    EXPECT_NEAR(outputs(*hold, {100.0 * t}, t)[0], 100.0 * last_instant, 1e-12) << i;
  }
}

TEST(Blocks, RefuseInputsThatAreNoNumbers) {
  for (const char* name :
       {"control.delay", "control.rate_limit", "control.hysteresis", "control.sample_hold"}) {
    const auto block = make_model(name);
    const double u = std::nan("");
    EXPECT_FALSE(block->step(0.0, 0.1, InputView{&u, 1, 0}).ok) << name;
  }
}

}  // namespace
}  // namespace ergon

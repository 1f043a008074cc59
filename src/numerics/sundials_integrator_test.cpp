#include "ergon/numerics/sundials_integrator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace ergon::numerics {
namespace {

bool decay(double, const double* x, double* dxdt) {
  dxdt[0] = -2.0 * x[0];
  return true;
}

bool oscillator(double, const double* x, double* dxdt) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0];
  return true;
}

/// Robertson's chemical kinetics [robertson1966].
bool robertson(double, const double* x, double* dxdt) {
  dxdt[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
  dxdt[2] = 3e7 * x[1] * x[1];
  dxdt[1] = -dxdt[0] - dxdt[2];
  return true;
}

bool van_der_pol(double t, const double* x, double* dxdt) {
  dxdt[0] = x[1];
  dxdt[1] = 50.0 * (1.0 - x[0] * x[0]) * x[1] - x[0] + std::sin(t);
  return true;
}

SundialsOptions options_of(SundialsMethod method, double rtol, double atol) {
  SundialsOptions options;
  options.method = method;
  options.rtol = rtol;
  options.atol = atol;
  return options;
}

class SundialsIntegratorTest : public testing::TestWithParam<SundialsMethod> {};

TEST_P(SundialsIntegratorTest, IntegratesExponentialDecay) {
  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-9, 1e-12));
  double x = 3.0;
  const IntegrationStatus status = integrator.advance(1.0, 0.75, decay, &x);
  ASSERT_TRUE(status.ok) << status.reason;
  EXPECT_EQ(status.reached_time_s, 1.75);
  EXPECT_NEAR(x, 3.0 * std::exp(-1.5), 1e-7);
  EXPECT_GT(integrator.internal_steps(), 1);
}

TEST_P(SundialsIntegratorTest, IntegratesHarmonicOscillatorOverManyCalls) {
  SundialsIntegrator integrator(2, options_of(GetParam(), 1e-10, 1e-12));
  std::array<double, 2> x = {1.0, 0.0};
  const double h = 0.5;
  for (int step = 0; step < 20; ++step) {
    ASSERT_TRUE(integrator.advance(step * h, h, oscillator, x.data()).ok);
  }
  EXPECT_NEAR(x[0], std::cos(10.0), 1e-7);
  EXPECT_NEAR(x[1], -std::sin(10.0), 1e-7);
}

TEST_P(SundialsIntegratorTest, ErrorFollowsTheTolerance) {
  const auto error_at = [](double rtol) {
    SundialsIntegrator integrator(2, options_of(GetParam(), rtol, 1e-3 * rtol));
    std::array<double, 2> x = {1.0, 0.0};
    EXPECT_TRUE(integrator.advance(0.0, 5.0, oscillator, x.data()).ok);
    return std::hypot(x[0] - std::cos(5.0), x[1] + std::sin(5.0));
  };
  EXPECT_LT(error_at(1e-10), 1e-3 * error_at(1e-4));
}

TEST_P(SundialsIntegratorTest, NeverAsksBeyondTheEndNorBeforeTheStart) {
  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-6, 1e-9));
  const double t = 1e6 / 3.0;
  const double h = 1e-3 / 7.0;
  double earliest = std::numeric_limits<double>::infinity();
  double latest = -earliest;
  double x = 1.0;
  const auto rhs = [&](double time, const double* state, double* rate) {
    earliest = std::min(earliest, time);
    latest = std::max(latest, time);
    rate[0] = -1e4 * state[0] + time;
    return true;
  };
  const IntegrationStatus status = integrator.advance(t, h, rhs, &x);
  ASSERT_TRUE(status.ok) << status.reason;
  EXPECT_EQ(status.reached_time_s, t + h);
  EXPECT_EQ(earliest, t);
  EXPECT_LE(latest, t + h);
  EXPECT_GT(latest, t + 0.9 * h);
}

TEST_P(SundialsIntegratorTest, InternalStepsEndAtTheEnd) {
  // At a constant rate the state tells the time: no step overshoots the end, to be interpolated back.
  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-6, 1e-9));
  double largest = 0.0;
  const auto rhs = [&](double, const double* state, double* rate) {
    largest = std::max(largest, state[0]);
    rate[0] = 1.0;
    return true;
  };
  double x = 0.0;
  ASSERT_TRUE(integrator.advance(0.0, 0.3, rhs, &x).ok);
  EXPECT_NEAR(x, 0.3, 1e-12);
  EXPECT_LT(largest, 0.3 + 1e-7);  // the finite differences go a little beyond
}

TEST_P(SundialsIntegratorTest, RepeatsBitForBitAfterOtherCalls) {
  SundialsIntegrator integrator(2, options_of(GetParam(), 1e-6, 1e-9));
  const std::array<double, 2> start = {2.0, -0.1};
  std::array<double, 2> first = start;
  ASSERT_TRUE(integrator.advance(0.3, 0.7, van_der_pol, first.data()).ok);
  const long first_steps = integrator.internal_steps();

  // Leaves other step sizes, orders, Jacobians and a failure behind.
  std::array<double, 2> other = {0.5, 0.25};
  ASSERT_TRUE(integrator.advance(0.0, 3.0, oscillator, other.data()).ok);
  const auto refuse = [](double time, const double*, double* rate) {
    rate[0] = rate[1] = 1.0;
    return time < 0.5;
  };
  ASSERT_FALSE(integrator.advance(0.0, 1.0, refuse, other.data()).ok);

  std::array<double, 2> again = start;
  ASSERT_TRUE(integrator.advance(0.3, 0.7, van_der_pol, again.data()).ok);
  EXPECT_EQ(std::memcmp(first.data(), again.data(), sizeof first), 0);
  EXPECT_EQ(integrator.internal_steps(), first_steps);

  SundialsIntegrator fresh(2, options_of(GetParam(), 1e-6, 1e-9));
  std::array<double, 2> anew = start;
  ASSERT_TRUE(fresh.advance(0.3, 0.7, van_der_pol, anew.data()).ok);
  EXPECT_EQ(std::memcmp(first.data(), anew.data(), sizeof first), 0);
}

TEST_P(SundialsIntegratorTest, SplitStepDependsOnTheStateOnly) {
  // Two calls in a row on one integrator equal two calls on two integrators: nothing but x is carried over.
  SundialsIntegrator one(2, options_of(GetParam(), 1e-6, 1e-9));
  SundialsIntegrator two(2, options_of(GetParam(), 1e-6, 1e-9));
  std::array<double, 2> x = {2.0, 0.0};
  ASSERT_TRUE(one.advance(0.0, 0.4, van_der_pol, x.data()).ok);
  std::array<double, 2> y = x;
  ASSERT_TRUE(one.advance(0.4, 0.4, van_der_pol, x.data()).ok);
  ASSERT_TRUE(two.advance(0.4, 0.4, van_der_pol, y.data()).ok);
  EXPECT_EQ(std::memcmp(x.data(), y.data(), sizeof x), 0);
}

TEST_P(SundialsIntegratorTest, RefusedRightHandSideFailsWithReasonAndTime) {
  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-6, 1e-9));
  double x = 0.0;
  const auto rhs = [](double time, const double*, double* rate) {
    rate[0] = 1.0;
    return time <= 2.5;
  };
  const IntegrationStatus status = integrator.advance(2.0, 1.0, rhs, &x);
  EXPECT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("right-hand side"), std::string::npos) << status.reason;
  EXPECT_GE(status.reached_time_s, 2.0);
  EXPECT_LE(status.reached_time_s, 2.5 + 1e-12);      // the sum of the internal steps is rounded
  EXPECT_NEAR(x, status.reached_time_s - 2.0, 1e-9);  // the state of the time reached
}

TEST_P(SundialsIntegratorTest, NotFiniteDerivativeFails) {
  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-6, 1e-9));
  double x = 1.0;
  const auto rhs = [](double, const double*, double* rate) {
    rate[0] = std::numeric_limits<double>::quiet_NaN();
    return true;
  };
  const IntegrationStatus status = integrator.advance(0.0, 1.0, rhs, &x);
  EXPECT_FALSE(status.ok);
  EXPECT_EQ(status.reached_time_s, 0.0);
  EXPECT_EQ(x, 1.0);
}

TEST_P(SundialsIntegratorTest, WritesNothingToStderr) {
  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-6, 1e-9));
  double x = 1.0;
  testing::internal::CaptureStderr();
  const auto rhs = [](double, const double*, double*) { return false; };
  EXPECT_FALSE(integrator.advance(0.0, 1.0, rhs, &x).ok);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(SundialsIntegratorTest, StepLimitFails) {
  SundialsOptions options = options_of(GetParam(), 1e-10, 1e-12);
  options.max_internal_steps = 5;
  SundialsIntegrator integrator(2, options);
  std::array<double, 2> x = {1.0, 0.0};
  const IntegrationStatus status = integrator.advance(0.0, 100.0, oscillator, x.data());
  EXPECT_FALSE(status.ok);
  EXPECT_STREQ(status.reason, "internal step limit reached");
  EXPECT_GT(status.reached_time_s, 0.0);
  EXPECT_LT(status.reached_time_s, 100.0);
}

TEST_P(SundialsIntegratorTest, MaxStepIsKept) {
  SundialsOptions options = options_of(GetParam(), 1e-2, 1e-2);
  options.max_step_s = 0.01;
  SundialsIntegrator integrator(1, options);
  double x = 1.0;
  ASSERT_TRUE(integrator.advance(0.0, 1.0, decay, &x).ok);
  EXPECT_GE(integrator.internal_steps(), 100);
}

TEST_P(SundialsIntegratorTest, SizeZeroAndStepZeroDoNothing) {
  SundialsIntegrator empty(0, options_of(GetParam(), 1e-6, 1e-9));
  const IntegrationStatus status = empty.advance(1.0, 0.5, decay, nullptr);
  EXPECT_TRUE(status.ok);
  EXPECT_EQ(status.reached_time_s, 1.5);
  EXPECT_EQ(empty.size(), 0u);

  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-6, 1e-9));
  double x = 1.25;
  EXPECT_TRUE(integrator.advance(1.0, 0.0, decay, &x).ok);
  EXPECT_EQ(x, 1.25);
  EXPECT_FALSE(integrator.advance(1.0, -0.1, decay, &x).ok);
  EXPECT_EQ(x, 1.25);
}

TEST_P(SundialsIntegratorTest, IsMovable) {
  SundialsIntegrator source(1, options_of(GetParam(), 1e-9, 1e-12));
  SundialsIntegrator integrator = std::move(source);
  double x = 1.0;
  ASSERT_TRUE(integrator.advance(0.0, 1.0, decay, &x).ok);
  EXPECT_NEAR(x, std::exp(-2.0), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Methods, SundialsIntegratorTest,
                         testing::Values(SundialsMethod::cvode_bdf, SundialsMethod::cvode_adams,
                                         SundialsMethod::arkode_dirk));

class SundialsStiffTest : public testing::TestWithParam<SundialsMethod> {};

TEST_P(SundialsStiffTest, ProtheroRobinson) {
  // x' = lambda (x - cos t) - sin t with solution cos t [prothero1974].
  const auto rhs = [](double t, const double* x, double* dxdt) {
    dxdt[0] = -1e6 * (x[0] - std::cos(t)) - std::sin(t);
    return true;
  };
  SundialsIntegrator integrator(1, options_of(GetParam(), 1e-8, 1e-10));
  double x = 1.0;
  const IntegrationStatus status = integrator.advance(0.0, 10.0, rhs, &x);
  ASSERT_TRUE(status.ok) << status.reason;
  EXPECT_NEAR(x, std::cos(10.0), 1e-7);
  EXPECT_LT(integrator.internal_steps(), 2000);  // an explicit method would need 5e6
}

TEST_P(SundialsStiffTest, Robertson) {
  SundialsIntegrator integrator(3, options_of(GetParam(), 1e-9, 1e-14));
  std::array<double, 3> x = {1.0, 0.0, 0.0};
  const IntegrationStatus status = integrator.advance(0.0, 40.0, robertson, x.data());
  ASSERT_TRUE(status.ok) << status.reason;
  EXPECT_NEAR(x[0], 0.7158270687, 1e-7);
  EXPECT_NEAR(x[1], 9.185534765e-6, 1e-11);
  EXPECT_NEAR(x[0] + x[1] + x[2], 1.0, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Methods, SundialsStiffTest,
                         testing::Values(SundialsMethod::cvode_bdf, SundialsMethod::arkode_dirk));

TEST(SundialsIntegrator, DirkStagesAreSolvedToTheTolerance) {
  // With ARKODE's default reuse of the factorisation some steps are off by 1e-5 here, unnoticed by its error
  // test.
  for (const double rtol : {1e-7, 1e-8, 1e-9, 1e-10}) {
    SundialsIntegrator integrator(2, options_of(SundialsMethod::arkode_dirk, rtol, 1e-2 * rtol));
    std::array<double, 2> x = {1.0, 0.0};
    ASSERT_TRUE(integrator.advance(0.0, 10.0, oscillator, x.data()).ok);
    EXPECT_NEAR(x[0], std::cos(10.0), 10.0 * rtol) << rtol;
    EXPECT_NEAR(x[1], -std::sin(10.0), 10.0 * rtol) << rtol;
  }
}

TEST(SundialsIntegrator, RejectsWrongOptions) {
  const auto attempt = [](auto change) {
    SundialsOptions options;
    change(options);
    SundialsIntegrator integrator(1, options);
  };
  EXPECT_THROW(attempt([](SundialsOptions& o) { o.rtol = 0.0; }), std::invalid_argument);
  EXPECT_THROW(attempt([](SundialsOptions& o) { o.atol = -1.0; }), std::invalid_argument);
  EXPECT_THROW(attempt([](SundialsOptions& o) { o.max_step_s = -1.0; }), std::invalid_argument);
  EXPECT_THROW(attempt([](SundialsOptions& o) { o.max_internal_steps = 0; }), std::invalid_argument);
  EXPECT_THROW(attempt([](SundialsOptions& o) { o.method = static_cast<SundialsMethod>(99); }),
               std::invalid_argument);
}

}  // namespace
}  // namespace ergon::numerics

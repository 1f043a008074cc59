#include "ergon/numerics/newmark.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/reference/convergence.hpp"
#include "ergon/numerics/first_order.hpp"

namespace ergon::numerics {
namespace {

/// Two coupled pendulums with a nonlinear damper and a forcing, to have every argument of acc matter.
struct Pendulums {
  void acceleration(double t, const double* q, const double* v, double* a) const {
    const double damping = 0.1 * (v[0] - v[1]) * std::abs(v[0] - v[1]) + 0.05 * (v[0] - v[1]);
    const double spring = 1.5 * (q[0] - q[1]);
    a[0] = -std::sin(q[0]) - spring - damping + 0.3 * std::cos(2.0 * t);
    a[1] = -2.0 * std::sin(q[1]) + spring + damping;
  }
  void rates(double t, const double* z, double* z_dot) const {
    std::copy_n(z + 2, 2, z_dot);
    acceleration(t, z, z + 2, z_dot + 2);
  }
};

bool pendulums(double t, const double* q, const double* v, double* a) {
  Pendulums().acceleration(t, q, v, a);
  return true;
}

/// Max-norm error of positions and velocities over the steps up to 4 s.
double pendulum_error(double h, const NewmarkOptions& options = {}) {
  const auto rates = [](double t, const double* z, double* z_dot) { Pendulums().rates(t, z, z_dot); };
  NewmarkIntegrator integrator(2, options);
  std::array<double, 2> q = {1.0, -0.4};
  std::array<double, 2> v = {0.0, 0.8};
  std::array<double, 4> reference = {q[0], q[1], v[0], v[1]};
  std::array<double, first_order_scratch_size(4)> scratch;
  const int substeps = static_cast<int>(std::lround(h / 5e-4));
  double error = 0.0;
  for (int step = 0; step < std::lround(4.0 / h); ++step) {
    EXPECT_TRUE(integrator.step(step * h, h, pendulums, q.data(), v.data()).ok);
    for (int i = 0; i < substeps; ++i) {
      rk4_step(rates, 4, (step + static_cast<double>(i) / substeps) * h, h / substeps, reference.data(),
               scratch);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      error = std::max({error, std::abs(q[i] - reference[i]), std::abs(v[i] - reference[2 + i])});
    }
  }
  return error;
}

TEST(Newmark, OrderTwoOnNonlinearSystem) {
  std::vector<double> h;
  std::vector<double> error;
  for (double size = 0.1; size > 0.003; size /= 2.0) {
    h.push_back(size);
    error.push_back(pendulum_error(size));
  }
  ASSERT_GE(h.size(), 5u);
  EXPECT_NEAR(fitted_order(h, error), 2.0, 0.05);
  EXPECT_LT(error.back(), 2e-5);
}

TEST(Newmark, OrderOneWithNumericalDamping) {
  std::vector<double> h;
  std::vector<double> error;
  for (double size = 0.025; size > 0.001; size /= 2.0) {
    h.push_back(size);
    error.push_back(pendulum_error(size, {.beta = 0.36, .gamma = 0.7}));
  }
  EXPECT_NEAR(fitted_order(h, error), 1.0, 0.05);
}

TEST(Newmark, MatchesTheClosedFormOfOneLinearStep) {
  // a = -k q - c v + f t: a1 follows from (1 + gamma h c + beta h^2 k) a1 = -k q* - c v* + f (t + h) with the
  // predictors q*, v* of the explicit terms.
  const double k = 7.0, c = 0.3, f = 2.0, t = 0.4, h = 0.2, beta = 0.3, gamma = 0.6;
  const auto acc = [&](double time, const double* q, const double* v, double* a) {
    a[0] = -k * q[0] - c * v[0] + f * time;
    return true;
  };
  double q = 0.7, v = -1.1;
  const double a0 = -k * q - c * v + f * t;
  const double q_star = q + h * v + h * h * (0.5 - beta) * a0;
  const double v_star = v + h * (1.0 - gamma) * a0;
  const double a1 = (-k * q_star - c * v_star + f * (t + h)) / (1.0 + gamma * h * c + beta * h * h * k);
  NewmarkIntegrator integrator(1, {.beta = beta, .gamma = gamma});
  const IntegrationStatus status = integrator.step(t, h, acc, &q, &v);
  ASSERT_TRUE(status.ok) << status.reason;
  EXPECT_EQ(status.reached_time_s, t + h);
  EXPECT_NEAR(q, q_star + beta * h * h * a1, 1e-15);
  EXPECT_NEAR(v, v_star + gamma * h * a1, 1e-15);
}

TEST(Newmark, ConservesEnergyOfLinearOscillator) {
  const double k = 37.0;
  const auto acc = [k](double, const double* q, const double*, double* a) {
    a[0] = -k * q[0];
    return true;
  };
  NewmarkIntegrator integrator(1);
  double q = 1.0, v = 0.5;
  const double energy = 0.5 * v * v + 0.5 * k * q * q;
  double drift = 0.0;
  for (int step = 0; step < 20000; ++step) {
    ASSERT_TRUE(integrator.step(0.05 * step, 0.05, acc, &q, &v).ok);
    drift = std::max(drift, std::abs(0.5 * v * v + 0.5 * k * q * q - energy) / energy);
  }
  EXPECT_LT(drift, 1e-10);
  RecordProperty("relative_energy_drift", std::to_string(drift * 1e15) + "e-15");
}

TEST(Newmark, StableAtAnyStepSize) {
  for (const double omega_h : {10.0, 1e3, 1e6}) {
    const double h = 0.1;
    const double k = omega_h * omega_h / (h * h);
    const auto acc = [k](double, const double* q, const double*, double* a) {
      a[0] = -k * q[0];
      return true;
    };
    NewmarkIntegrator integrator(1);
    double q = 1e-3, v = 1.0;
    const double energy = 0.5 * v * v + 0.5 * k * q * q;
    for (int step = 0; step < 5000; ++step) {
      const IntegrationStatus status = integrator.step(step * h, h, acc, &q, &v);
      ASSERT_TRUE(status.ok) << status.reason << " at omega h = " << omega_h << ", step " << step;
    }
    EXPECT_NEAR((0.5 * v * v + 0.5 * k * q * q) / energy, 1.0, std::max(1e-8, 1e-14 * omega_h * omega_h))
        << omega_h;
  }
}

TEST(Newmark, StiffNonlinearChainConverges) {
  // Ten masses, a cubic wall of 1e9 N/m^3 at the end, dampers: the Jacobian changes across the step.
  constexpr std::size_t n = 10;
  const auto acc = [](double, const double* q, const double* v, double* a) {
    for (std::size_t i = 0; i < n; ++i) {
      const double left_q = i > 0 ? q[i - 1] : 0.0;
      const double left_v = i > 0 ? v[i - 1] : 0.0;
      a[i] = -1e6 * (q[i] - left_q) - 10.0 * (v[i] - left_v);
      if (i + 1 < n) a[i] += 1e6 * (q[i + 1] - q[i]) + 10.0 * (v[i + 1] - v[i]);
    }
    a[n - 1] -= 1e9 * q[n - 1] * q[n - 1] * q[n - 1];
    return true;
  };
  NewmarkIntegrator integrator(n);
  std::array<double, n> q{};
  std::array<double, n> v{};
  v[n - 1] = 10.0;
  int most = 0;
  for (int step = 0; step < 2000; ++step) {
    const IntegrationStatus status = integrator.step(1e-3 * step, 1e-3, acc, q.data(), v.data());
    ASSERT_TRUE(status.ok) << status.reason << " step " << step;
    most = std::max(most, integrator.iterations());
  }
  EXPECT_LE(most, 12);
}

TEST(Newmark, RefreshesAJacobianThatNoLongerFits) {
  // The first guess q1 = h v = 5 m is far up a cubic spring, the solution near its soft bottom.
  const auto acc = [](double, const double* q, const double*, double* a) {
    a[0] = -1e4 * q[0] * q[0] * q[0];
    return true;
  };
  NewmarkIntegrator integrator(1);
  double q = 0.0, v = 10.0;
  const IntegrationStatus status = integrator.step(0.0, 0.5, acc, &q, &v);
  ASSERT_TRUE(status.ok) << status.reason;
  EXPECT_NEAR(q + 0.0625 * 1e4 * q * q * q, 5.0, 1e-10);  // q1 = h v0 + h^2 / 4 a1, a0 = 0
}

TEST(Newmark, RoundOffOfStiffForcesCountsAsConverged) {
  // Two masses 1e4 m off the origin, strained by 1 mm: their accelerations cannot be had to 1e-12.
  const auto acc = [](double, const double* q, const double*, double* a) {
    a[0] = 1e9 * (q[1] - q[0]);
    a[1] = -a[0];
    return true;
  };
  NewmarkIntegrator integrator(2);
  std::array<double, 2> q = {1e4, 1e4 + 1e-3};
  std::array<double, 2> v = {0.0, 0.0};
  for (int step = 0; step < 1000; ++step) {
    const IntegrationStatus status = integrator.step(1e-4 * step, 1e-4, acc, q.data(), v.data());
    ASSERT_TRUE(status.ok) << status.reason << " step " << step;
    ASSERT_LT(integrator.iterations(), 10);
  }
  const double strain = q[1] - q[0];
  const double energy = 0.5 * v[0] * v[0] + 0.5 * v[1] * v[1] + 0.5e9 * strain * strain;
  EXPECT_NEAR(energy / 500.0, 1.0, 1e-5);
}

TEST(Newmark, StepFromRestAtOrigin) {
  const auto acc = [](double t, const double* q, const double*, double* a) {
    a[0] = -4.0 * q[0] + t;
    return true;
  };
  NewmarkIntegrator integrator(1);
  double q = 0.0, v = 0.0;
  ASSERT_TRUE(integrator.step(0.0, 0.1, acc, &q, &v).ok);
  EXPECT_NEAR(v, 0.05 * 0.1 / 1.01, 1e-15);  // a1 = 0.1 / (1 + beta h^2 4)
}

TEST(Newmark, RepeatsBitForBitAfterOtherCalls) {
  NewmarkIntegrator integrator(2);
  const std::array<double, 4> start = {1.0, -0.4, 0.0, 0.8};
  std::array<double, 4> first = start;
  ASSERT_TRUE(integrator.step(0.0, 0.1, pendulums, first.data(), first.data() + 2).ok);
  std::array<double, 4> other = {3.0, 2.0, 1.0, 0.0};
  ASSERT_TRUE(integrator.step(5.0, 0.01, pendulums, other.data(), other.data() + 2).ok);
  std::array<double, 4> again = start;
  ASSERT_TRUE(integrator.step(0.0, 0.1, pendulums, again.data(), again.data() + 2).ok);
  EXPECT_EQ(std::memcmp(first.data(), again.data(), sizeof first), 0);
}

TEST(Newmark, FailureLeavesTheStateAndGivesReason) {
  NewmarkIntegrator integrator(1);
  double q = 1.0, v = 2.0;
  const auto refuse = [](double t, const double*, const double*, double* a) {
    a[0] = 1.0;
    return t < 0.05;
  };
  const IntegrationStatus refused = integrator.step(0.0, 0.1, refuse, &q, &v);
  EXPECT_FALSE(refused.ok);
  EXPECT_STREQ(refused.reason, "acceleration not evaluable");
  const auto not_finite = [](double, const double*, const double*, double* a) {
    a[0] = std::numeric_limits<double>::quiet_NaN();
    return true;
  };
  EXPECT_FALSE(integrator.step(0.0, 0.1, not_finite, &q, &v).ok);
  // a1 = 10 v1^2 + 20 with v1 = 2 + a1 / 2 has no real solution.
  const auto unsolvable = [](double t, const double*, const double* velocity, double* a) {
    a[0] = t > 0.0 ? 10.0 * velocity[0] * velocity[0] + 20.0 : 0.0;
    return true;
  };
  const IntegrationStatus unsolved = integrator.step(0.0, 1.0, unsolvable, &q, &v);
  EXPECT_FALSE(unsolved.ok);
  EXPECT_STRNE(unsolved.reason, "");
  EXPECT_EQ(q, 1.0);
  EXPECT_EQ(v, 2.0);
  EXPECT_EQ(unsolved.reached_time_s, 0.0);
}

TEST(Newmark, NothingToDo) {
  NewmarkIntegrator empty(0);
  EXPECT_TRUE(empty.step(0.0, 0.1, pendulums, nullptr, nullptr).ok);
  NewmarkIntegrator integrator(1);
  double q = 1.0, v = 2.0;
  EXPECT_TRUE(integrator.step(0.0, 0.0, pendulums, &q, &v).ok);
  EXPECT_FALSE(integrator.step(0.0, -0.1, pendulums, &q, &v).ok);
}

TEST(Newmark, RejectsWrongOptions) {
  EXPECT_THROW(NewmarkIntegrator(1, {.beta = -0.1}), std::invalid_argument);
  EXPECT_THROW(NewmarkIntegrator(1, {.gamma = 0.0}), std::invalid_argument);
  EXPECT_THROW(NewmarkIntegrator(1, {.tolerance = 0.0}), std::invalid_argument);
  EXPECT_THROW(NewmarkIntegrator(1, {.max_iterations = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace ergon::numerics

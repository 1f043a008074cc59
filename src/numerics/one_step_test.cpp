#include "ergon/numerics/one_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "benchmarks/reference/convergence.hpp"

namespace ergon::numerics {
namespace {

/// q'' = -k q - c v + f cos(tau), with the work of the spring force and the time integral of sin(tau).
struct ForcedOscillator {
  double k = 2.0;
  double c = 0.3;
  double f = 0.5;

  void acceleration(double tau, const double* q, const double* v, double* a) const {
    a[0] = -k * q[0] - c * v[0] + f * std::cos(tau);
  }
  void quadrature_rates(double tau, const double* q, const double* v, double* w_dot) const {
    w_dot[0] = -k * q[0] * v[0];
    w_dot[1] = std::sin(tau);
  }
};

/// A closed form of the above: q = A cos tau + B sin tau is the forced part; started on it, no free part is
/// left.
struct ForcedSolution {
  double a, b;
  explicit ForcedSolution(const ForcedOscillator& m) {
    const double d = m.k - 1.0;
    a = m.f * d / (d * d + m.c * m.c);
    b = m.f * m.c / (d * d + m.c * m.c);
  }
  double q(double t) const { return a * std::cos(t) + b * std::sin(t); }
  double v(double t) const { return -a * std::sin(t) + b * std::cos(t); }
};

using Step = void (*)(const ForcedOscillator&, double tau, double h, double* x);

template <OneStepMethod method>
void step_of(const ForcedOscillator& model, double tau, double h, double* x) {
  std::array<double, scratch_size(method, 1, 2)> scratch;
  scratch.fill(std::nan(""));  // must not be read
  if constexpr (method == OneStepMethod::explicit_euler) explicit_euler_step(model, 1, 2, tau, h, x, scratch);
  if constexpr (method == OneStepMethod::semi_implicit_euler) {
    semi_implicit_euler_step(model, 1, 2, tau, h, x, scratch);
  }
  if constexpr (method == OneStepMethod::rk4) rk4_step(model, 1, 2, tau, h, x, scratch);
}

/// Observed order of each of q, v, the spring's work and the integral of sin, by the max error up to 3 s.
std::array<double, 4> observed_orders(Step step, double first_h) {
  const ForcedOscillator model;
  const ForcedSolution exact(model);
  std::vector<double> h;
  std::array<std::vector<double>, 4> errors;
  for (int halving = 0; halving < 6; ++halving) {
    h.push_back(first_h / std::exp2(halving));
    std::array<double, 4> x = {exact.q(0.0), exact.v(0.0), 0.0, 0.0};
    std::array<double, 4> worst{};
    const auto steps = std::lround(3.0 / h.back());
    for (long i = 0; i < steps; ++i) {
      step(model, static_cast<double>(i) * h.back(), h.back(), x.data());
      const double t = static_cast<double>(i + 1) * h.back();
      const double work = 0.5 * model.k * (exact.q(0.0) * exact.q(0.0) - exact.q(t) * exact.q(t));
      const std::array<double, 4> truth = {exact.q(t), exact.v(t), work, 1.0 - std::cos(t)};
      for (std::size_t k = 0; k < 4; ++k) worst[k] = std::max(worst[k], std::abs(x[k] - truth[k]));
    }
    for (std::size_t k = 0; k < 4; ++k) errors[k].push_back(worst[k]);
  }
  std::array<double, 4> orders{};
  for (std::size_t k = 0; k < 4; ++k) orders[k] = fitted_order(h, errors[k]);
  return orders;
}

TEST(OneStep, ExplicitEulerHasOrderOne) {
  for (const double order : observed_orders(step_of<OneStepMethod::explicit_euler>, 0.01)) {
    EXPECT_NEAR(order, 1.0, 0.05);
  }
}

TEST(OneStep, SemiImplicitEulerHasOrderOne) {
  for (const double order : observed_orders(step_of<OneStepMethod::semi_implicit_euler>, 0.01)) {
    EXPECT_NEAR(order, 1.0, 0.05);
  }
}

TEST(OneStep, Rk4HasOrderFour) {
  for (const double order : observed_orders(step_of<OneStepMethod::rk4>, 0.1)) EXPECT_NEAR(order, 4.0, 0.1);
}

TEST(OneStep, SemiImplicitEulerIsTheTwoLineUpdateBitForBit) {
  const ForcedOscillator model;
  std::array<double, 4> x = {0.7, -0.2, 0.0, 0.0};
  double q = x[0], v = x[1], work = 0.0;
  const double h = 0.013;
  for (int i = 0; i < 1000; ++i) {
    const double tau = i * h;
    step_of<OneStepMethod::semi_implicit_euler>(model, tau, h, x.data());
    const double q_old = q;
    v += h * (-model.k * q - model.c * v + model.f * std::cos(tau));
    q += h * v;
    work += h * (-model.k * q_old * v);
    ASSERT_EQ(x[0], q);
    ASSERT_EQ(x[1], v);
    ASSERT_EQ(x[2], work);
  }
}

TEST(OneStep, ExplicitEulerTakesEverythingFromTheStart) {
  const ForcedOscillator model;
  std::array<double, 4> x = {0.7, -0.2, 1.0, 2.0};
  step_of<OneStepMethod::explicit_euler>(model, 0.25, 0.5, x.data());
  EXPECT_EQ(x[0], 0.7 + 0.5 * -0.2);
  EXPECT_EQ(x[1], -0.2 + 0.5 * (-model.k * 0.7 - model.c * -0.2 + model.f * std::cos(0.25)));
  EXPECT_EQ(x[2], 1.0 + 0.5 * (-model.k * 0.7 * -0.2));
  EXPECT_EQ(x[3], 2.0 + 0.5 * std::sin(0.25));
}

/// A force held over the step on a mass of 2 kg; w is its work. All numbers dyadic: no rounding anywhere.
struct HeldForce {
  double force = 0.75;
  void acceleration(double, const double*, const double*, double* a) const { a[0] = 0.5 * force; }
  void quadrature_rates(double, const double*, const double* v, double* w_dot) const {
    w_dot[0] = force * v[0];
  }
};

TEST(OneStep, WorkIsForceTimesDisplacement) {
  HeldForce model;
  std::array<double, 3> x = {1.0, 0.5, 0.0};
  std::array<double, scratch_size(OneStepMethod::rk4, 1, 1)> scratch;
  double work = 0.0;
  for (int i = 0; i < 16; ++i) {
    model.force = 0.25 * (i % 5) - 0.5;  // another force in each step
    const double q_old = x[0];
    semi_implicit_euler_step(model, 1, 1, 0.0, 0.125, x.data(), scratch);
    work += model.force * (x[0] - q_old);
    EXPECT_EQ(x[2], work);
  }
  EXPECT_NE(work, 0.0);

  // RK4 integrates the parabola exactly up to rounding of its weights.
  std::array<double, 3> y = {1.0, 0.5, 0.0};
  model.force = 0.75;
  for (int i = 0; i < 16; ++i) rk4_step(model, 1, 1, 0.0, 0.125, y.data(), scratch);
  EXPECT_NEAR(y[0], 1.0 + 0.5 * 2.0 + 0.5 * 0.375 * 4.0, 1e-14);
  EXPECT_NEAR(y[2], model.force * (y[0] - 1.0), 1e-14);
}

/// Two masses joined by a spring: several positions, no quadrature.
struct Pair {
  void acceleration(double, const double* q, const double*, double* a) const {
    a[0] = q[1] - q[0];
    a[1] = q[0] - q[1];
  }
  void quadrature_rates(double, const double*, const double*, double*) const {}
};

TEST(OneStep, SeveralPositions) {
  const Pair model;
  std::array<double, 4> x = {1.0, -1.0, 0.25, 0.25};
  std::array<double, scratch_size(OneStepMethod::rk4, 2, 0)> scratch;
  const double h = 0.01;
  for (int i = 0; i < 100; ++i) rk4_step(model, 2, 0, i * h, h, x.data(), scratch);
  const double omega = std::sqrt(2.0);
  EXPECT_NEAR(x[0] - x[1], 2.0 * std::cos(omega), 1e-9);
  EXPECT_NEAR(x[2] - x[3], -2.0 * omega * std::sin(omega), 1e-9);
  EXPECT_NEAR(x[0] + x[1], 0.5, 1e-14);
}

}  // namespace
}  // namespace ergon::numerics

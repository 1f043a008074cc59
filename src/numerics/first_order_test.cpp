#include "ergon/numerics/first_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "benchmarks/reference/convergence.hpp"

namespace ergon::numerics {
namespace {

constexpr double spring_k = 2.0, damping_c = 0.3, force_f = 0.5;

/// z = [q, v, work of the spring force, integral of sin]: q'' = -k q - c v + f cos(tau).
void rates(double tau, const double* z, double* z_dot) {
  z_dot[0] = z[1];
  z_dot[1] = -spring_k * z[0] - damping_c * z[1] + force_f * std::cos(tau);
  z_dot[2] = -spring_k * z[0] * z[1];
  z_dot[3] = std::sin(tau);
}

/// q = A cos tau + B sin tau is the forced part; started on it, no free part is left.
std::array<double, 4> exact(double t) {
  const double d = spring_k - 1.0;
  const double a = force_f * d / (d * d + damping_c * damping_c);
  const double b = force_f * damping_c / (d * d + damping_c * damping_c);
  const double q = a * std::cos(t) + b * std::sin(t);
  return {q, -a * std::sin(t) + b * std::cos(t), 0.5 * spring_k * (a * a - q * q), 1.0 - std::cos(t)};
}

using Scratch = std::array<double, first_order_scratch_size(4)>;
void euler(double tau, double h, double* z) {
  Scratch scratch;
  scratch.fill(std::nan(""));  // must not be read
  explicit_euler_step(rates, 4, tau, h, z, scratch);
}
void rk4(double tau, double h, double* z) {
  Scratch scratch;
  scratch.fill(std::nan(""));
  rk4_step(rates, 4, tau, h, z, scratch);
}

/// Observed order of each number, by the largest error up to 3 s.
std::array<double, 4> observed_orders(void (*step)(double, double, double*), double first_h) {
  std::vector<double> h;
  std::array<std::vector<double>, 4> errors;
  for (int halving = 0; halving < 6; ++halving) {
    h.push_back(first_h / std::exp2(halving));
    std::array<double, 4> z = exact(0.0);
    std::array<double, 4> worst{};
    const auto steps = std::lround(3.0 / h.back());
    for (long i = 0; i < steps; ++i) {
      step(static_cast<double>(i) * h.back(), h.back(), z.data());
      const auto truth = exact(static_cast<double>(i + 1) * h.back());
      for (std::size_t n = 0; n < 4; ++n) worst[n] = std::max(worst[n], std::abs(z[n] - truth[n]));
    }
    for (std::size_t n = 0; n < 4; ++n) errors[n].push_back(worst[n]);
  }
  std::array<double, 4> orders{};
  for (std::size_t n = 0; n < 4; ++n) orders[n] = fitted_order(h, errors[n]);
  return orders;
}

TEST(FirstOrder, ExplicitEulerHasOrderOne) {
  for (const double order : observed_orders(euler, 0.01)) EXPECT_NEAR(order, 1.0, 0.05);
}

TEST(FirstOrder, Rk4HasOrderFour) {
  for (const double order : observed_orders(rk4, 0.1)) EXPECT_NEAR(order, 4.0, 0.1);
}

TEST(FirstOrder, ExplicitEulerTakesEverythingFromTheStart) {
  std::array<double, 4> z = {0.7, -0.2, 1.0, 2.0};
  euler(0.25, 0.5, z.data());
  EXPECT_EQ(z[0], 0.7 + 0.5 * -0.2);
  EXPECT_EQ(z[1], -0.2 + 0.5 * (-spring_k * 0.7 - damping_c * -0.2 + force_f * std::cos(0.25)));
  EXPECT_EQ(z[2], 1.0 + 0.5 * (-spring_k * 0.7 * -0.2));
  EXPECT_EQ(z[3], 2.0 + 0.5 * std::sin(0.25));
}

// x' = v, v' = 3/8, w' = 3/4 v: a parabola, and the work 3/4 (x − x₀), up to rounding of the weights.
TEST(FirstOrder, Rk4IntegratesAParabolaExactly) {
  const auto falling = [](double, const double* z, double* z_dot) {
    z_dot[0] = z[1];
    z_dot[1] = 0.375;
    z_dot[2] = 0.75 * z[1];
  };
  std::array<double, 3> z = {1.0, 0.5, 0.0};
  std::array<double, first_order_scratch_size(3)> scratch;
  for (int i = 0; i < 16; ++i) rk4_step(falling, 3, 0.0, 0.125, z.data(), scratch);
  EXPECT_NEAR(z[0], 1.0 + 0.5 * 2.0 + 0.5 * 0.375 * 4.0, 1e-14);
  EXPECT_NEAR(z[2], 0.75 * (z[0] - 1.0), 1e-14);
}

}  // namespace
}  // namespace ergon::numerics

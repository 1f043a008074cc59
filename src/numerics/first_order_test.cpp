#include "ergon/numerics/first_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "benchmarks/reference/convergence.hpp"

namespace ergon::numerics {
namespace {

/// z' = (−z0 + cos(tau), z0 z1), from (1, 1) to tau = 1.
void rates(double tau, const double* z, double* z_dot) {
  z_dot[0] = -z[0] + std::cos(tau);
  z_dot[1] = z[0] * z[1];
}

template <typename Step>
double order_of(Step step) {
  // z0 = (cos t + sin t + e^−t)/2, and z1 = exp of its integral, (sin t − cos t − e^−t)/2 + 1.
  const double exact0 = 0.5 * (std::cos(1.0) + std::sin(1.0) + std::exp(-1.0));
  const double exact1 = std::exp(0.5 * (std::sin(1.0) - std::cos(1.0) - std::exp(-1.0)) + 1.0);
  std::vector<double> sizes, errors;
  for (int n : {20, 40, 80}) {
    std::array<double, 2> z = {1.0, 1.0};
    std::array<double, first_order_scratch_size(2)> scratch{};
    for (int i = 0; i < n; ++i) step(static_cast<double>(i) / n, 1.0 / n, z.data(), scratch);
    sizes.push_back(1.0 / n);
    errors.push_back(std::max(std::abs(z[0] - exact0), std::abs(z[1] - exact1)));
  }
  return fitted_order(sizes, errors);
}

TEST(FirstOrder, MethodsHaveTheirOrders) {
  EXPECT_NEAR(
      order_of([](double tau, double h, double* z, auto& s) { explicit_euler_step(rates, 2, tau, h, z, s); }),
      1.0, 0.1);
  EXPECT_NEAR(order_of([](double tau, double h, double* z, auto& s) { rk4_step(rates, 2, tau, h, z, s); }),
              4.0, 0.1);
}

}  // namespace
}  // namespace ergon::numerics

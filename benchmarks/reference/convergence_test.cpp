#include "benchmarks/reference/convergence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace ergon::numerics {
namespace {

TEST(FittedOrder, RecoversExactPower) {
  const std::array<double, 4> h = {0.1, 0.05, 0.025, 0.0125};
  std::array<double, 4> error{};
  for (std::size_t i = 0; i < h.size(); ++i) error[i] = 7.0 * std::pow(h[i], 3.0);
  EXPECT_NEAR(fitted_order(h, error), 3.0, 1e-12);
}

TEST(FittedOrder, DoesNotDependOnTheOrderOfThePoints) {
  const std::array<double, 3> h = {0.025, 0.1, 0.05};
  const std::array<double, 3> error = {0.025, 0.1, 0.05};
  EXPECT_NEAR(fitted_order(h, error), 1.0, 1e-12);
}

TEST(FittedOrder, IsUndefinedWithoutASlope) {
  const std::array<double, 2> same = {0.1, 0.1};
  const std::array<double, 2> h = {0.1, 0.2};
  const std::array<double, 2> with_zero = {0.0, 1.0};
  EXPECT_TRUE(std::isnan(fitted_order(same, h)));
  EXPECT_TRUE(std::isnan(fitted_order(h, with_zero)));
  EXPECT_TRUE(std::isnan(fitted_order(std::span(h).first(1), std::span(h).first(1))));
}

}  // namespace
}  // namespace ergon::numerics

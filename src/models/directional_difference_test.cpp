#include "ergon/models/directional_difference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace ergon {
namespace {

using Pair = std::array<double, 2>;
using Triple = std::array<double, 3>;

constexpr double V = 2e-3;  // m³
constexpr double bulk_modulus_Pa = 1.5e9;

/// A pressure x₀ of some MPa beside a length x₁ of some mm, and inputs likewise: a gas spring, a fluid, a stiff oscillation.
void results(const double* u, const double* x, double* y) {
  y[0] = x[0] * V / x[1] + u[0] * u[1];
  y[1] = bulk_modulus_Pa * std::log(x[0] / 1e5) * x[1] * x[1] + u[0];
  y[2] = std::sin(1e3 * x[1]) + std::sqrt(x[0]) * u[1];
}
Triple exact(const Pair& u, const Pair& x, const Pair& du, const Pair& dx) {
  return {
      V / x[1] * dx[0] - x[0] * V / (x[1] * x[1]) * dx[1] + u[1] * du[0] + u[0] * du[1],
      bulk_modulus_Pa * (x[1] * x[1] / x[0] * dx[0] + 2.0 * std::log(x[0] / 1e5) * x[1] * dx[1]) + du[0],
      1e3 * std::cos(1e3 * x[1]) * dx[1] + 0.5 / std::sqrt(x[0]) * u[1] * dx[0] + std::sqrt(x[0]) * du[1]};
}

Triple differences(const Pair& u, const Pair& x, const Pair& du, const Pair& dx) {
  Triple out{};
  std::vector<double> scratch;
  directional_difference(results, 2, 2, 3, u.data(), x.data(), du.data(), dx.data(), out.data(), scratch);
  return out;
}

// Directions are what a Jacobian asks for, one in each, and what a step makes of them, sizes as of the variables.
TEST(DirectionalDifference, EachVariableIsMovedByItsOwnSize) {
  const Pair u = {4e6, 5e-3};
  const Pair x = {2e6, 1e-3};
  const Pair none = {0.0, 0.0};
  for (const Pair& direction :
       {Pair{1.0, 0.0}, Pair{0.0, 1.0}, Pair{1.0, 1.0}, Pair{-1e5, 1.0}, Pair{3e5, 2e-4}}) {
    for (const auto& [du, dx] : {std::pair{none, direction}, {direction, none}, {direction, direction}}) {
      const Triple expected = exact(u, x, du, dx);
      const Triple found = differences(u, x, du, dx);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-9 * std::abs(expected[i]))
            << direction[0] << ' ' << direction[1] << ' ' << i;
    }
  }
}

// Nothing tells how large a variable will be that is 0 now: some hundredths.
TEST(DirectionalDifference, VariablesMayBeZero) {
  const auto stiff = [](const double* /*u*/, const double* x, double* y) {
    y[0] = 1e6 * x[0] + 1e9 * x[0] * x[0] * x[0] - 1e3 * x[1];
  };
  const Pair at_rest = {0.0, 0.0};
  const Pair direction = {2.0, -3.0};
  double out = 0.0;
  std::vector<double> scratch;
  directional_difference(stiff, 0, 2, 1, nullptr, at_rest.data(), nullptr, direction.data(), &out, scratch);
  EXPECT_NEAR(out, 2e6 + 3e3, 1e-9 * 2e6);
}

TEST(DirectionalDifference, AlongNothingNothingChanges) {
  const Pair none = {0.0, 0.0};
  EXPECT_EQ(differences({4e6, 5e-3}, {2e6, 1e-3}, none, none), (Triple{0.0, 0.0, 0.0}));
}

}  // namespace
}  // namespace ergon

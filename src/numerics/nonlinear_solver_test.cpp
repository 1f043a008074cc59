#include "ergon/numerics/nonlinear_solver.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ergon::numerics {
namespace {

TEST(SolveNonlinear, LinearSystem) {
  const auto residual = [](const double* x, double* r) {
    r[0] = 4.0 * x[0] + x[1] - 9.0;
    r[1] = x[0] + 3.0 * x[1] - 5.0;
    return true;
  };
  std::array<double, 2> x = {0.0, 0.0};
  const NonlinearResult result = solve_nonlinear(2, residual, x.data());
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_EQ(result.reason, "");
  EXPECT_LE(result.residual_norm, 1e-12);
  EXPECT_GT(result.iterations, 0);
  EXPECT_NEAR(x[0], 2.0, 1e-12);
  EXPECT_NEAR(x[1], 1.0, 1e-12);
}

TEST(SolveNonlinear, RosenbrockNeedsTheLineSearch) {
  const auto residual = [](const double* x, double* r) {
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
    return true;
  };
  std::array<double, 2> x = {-1.2, 1.0};
  const NonlinearResult result = solve_nonlinear(2, residual, x.data());
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(x[0], 1.0, 1e-11);
  EXPECT_NEAR(x[1], 1.0, 1e-11);
}

TEST(SolveNonlinear, StepsThatOvershootAreShortened) {
  // Undamped Newton for atan diverges from |x| > 1.39.
  const auto residual = [](const double* x, double* r) {
    r[0] = std::atan(x[0]);
    return true;
  };
  double x = 10.0;
  const NonlinearResult result = solve_nonlinear(1, residual, &x);
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(x, 0.0, 1e-12);
}

TEST(SolveNonlinear, StartThatSolvesIsKept) {
  const auto residual = [](const double* x, double* r) {
    r[0] = x[0] - 3.0;
    return true;
  };
  double x = 3.0;
  const NonlinearResult result = solve_nonlinear(1, residual, &x);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, 3.0);
}

TEST(SolveNonlinear, ResidualAtRoundOffCountsAsConverged) {
  // Forces of 1e12 N: the residual cannot come below some 1e-4 N, far above the tolerance.
  const auto residual = [](const double* x, double* r) {
    r[0] = 1e12 * (x[0] * x[0] + x[0]) / 3.0 - 7e11;
    r[1] = 1e12 * std::sin(x[1]) + 1e11 * x[0] - 3e11;
    return true;
  };
  std::array<double, 2> x = {1.0, 0.5};
  const NonlinearResult result = solve_nonlinear(2, residual, x.data());
  EXPECT_TRUE(result.converged) << result.reason << ' ' << result.residual_norm;
  EXPECT_LE(result.residual_norm, 1e-2);
  EXPECT_NEAR(x[0] * x[0] + x[0], 2.1, 1e-14);
}

TEST(SolveNonlinear, NoSolutionGivesReason) {
  const auto residual = [](const double* x, double* r) {
    r[0] = x[0] * x[0] + 1.0;
    return true;
  };
  double x = 2.0;
  const NonlinearResult result = solve_nonlinear(1, residual, &x);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason, "");
  EXPECT_GE(result.residual_norm, 1.0);
}

TEST(SolveNonlinear, SingularJacobianGivesReason) {
  const auto residual = [](const double* x, double* r) {
    r[0] = x[0] + x[1] - 1.0;
    r[1] = x[0] + x[1] - 2.0;
    return true;
  };
  std::array<double, 2> x = {0.0, 0.0};
  const NonlinearResult result = solve_nonlinear(2, residual, x.data());
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason, "");
}

TEST(SolveNonlinear, IterationLimitGivesReason) {
  const auto residual = [](const double* x, double* r) {
    r[0] = std::exp(x[0]) - 1.0;
    return true;
  };
  double x = 30.0;
  const NonlinearResult result = solve_nonlinear(1, residual, &x, {.tolerance = 1e-12, .max_iterations = 3});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.reason, "iteration limit reached");
  EXPECT_EQ(result.iterations, 3);
}

TEST(SolveNonlinear, RegionNotEvaluableIsAvoided) {
  // The full Newton step from 5 leads to a negative argument of the logarithm.
  const auto residual = [](const double* x, double* r) {
    if (x[0] <= 0.0) return false;
    r[0] = std::log(x[0]);
    return true;
  };
  double x = 5.0;
  const NonlinearResult result = solve_nonlinear(1, residual, &x);
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(x, 1.0, 1e-12);
}

TEST(SolveNonlinear, NotEvaluableStartGivesReason) {
  const auto residual = [](const double*, double* r) {
    r[0] = std::numeric_limits<double>::quiet_NaN();
    return true;
  };
  double x = 1.0;
  const NonlinearResult result = solve_nonlinear(1, residual, &x);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.reason, "residual not evaluable at the start");
}

TEST(SolveNonlinear, NothingToSolve) {
  const auto residual = [](const double*, double*) { return false; };
  EXPECT_TRUE(solve_nonlinear(0, residual, nullptr).converged);
}

TEST(SolveNonlinear, RejectsWrongOptions) {
  const auto residual = [](const double*, double*) { return true; };
  double x = 0.0;
  EXPECT_THROW(solve_nonlinear(1, residual, &x, {.tolerance = 0.0}), std::invalid_argument);
  EXPECT_THROW(solve_nonlinear(1, residual, &x, {.tolerance = 1e-12, .max_iterations = 0}),
               std::invalid_argument);
}

}  // namespace
}  // namespace ergon::numerics

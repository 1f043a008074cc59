#include "ergon/study/convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace ergon::study {
namespace {

constexpr std::size_t count = 101;

std::vector<double> times() {
  std::vector<double> t;
  for (std::size_t i = 0; i < count; ++i) t.push_back(0.01 * static_cast<double>(i));
  return t;
}

/// sin(3t) with an error at step H, at H = 0.1, 0.05 …
std::vector<std::vector<double>> levels_with(const std::function<double(double H, double t)>& error,
                                             std::size_t levels = 5) {
  std::vector<std::vector<double>> all;
  for (std::size_t k = 0; k < levels; ++k) {
    std::vector<double> level;
    for (const double t : times())
      level.push_back(std::sin(3.0 * t) + error(std::ldexp(0.1, -static_cast<int>(k)), t));
    all.push_back(level);
  }
  return all;
}

double true_error(const std::vector<double>& level) {
  double largest = 0.0;
  const auto t = times();
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, std::abs(level[i] - std::sin(3.0 * t[i])));
  return largest;
}

// An error c(t) Hᵖ + d(t) Hᵖ⁺¹ has the order p, and its bars hold it without being twice as large.
TEST(Convergence, FindsTheOrderAndBoundsTheError) {
  for (const double p : {1.0, 2.0, 3.0, 4.0}) {
    const auto levels = levels_with(
        [p](double H, double t) { return std::pow(H, p) * (1.0 + t) + 0.5 * std::pow(H, p + 1.0) * t; });
    const VariableConvergence v = analyse_convergence(levels, times());
    ASSERT_TRUE(v.order) << p;
    EXPECT_NEAR(*v.order, p, 1e-9);
    EXPECT_EQ(v.loss, OrderLoss::none);
    for (std::size_t k = 0; k < levels.size(); ++k) {
      EXPECT_GE(v.bars[k], true_error(levels[k])) << p << ' ' << k;
      EXPECT_LE(v.bars[k], 1.2 * true_error(levels[k])) << p << ' ' << k;
    }
    EXPECT_NEAR(v.last_value, std::sin(3.0), v.last_value_bar);
    EXPECT_LT(v.last_value_bar, 0.1 * v.bars.back());
  }
}

// Error 0.2 H of a variable with half the range R: 1 % of R at H = 0.05 R.
TEST(Convergence, TellsTheStepForAnAccuracy) {
  const VariableConvergence v =
      analyse_convergence(levels_with([](double H, double) { return 0.2 * H; }), times());
  const auto step_s = step_for(v, 0.1 / 16.0, 0.01);
  ASSERT_TRUE(step_s);
  EXPECT_NEAR(*step_s, 0.05 * v.half_range, 1e-6);
}

// From t = 0.5 on errors are those of an event whose time is off by anything below H.
TEST(Convergence, SeesWhereAnEventEndsTheOrder) {
  const double off[] = {0.9, 0.1, 0.8, 0.3, 0.7};
  std::size_t level = 0;
  double last_H = 0.1;
  const auto levels = levels_with([&](double H, double t) {
    if (H != last_H) ++level;
    last_H = H;
    return H * H * (1.0 + t) + (t > 0.5 ? 0.2 * off[level] * H : 0.0);
  });
  const VariableConvergence v = analyse_convergence(levels, times());
  EXPECT_EQ(v.loss, OrderLoss::event);
  ASSERT_TRUE(v.lost_at_s);
  EXPECT_NEAR(*v.lost_at_s, 0.5, 0.07);
  EXPECT_GE(v.bars.back(), true_error(levels.back()));
}

TEST(Convergence, TellsNoiseOfASolverInsideFromRoundOff) {
  const auto noisy = [](double size) {
    return levels_with(
        [size](double H, double t) {
          return std::pow(H, 3.0) * (1.0 + t) + size * std::sin(1e5 * t * (1.0 + H) + 7.0 / H);
        },
        7);
  };
  const VariableConvergence solver = analyse_convergence(noisy(1e-6), times(), 1e-6);
  EXPECT_EQ(solver.loss, OrderLoss::solver_noise);
  ASSERT_TRUE(solver.order);
  EXPECT_NEAR(*solver.order, 3.0, 0.3);
  ASSERT_TRUE(solver.lost_at_level);
  // No step is told for what is below the noise.
  EXPECT_FALSE(step_for(solver, 1.0, 1e-9));
  EXPECT_TRUE(step_for(solver, 0.1 / 64.0, 1e-2));
  const VariableConvergence digits = analyse_convergence(noisy(1e-13), times(), 0.0);
  EXPECT_TRUE(digits.loss == OrderLoss::none || digits.loss == OrderLoss::round_off);
  // The same everywhere, but for the last digits.
  const VariableConvergence equal =
      analyse_convergence(levels_with([](double H, double) { return 1e-15 * H; }), times());
  EXPECT_EQ(equal.loss, OrderLoss::round_off);
}

TEST(Convergence, KnowsWhatDoesNotMoveAndWhatDiverges) {
  const std::vector<std::vector<double>> still(4, std::vector<double>(count, 3.0));
  EXPECT_EQ(analyse_convergence(still, times()).loss, OrderLoss::still);
  const VariableConvergence grows =
      analyse_convergence(levels_with([](double H, double t) { return t / H; }), times());
  EXPECT_EQ(grows.loss, OrderLoss::diverges);
  EXPECT_TRUE(std::isinf(grows.bars.back()));
  // Last digits that add up over more and more steps.
  const VariableConvergence digits =
      analyse_convergence(levels_with([](double H, double t) { return 1e-11 * t / H; }), times());
  EXPECT_EQ(digits.loss, OrderLoss::round_off);
  EXPECT_GE(digits.bars.front(),
            true_error(levels_with([](double H, double t) { return 1e-11 * t / H; }).front()));
  auto broken = levels_with([](double H, double) { return H; });
  broken[2][7] = std::nan("");
  EXPECT_EQ(analyse_convergence(broken, times()).loss, OrderLoss::diverges);
}

// The order changes from 1 to 2 as the steps shrink: what is told is no order, and the bar holds the error.
TEST(Convergence, DoesNotTrustAnOrderThatStillChanges) {
  const auto levels = levels_with(
      [](double H, double t) { return (1.0 + t) * 0.1 * std::tanh(std::pow(8.0 * H, 4.0)) + 0.01 * H; });
  const VariableConvergence v = analyse_convergence(levels, times());
  EXPECT_NE(v.loss, OrderLoss::none);
  EXPECT_GE(v.bars.back(), true_error(levels.back()));
}

}  // namespace
}  // namespace ergon::study

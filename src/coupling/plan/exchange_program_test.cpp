#include "ergon/coupling/plan/exchange_program.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ergon {
namespace {

/// Two source stages on a grid of 1 s ticks, and a few slots to write to.
struct ExchangeTest : ::testing::Test {
  TimeGrid grid{Rational{}, Rational(1000, 1), std::vector<Rational>{Rational(1, 1)}};
  SampleRing a{5, 2};
  SampleRing b{5, 1};
  SampleRings rings{&a, &b};
  ExchangeWeights weights;
  static constexpr std::size_t slots = 6;
  std::vector<double> c = std::vector<double>(4 * slots, -99.0);

  static void sample(SampleRing& ring, Tick k, std::vector<double> values) {
    std::copy(values.begin(), values.end(), ring.pending());
    ring.commit(k);
  }
  double coefficient(int d, std::size_t slot) const { return c[static_cast<std::size_t>(d) * slots + slot]; }
};

TEST_F(ExchangeTest, HoldIsTheNewestSampleWhereverItLies) {
  ExchangeProgram exchange;
  exchange.add(3, 0, 1, 0, LinkTerm{});
  sample(a, 0, {1.0, 2.0});
  sample(a, 5, {3.0, 4.0});
  for (const Tick k : {5, 7, 2}) {
    EXPECT_EQ(exchange.build(rings, grid, k, 3, weights, c.data(), slots), 0);
    EXPECT_EQ(coefficient(0, 3), 4.0);
  }
  EXPECT_EQ(coefficient(0, 2), -99.0) << "a slot that is not its own";
}

// Through (−2, 1) and (0, 5), seen from τ = 0: 5 + 2τ. Seen from one later: 7 + 2τ.
TEST_F(ExchangeTest, LinearIsTheLineThroughTheLastTwo) {
  ExchangeProgram exchange;
  exchange.add(0, 0, 0, 1, LinkTerm{});
  sample(a, 8, {1.0, 0.0});
  sample(a, 10, {5.0, 0.0});
  EXPECT_EQ(exchange.build(rings, grid, 10, 3, weights, c.data(), slots), 1);
  EXPECT_EQ(coefficient(0, 0), 5.0);
  EXPECT_DOUBLE_EQ(coefficient(1, 0), 2.0);
  // The same samples from another place: the cached weights are of no use any more.
  exchange.build(rings, grid, 11, 3, weights, c.data(), slots);
  EXPECT_DOUBLE_EQ(coefficient(0, 0), 7.0);
  // Another distance between samples: (10, 5), (14, 1) → slope −1.
  sample(a, 14, {1.0, 0.0});
  exchange.build(rings, grid, 14, 3, weights, c.data(), slots);
  EXPECT_EQ(coefficient(0, 0), 1.0);
  EXPECT_DOUBLE_EQ(coefficient(1, 0), -1.0);
}

// y = 1 + 2s + 3s² + 4s³ at s = 0, −1, −2, −3.
TEST_F(ExchangeTest, CubicHasTheCoefficientsOfItsSource) {
  ExchangeProgram exchange;
  exchange.add(0, 1, 0, 3, LinkTerm{});
  for (Tick k = -3; k <= 0; ++k) {
    const double s = static_cast<double>(k);
    sample(b, k, {1.0 + 2.0 * s + 3.0 * s * s + 4.0 * s * s * s});
  }
  EXPECT_EQ(exchange.build(rings, grid, 0, 3, weights, c.data(), slots), 3);
  for (int d = 0; d <= 3; ++d) EXPECT_NEAR(coefficient(d, 0), 1.0 + d, 1e-12) << d;
}

// A history of two samples carries a line, whatever was asked; the cap is the receiver's.
TEST_F(ExchangeTest, DegreeIsLimitedByTheHistoryAndByTheReceiver) {
  ExchangeProgram exchange;
  exchange.add(0, 0, 0, 3, LinkTerm{});
  sample(a, 0, {1.0, 0.0});
  EXPECT_EQ(exchange.build(rings, grid, 0, 3, weights, c.data(), slots), 0);
  sample(a, 1, {2.0, 0.0});
  EXPECT_EQ(exchange.build(rings, grid, 1, 3, weights, c.data(), slots), 1);
  EXPECT_EQ(exchange.build(rings, grid, 1, 0, weights, c.data(), slots), 0);
  EXPECT_EQ(exchange.max_degree(), 3);
}

// The constant term alone (cap 0) of a line through old samples is still the value on the line at τ = 0.
TEST_F(ExchangeTest, ValueAtThePointIsExtrapolatedEvenWithoutSlope) {
  ExchangeProgram exchange;
  exchange.add(0, 0, 0, 1, LinkTerm{});
  sample(a, 0, {0.0, 0.0});
  sample(a, 2, {4.0, 0.0});
  exchange.build(rings, grid, 5, 0, weights, c.data(), slots);
  EXPECT_DOUBLE_EQ(coefficient(0, 0), 10.0);
}

// gain·y + offset: the offset belongs to the value, not to the slope. 10·(5 + 2τ) + 1 = 51 + 20τ.
TEST_F(ExchangeTest, OffsetEntersTheConstantTermOnly) {
  ExchangeProgram exchange;
  exchange.add(0, 0, 0, 1, LinkTerm{0, 10.0, 1.0, false});
  sample(a, 8, {1.0, 0.0});
  sample(a, 10, {5.0, 0.0});
  exchange.build(rings, grid, 10, 1, weights, c.data(), slots);
  EXPECT_DOUBLE_EQ(coefficient(0, 0), 51.0);
  EXPECT_DOUBLE_EQ(coefficient(1, 0), 20.0);
  exchange.build(rings, grid, 11, 1, weights, c.data(), slots);
  EXPECT_DOUBLE_EQ(coefficient(0, 0), 71.0);
  EXPECT_DOUBLE_EQ(coefficient(1, 0), 20.0);
}

// Terms of different degree add up power by power: (5 + 2τ) + 7, whose slope must not be left over from before.
TEST_F(ExchangeTest, SumsAddUpPowerByPower) {
  ExchangeProgram exchange;
  exchange.add(4, 0, 0, 1, LinkTerm{});
  exchange.add(5, 1, 0, 0, LinkTerm{});
  exchange.add_sum({1, 4, 2});
  sample(a, 8, {1.0, 0.0});
  sample(a, 10, {5.0, 0.0});
  sample(b, 10, {7.0});
  EXPECT_EQ(exchange.build(rings, grid, 10, 3, weights, c.data(), slots), 1);
  EXPECT_DOUBLE_EQ(coefficient(0, 1), 12.0);
  EXPECT_DOUBLE_EQ(coefficient(1, 1), 2.0);
  EXPECT_EQ(coefficient(1, 5), 0.0);
}

// (1e16 + 1) + 1 loses both ones, 1e16 + (1 + 1) does not: the order is the order of the terms.
TEST_F(ExchangeTest, SumsAreTakenInOrder) {
  ExchangeProgram exchange;
  exchange.add(3, 0, 0, 0, LinkTerm{});
  exchange.add(4, 0, 1, 0, LinkTerm{});
  exchange.add(5, 1, 0, 0, LinkTerm{});
  exchange.add_sum({0, 3, 3});
  sample(a, 0, {1e16, 1.0});
  sample(b, 0, {1.0});
  exchange.build(rings, grid, 0, 0, weights, c.data(), slots);
  EXPECT_EQ(coefficient(0, 0), 1e16);
}

// Rate = backward difference, held over the step; 0 while there is one sample; with gain and offset on top.
TEST_F(ExchangeTest, DifferentiatesByBackwardDifference) {
  ExchangeProgram exchange;
  exchange.add(0, 0, 0, 2, LinkTerm{0, 1.0, 0.0, true});
  exchange.add(1, 0, 0, 2, LinkTerm{0, 10.0, 1.0, true});
  sample(a, 0, {3.0, 0.0});
  EXPECT_EQ(exchange.build(rings, grid, 0, 3, weights, c.data(), slots), 0);
  EXPECT_EQ(coefficient(0, 0), 0.0);
  sample(a, 4, {5.0, 0.0});
  for (const Tick k : {4, 6}) {
    EXPECT_EQ(exchange.build(rings, grid, k, 3, weights, c.data(), slots), 0);
    EXPECT_DOUBLE_EQ(coefficient(0, 0), 0.5);
    EXPECT_DOUBLE_EQ(coefficient(0, 1), 6.0);
  }
}

// Gauss–Seidel: the newest sample lies ahead of the step, and a line through both ends interpolates.
TEST_F(ExchangeTest, InterpolatesWhereTheSourceIsAhead) {
  ExchangeProgram exchange;
  exchange.add(0, 0, 0, 1, LinkTerm{});
  sample(a, 0, {1.0, 0.0});
  sample(a, 4, {9.0, 0.0});
  exchange.build(rings, grid, 0, 1, weights, c.data(), slots);
  EXPECT_EQ(coefficient(0, 0), 1.0);
  EXPECT_DOUBLE_EQ(coefficient(1, 0), 2.0);
  exchange.build(rings, grid, 1, 1, weights, c.data(), slots);
  EXPECT_DOUBLE_EQ(coefficient(0, 0), 3.0);
}

}  // namespace
}  // namespace ergon

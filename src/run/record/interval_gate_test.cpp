#include "ergon/run/record/interval_gate.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace ergon {
namespace {

std::vector<Tick> chosen(IntervalGate gate, const std::vector<Tick>& points) {
  std::vector<Tick> result;
  for (const Tick point : points) {
    if (gate.due(point)) result.push_back(point);
  }
  return result;
}

using Ticks = std::vector<Tick>;

TEST(IntervalGate, LetsEveryPointPassByDefault) {
  EXPECT_EQ(chosen({}, {0, 2, 3, 9}), (Ticks{0, 2, 3, 9}));
}

// Points of steps 2 and 3, interval 5: multiples 0, 5, 10, 15 are met at 0, 6, 10, 15.
TEST(IntervalGate, TakesTheFirstPointAtOrAfterEachMultiple) {
  const Ticks points = {0, 2, 3, 4, 6, 8, 9, 10, 12, 14, 15, 16, 18};
  EXPECT_EQ(chosen(IntervalGate::ticks(5), points), (Ticks{0, 6, 10, 15}));
}

TEST(IntervalGate, SkipsMultiplesThatPassBetweenTwoPoints) {
  EXPECT_EQ(chosen(IntervalGate::ticks(3), {0, 10, 20, 21, 22}), (Ticks{0, 10, 20, 21}));
}

// 2.5 ticks: multiples 0, 2.5, 5, 7.5, 10.
TEST(IntervalGate, AnIntervalNeedNotLieOnTheGrid) {
  EXPECT_EQ(chosen(IntervalGate(Rational(5, 2)), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
            (Ticks{0, 3, 5, 8, 10}));
  const Rational step(1, 60);
  const TimeGrid grid(Rational{}, Rational(1, 1), std::span(&step, 1));
  // Every 10 ms of points 16.67 ms apart: each of them.
  EXPECT_EQ(chosen(IntervalGate::seconds(Rational(1, 100), grid), {0, 1, 2, 3}), (Ticks{0, 1, 2, 3}));
}

TEST(IntervalGate, LongRunsDoNotOverflow) {
  const Tick late = Tick{1} << 53;
  IntervalGate gate(Rational(1'000'000'007, 1'000'000'000));
  EXPECT_TRUE(gate.due(late));
  EXPECT_FALSE(gate.due(late));
  EXPECT_TRUE(gate.due(late + 2));
}

TEST(IntervalGate, FirstOnly) {
  EXPECT_EQ(chosen(IntervalGate::first_only(), {0, 1, 1000}), Ticks{0});
  EXPECT_FALSE(IntervalGate::first_only().wants_last());
}

TEST(IntervalGate, BoundsTheNumberOfPoints) {
  EXPECT_EQ(IntervalGate().most_points(100), 101);
  EXPECT_EQ(IntervalGate::ticks(10).most_points(100), 12);
  EXPECT_EQ(IntervalGate::ticks(1000).most_points(100), 2);
}

TEST(IntervalGate, RefusesZero) {
  EXPECT_THROW(IntervalGate::ticks(0), std::invalid_argument);
}

}  // namespace
}  // namespace ergon

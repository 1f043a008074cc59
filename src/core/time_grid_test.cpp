#include "ergon/core/time_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace ergon {
namespace {

TimeGrid grid(const char* duration, const std::vector<const char*>& steps, const char* start = "0") {
  std::vector<Rational> parsed;
  for (const char* s : steps) parsed.push_back(Rational::parse(s).value());
  return {Rational::parse(start).value(), Rational::parse(duration).value(), parsed};
}

TEST(TimeGrid, AnHourOfSixtiethsIsExactly216000Steps) {
  const TimeGrid g = grid("3600", {"1/60"});
  EXPECT_EQ(g.end(), 216000);
  EXPECT_EQ(g.ticks(Rational(1, 60)), 1);
  EXPECT_EQ(g.time_s(g.end()), 3600.0);
}

// k and 60 are exact doubles and IEEE division rounds once, so k/60 is the double nearest to the true time. 80-bit
// arithmetic tells: no neighbouring double is nearer.
TEST(TimeGrid, TimeIsCorrectlyRounded) {
  const TimeGrid g = grid("3600", {"1/60"});
  for (Tick k = 0; k <= g.end(); k += 7) {
    const double t = g.time_s(k);
    const long double exact = static_cast<long double>(k) / 60.0L;
    const long double error = std::abs(static_cast<long double>(t) - exact);
    for (const double neighbour : {std::nextafter(t, -1.0), std::nextafter(t, 1e9)}) {
      ASSERT_LE(error, std::abs(static_cast<long double>(neighbour) - exact)) << k;
    }
  }
}

// 0.001 is not a double: 3.6 million of its neighbours, each sum rounded, do not make an hour.
TEST(TimeGrid, DoesNotDriftAsASumOfDoublesDoes) {
  const TimeGrid g = grid("3600", {"0.001"});
  double summed = 0.0;
  for (Tick k = 0; k < g.end(); ++k) summed += 0.001;
  EXPECT_NE(summed, 3600.0);
  EXPECT_EQ(g.time_s(g.end()), 3600.0);
  EXPECT_EQ(g.time_s(1234567), 1234.567);
}

TEST(TimeGrid, TickIsTheCommonDivisorOfAllStepsAndTheDuration) {
  const TimeGrid two_three = grid("1", {"0.002", "0.003"});
  EXPECT_EQ(two_three.tick_s(), Rational(1, 1000));
  EXPECT_EQ(two_three.ticks(Rational(2, 1000)), 2);
  EXPECT_EQ(two_three.ticks(Rational(3, 1000)), 3);
  // The end of the run is a point of the grid even where it is not a multiple of the step.
  const TimeGrid clamped = grid("1", {"0.3"});
  EXPECT_EQ(clamped.tick_s(), Rational(1, 10));
  EXPECT_EQ(clamped.end(), 10);
}

TEST(TimeGrid, CountsFromTheStartTime) {
  const TimeGrid g = grid("1", {"0.25"}, "10");
  EXPECT_EQ(g.time_s(0), 10.0);
  EXPECT_EQ(g.time_s(3), 10.75);
  EXPECT_EQ(g.duration_s(3), 0.75);
}

// The decimal as written is the double nearest to it; a sum of two rounded ones need not be (0.1 + 0.7 < 0.8).
TEST(TimeGrid, TimesAfterAStartAreRoundedOnce) {
  const TimeGrid tenths = grid("1.2", {"0.1"}, "0.1");
  for (Tick k = 0; k <= tenths.end(); ++k) {
    EXPECT_EQ(tenths.time_s(k), static_cast<double>(k + 1) / 10.0) << k;
  }
  const TimeGrid before_zero = grid("1", {"1/3"}, "-1/7");
  EXPECT_EQ(before_zero.time_s(before_zero.ticks(Rational(1, 3))), 4.0 / 21.0);
  EXPECT_EQ(before_zero.time_s(0), -1.0 / 7.0);
}

// The common denominator has too many digits for exact quotients.
TEST(TimeGrid, AStartWithVeryManyDigitsStillCounts) {
  const TimeGrid g = grid("1", {"0.25"}, "1000.123456789012345");
  EXPECT_DOUBLE_EQ(g.time_s(0), 1000.123456789012345);
  EXPECT_DOUBLE_EQ(g.time_s(4), 1001.123456789012345);
}

// 1/9999991 and 1/9999973 s (primes) have a common tick of 1e-14 s: 1e17 ticks in 1000 s, more than 2⁵³.
TEST(TimeGrid, SaysSoWhenThereIsNoUsableTick) {
  try {
    grid("1000", {"1/9999991", "1/9999973"});
    FAIL() << "accepted";
  } catch (const std::overflow_error& error) {
    EXPECT_NE(std::string(error.what()).find("no usable common divisor"), std::string::npos) << error.what();
  }
}

TEST(TimeGrid, NeedsAPositiveDuration) {
  EXPECT_THROW(grid("0", {"0.1"}), std::overflow_error);
  EXPECT_THROW(grid("-1", {"0.1"}), std::overflow_error);
}

}  // namespace
}  // namespace ergon

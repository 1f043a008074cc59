#include "ergon/core/rational.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace ergon {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

// 1e-3 in binary is 1.000000000000000020816…e-3; the fraction must be the thousandth that was written.
TEST(Rational, ReadsTheDecimalAsWritten) {
  EXPECT_EQ(Rational::parse("0.001"), Rational(1, 1000));
  EXPECT_EQ(Rational::parse("1e-3"), Rational(1, 1000));
  EXPECT_EQ(Rational::parse("1E-3"), Rational(1, 1000));
  EXPECT_EQ(Rational::parse("2.50"), Rational(5, 2));
  EXPECT_EQ(Rational::parse(".5"), Rational(1, 2));
  EXPECT_EQ(Rational::parse("5."), Rational(5, 1));
  EXPECT_EQ(Rational::parse("-0.25"), Rational(-1, 4));
  EXPECT_EQ(Rational::parse("+3e+2"), Rational(300, 1));
  EXPECT_EQ(Rational::parse("0"), Rational());
  EXPECT_EQ(Rational::parse("  2 "), Rational(2, 1));
}

TEST(Rational, ReadsFractions) {
  EXPECT_EQ(Rational::parse("1/60"), Rational(1, 60));
  EXPECT_EQ(Rational::parse(" 1 / 60 "), Rational(1, 60));
  EXPECT_EQ(Rational::parse("0.5/30"), Rational(1, 60));
  EXPECT_EQ(Rational::parse("-2/-4"), Rational(1, 2));
}

TEST(Rational, RefusesWhatIsNoNumber) {
  for (const char* text : {"",    " ",   ".",   "e3", "1e",  "1e+", "1e+-3", "1..2", "1.2.3", "0x10",
                           "nan", "inf", "1,5", "1/", "/60", "1/0", "1/2/3", "1 2",  "--1",   "1/60s"}) {
    EXPECT_FALSE(Rational::parse(text)) << '"' << text << '"';
  }
}

// 64-bit integers end at about 9.2e18. Exponents far beyond must not wrap around either.
TEST(Rational, RefusesWhatDoesNotFit) {
  for (const char* text : {"1e19", "1e-19", "99999999999999999999", "1e2147483647", "1e-2147483648",
                           "0.1e-2147483648", "0.0e-2147483648", "1e99999999999", "1e-18/1e18"}) {
    EXPECT_FALSE(Rational::parse(text)) << '"' << text << '"';
  }
  EXPECT_EQ(Rational::parse("9223372036854775807"), Rational(largest, 1));
  EXPECT_FALSE(Rational::parse("9223372036854775808"));
}

TEST(Rational, IsInLowestTermsWithAPositiveDenominator) {
  const Rational r(6, -4);
  EXPECT_EQ(r.numerator(), -3);
  EXPECT_EQ(r.denominator(), 2);
  EXPECT_EQ(Rational(0, -7), Rational());
}

TEST(Rational, ThrowsInsteadOfOverflowing) {
  EXPECT_THROW(Rational(1, 0), std::overflow_error);
  EXPECT_THROW(Rational(smallest, -1), std::overflow_error);  // 2⁶³ is one too many
  EXPECT_THROW(Rational(1, smallest), std::overflow_error);
  EXPECT_EQ(Rational(smallest, smallest), Rational(1, 1));
  EXPECT_THROW((void)(Rational(largest, 1) * Rational(2, 1)), std::overflow_error);
  EXPECT_THROW((void)(Rational(1, largest) + Rational(1, largest - 1)), std::overflow_error);
  EXPECT_THROW((void)greatest_common_divisor(Rational(1, largest), Rational(1, largest - 1)),
               std::overflow_error);
}

TEST(Rational, ArithmeticIsExact) {
  EXPECT_EQ(Rational(1, 60) + Rational(1, 40), Rational(1, 24));
  EXPECT_EQ(Rational(1, 60) - Rational(1, 40), Rational(-1, 120));
  EXPECT_EQ(Rational(2, 3) * Rational(9, 4), Rational(3, 2));
  EXPECT_EQ(Rational(1, 60) / Rational(1, 600), Rational(10, 1));
  EXPECT_TRUE(Rational(1, 3) < Rational(33333334, 100000000));
  EXPECT_FALSE(Rational(1, 3) < Rational(33333333, 100000000));
}

// Both must be whole multiples, and nothing larger may divide both: 2 ms and 3 ms → 1 ms; 1/60 and 1/40 → 1/120.
TEST(Rational, GreatestCommonDivisorDividesBoth) {
  EXPECT_EQ(greatest_common_divisor(Rational(2, 1000), Rational(3, 1000)), Rational(1, 1000));
  EXPECT_EQ(greatest_common_divisor(Rational(1, 60), Rational(1, 40)), Rational(1, 120));
  EXPECT_EQ(greatest_common_divisor(Rational(4, 1), Rational(6, 1)), Rational(2, 1));
  EXPECT_EQ(greatest_common_divisor(Rational(), Rational(6, 1)), Rational(6, 1));
}

TEST(Rational, TextIsReadBackToTheSameFraction) {
  EXPECT_EQ(Rational(1, 60).text(), "1/60");
  EXPECT_EQ(Rational(1, 1000).text(), "0.001");
  for (const Rational& r : {Rational(1, 60), Rational(1, 1000), Rational(-7, 3), Rational(largest, 1),
                            Rational(1, largest), Rational(largest, largest - 1), Rational()}) {
    EXPECT_EQ(Rational::parse(r.text()), r) << r.text();
  }
}

// Of all decimals that round to a double, the shortest is the one a person wrote.
TEST(Rational, FromDoubleIsTheDecimalThatWasWritten) {
  EXPECT_EQ(Rational::from_double(0.1), Rational(1, 10));
  EXPECT_EQ(Rational::from_double(1e-4), Rational(1, 10000));
  EXPECT_EQ(Rational::from_double(3600.0), Rational(3600, 1));
  EXPECT_FALSE(Rational::from_double(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Rational::from_double(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(Rational::from_double(1e300));
}

}  // namespace
}  // namespace ergon

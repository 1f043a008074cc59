#include <gtest/gtest.h>

#include <cmath>

#include "support/lone_corrector.hpp"

namespace ergon {
namespace {

using namespace testing;

/// A receiver ten times as fast as the sender, with fresh efforts: it uses them 0.45 H beyond their sample on average.
CorrectorPlace fast_receiver(int degree, std::size_t components = 1) {
  CorrectorPlace place;
  place.components = components;
  place.degree = degree;
  InterfaceLag lag;
  lag.H_s = 1.0;
  lag.looked_ahead_s = 0.45;
  place.lags = {lag};
  return place;
}

// Held, a ramp of 10 N per step was missed by 4.5 N on average.
TEST(Nepce, HandsInWhatHoldingMissed) {
  LoneCorrector c("nepce", {}, fast_receiver(0));
  EXPECT_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {4.5}})[0], 4.5);
  EXPECT_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {-2.0}})[0], -2.0);
  LoneCorrector half("nepce", {{"alpha", 0.5}}, fast_receiver(0));
  EXPECT_EQ(half.after({.effort1 = {100.0}, .ahead_effort = {4.5}})[0], 2.25);
}

// Extrapolated, a ramp is met exactly; of a parabola, ⅚ of what its bend makes at the mean time is missed.
TEST(Nepce, HandsInWhatExtrapolationMissed) {
  LoneCorrector c("nepce", {}, fast_receiver(1));
  EXPECT_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {4.5}})[0], 0.0) << "the bend is not known yet";
  EXPECT_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {4.5}})[0], 0.0);
  EXPECT_DOUBLE_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {5.7}})[0], 1.0);
}

// An effort that is a power of time, degree d + 1, extrapolated with degree d through equidistant samples: for a receiver
// that follows it over the step (s = H/2) what was missed is known exactly, 1/H ∫ (e − ẽ) dt, and constant.
TEST(Nepce, IsExactForPolynomialsOfOneDegreeMore) {
  // ∫₀¹ τ(τ + 1)…(τ + d) dτ for H = 1: what Newton's remainder of tᵈ⁺¹ leaves.
  const double missed[] = {1.0 / 2.0, 5.0 / 6.0, 9.0 / 4.0, 251.0 / 30.0};
  for (int degree = 0; degree <= 3; ++degree) {
    LoneCorrector c("nepce", {}, fast_receiver(degree));
    for (int n = 1; n <= degree + 3; ++n) {
      const double change = std::pow(n, degree + 1) - std::pow(n - 1, degree + 1);
      const double f = c.after({.effort1 = {1e6}, .ahead_effort = {0.5 * change}})[0];
      if (n <= degree) {
        EXPECT_EQ(f, 0.0) << degree;
      } else {
        EXPECT_NEAR(f, missed[degree], 1e-11) << degree << " " << n;
      }
    }
  }
}

TEST(Nepce, WorksPerComponentAndIsLimitedAsAWhole) {
  LoneCorrector c("nepce", {}, fast_receiver(0, 2));
  EXPECT_EQ(c.after({.effort1 = {0.0, 100.0}, .ahead_effort = {4.5, 0.0}}), (std::vector{4.5, 0.0}));
  const auto f = c.after({.effort1 = {3.0, 4.0}, .ahead_effort = {6.0, 8.0}});
  EXPECT_DOUBLE_EQ(f[0], 3.0);
  EXPECT_DOUBLE_EQ(f[1], 4.0);
  EXPECT_TRUE(c.capped);
}

TEST(Nepce, WithStaleFeedthroughItGivesBackOnlyWhatItTook) {
  CorrectorPlace place = fast_receiver(0);
  place.stale = true;
  LoneCorrector c("nepce", {}, place);
  EXPECT_EQ(c.after({.effort1 = {9.0}, .flow0 = {1.0}, .flow1 = {1.0}, .ahead_effort = {4.0}})[0], 0.0);
  EXPECT_EQ(c.after({.effort1 = {9.0}, .flow0 = {1.0}, .flow1 = {1.0}, .ahead_effort = {-4.0}})[0], -4.0);
  EXPECT_EQ(
      c.after(
          {.effort1 = {9.0}, .flow0 = {1.0}, .flow1 = {1.0}, .applied = {-4.0}, .ahead_effort = {6.0}})[0],
      4.0);
}

TEST(Nepce, IsSwitchedOffWhereTheReceiverNeverLooksAhead) {
  LoneCorrector c("nepce", {});
  EXPECT_EQ(c.corrector, nullptr);
  EXPECT_FALSE(c.problems.has_errors());
  ASSERT_EQ(c.problems.all().size(), 1U);
  EXPECT_NE(c.problems.all()[0].what.find("disabled"), std::string::npos);
  CorrectorPlace place = fast_receiver(0);
  place.lags[0].sender_holds = true;
  EXPECT_EQ(LoneCorrector("nepce", {}, place).corrector, nullptr) << "the sender is as late";
}

}  // namespace
}  // namespace ergon

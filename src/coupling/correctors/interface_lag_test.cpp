#include "ergon/coupling/correctors/interface_lag.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

constexpr double lag_H = 1e-3;

/// Both sample at the start of their steps, the larger of which is H. R = sender's step/receiver's step.
InterfaceTiming with_ratio(double R, int degree) {
  InterfaceTiming t;
  t.sender_step_s = R >= 1.0 ? lag_H : R * lag_H;
  t.receiver_step_s = R >= 1.0 ? lag_H / R : lag_H;
  t.effort_degree = t.flow_degree = degree;
  return t;
}

/// Eqs. (20), (21) of rodriguez2022.
double published_mu(double R, int degree) {
  if (R > 1.0) return degree == 0 ? 0.5 * (1.5 - 0.5 / R) : 0.5;
  if (R < 1.0) return degree == 0 ? 0.5 : 0.5 * R;
  return 0.5;
}

const double ratios[] = {0.01, 0.1, 0.5, 2.0 / 3.0, 0.999, 1.0, 1.001, 1.5, 2.0, 10.0, 100.0};

TEST(InterfaceLag, IsThePublishedOneForEveryRatioAndDegree) {
  for (const double R : ratios) {
    for (const int degree : {0, 1, 2, 3}) {
      EXPECT_NEAR(interface_lag(with_ratio(R, degree)).mu(), published_mu(R, degree), 1e-14)
          << "R = " << R << ", degree " << degree;
    }
  }
}

// Fresh efforts are late only where they are held: by (H − h)/2 on average for a receiver that samples n times.
TEST(InterfaceLag, WithoutStaleFeedthroughOnlyHoldingIsLeft) {
  for (const double R : ratios) {
    for (const int degree : {0, 1, 2, 3}) {
      InterfaceTiming t = with_ratio(R, degree);
      t.stale_feedthrough = false;
      const double held = R > 1.0 && degree == 0 ? published_mu(R, degree) - 0.5 : 0.0;
      EXPECT_NEAR(interface_lag(t).mu(), held, 1e-14) << "R = " << R << ", degree " << degree;
    }
  }
  InterfaceTiming t = with_ratio(10.0, 0);
  t.stale_feedthrough = false;
  EXPECT_NEAR(interface_lag(t).mu(), 0.225, 1e-14);
}

// Who follows its input sees it held for the whole step of the slower side, H/2 on average, at any ratio.
TEST(InterfaceLag, AReceiverThatFollowsItsInputSeesItHeldForHalfAStep) {
  for (const double R : ratios) {
    InterfaceTiming t = with_ratio(R, 0);
    t.receiver_samples_start = false;
    t.stale_feedthrough = false;
    EXPECT_DOUBLE_EQ(interface_lag(t).mu(), 0.25) << "R = " << R;
    t.stale_feedthrough = true;
    EXPECT_DOUBLE_EQ(interface_lag(t).mu(), 0.75) << "R = " << R;
    t.effort_degree = t.flow_degree = 1;
    t.stale_feedthrough = false;
    EXPECT_EQ(interface_lag(t).mu(), 0.0) << "R = " << R;
  }
}

// A sender that follows its input uses it up to the end of the step: extrapolated, it is not late at all.
TEST(InterfaceLag, AGiverThatFollowsItsInputIsStaleOnlyIfItIsHeld) {
  for (const double R : ratios) {
    InterfaceTiming t = with_ratio(R, 0);
    t.sender_samples_start = false;
    EXPECT_DOUBLE_EQ(interface_lag(t).feedthrough_s, lag_H) << "R = " << R;
    t.flow_degree = 1;
    EXPECT_EQ(interface_lag(t).feedthrough_s, 0.0) << "R = " << R;
  }
}

// Both sides hold what they get: what the sender makes of it cannot be known from the coupling variables, and to pay for
// the receiver's part alone would do harm. How far the receiver looks ahead stays what it is: books are kept with it.
TEST(InterfaceLag, AGiverThatHoldsAFreshFlowIsNotPaidFor) {
  for (const double R : ratios) {
    for (const bool receiver_samples_start : {true, false}) {
      InterfaceTiming t = with_ratio(R, 0);
      t.stale_feedthrough = false;
      t.receiver_samples_start = receiver_samples_start;
      const InterfaceLag paid = interface_lag(t);
      t.sender_samples_start = false;
      const InterfaceLag unpaid = interface_lag(t);
      EXPECT_FALSE(paid.sender_holds);
      EXPECT_TRUE(unpaid.sender_holds);
      EXPECT_EQ(unpaid.mu(), 0.0) << "R = " << R;
      EXPECT_EQ(unpaid.looked_ahead_s, paid.looked_ahead_s) << "R = " << R;
      t.flow_degree = 1;
      EXPECT_EQ(interface_lag(t).mu(), paid.mu()) << "R = " << R;
    }
  }
}

// Effort and flow may be extrapolated differently; each degree counts for its own part of the delay.
TEST(InterfaceLag, EffortAndFlowHaveDegreesOfTheirOwn) {
  InterfaceTiming t = with_ratio(10.0, 0);
  t.flow_degree = 1;
  EXPECT_NEAR(interface_lag(t).mu(), 0.725, 1e-14) << "a slow sender that samples at the start gains nothing";
  t = with_ratio(0.1, 0);
  t.flow_degree = 1;
  EXPECT_NEAR(interface_lag(t).mu(), 0.05, 1e-14);
  t = with_ratio(10.0, 0);
  t.effort_degree = 1;
  EXPECT_NEAR(interface_lag(t).mu(), 0.5, 1e-14);
}

TEST(InterfaceLag, HowFarTheReceiverLooksAheadDoesNotDependOnTheDegree) {
  for (const int degree : {0, 1, 2}) {
    EXPECT_NEAR(interface_lag(with_ratio(10.0, degree)).looked_ahead_s, 0.45 * lag_H, 1e-18);
    EXPECT_EQ(interface_lag(with_ratio(1.0, degree)).looked_ahead_s, 0.0);
    EXPECT_EQ(interface_lag(with_ratio(0.1, degree)).looked_ahead_s, 0.0);
    InterfaceTiming t = with_ratio(1.0, degree);
    t.receiver_samples_start = false;
    EXPECT_DOUBLE_EQ(interface_lag(t).looked_ahead_s, 0.5 * lag_H);
  }
}

TEST(InterfaceLag, ASweepHasNoConstantDelay) {
  for (const double R : ratios) {
    InterfaceTiming t = with_ratio(R, 0);
    t.sequential = true;
    EXPECT_EQ(interface_lag(t).mu(), 0.0);
    EXPECT_EQ(interface_lag(t).looked_ahead_s, 0.0);
  }
}

TEST(InterfaceLag, OfNothingIsZero) {
  EXPECT_EQ(interface_lag({}).mu(), 0.0);
  EXPECT_EQ(InterfaceLag{}.mu(), 0.0);
}

// Steps of 3 (sender) and 4 (receiver): the receiver looks at 0, 4, 8 at efforts of 0, 3, 6, that is 0, 1, 2 late; these were
// evaluated with flows of −4, 0, 0, that is 4, 3, 6 before them. Steps of 3 and 2: it looks at 0, 2, 4 at efforts of 0, 0, 3,
// with flows of −4, −4, 0.
TEST(InterfaceLag, OfStepsThatAreNoMultiplesIsTheMeanOverThePattern) {
  InterfaceTiming t;
  t.sender_step_s = 3e-3;
  t.receiver_step_s = 4e-3;
  t.sender_ticks = 6;  // in units of ½ ms
  t.receiver_ticks = 8;
  InterfaceLag lag = interface_lag(t);
  EXPECT_NEAR(lag.hold_s, 1e-3, 1e-15);
  EXPECT_NEAR(lag.feedthrough_s, 13e-3 / 3.0, 1e-15);
  EXPECT_FALSE(lag.described_in_part);
  t.receiver_step_s = 2e-3;
  t.receiver_ticks = 4;
  lag = interface_lag(t);
  EXPECT_NEAR(lag.hold_s, 1e-3, 1e-15);
  EXPECT_NEAR(lag.feedthrough_s, 11e-3 / 3.0, 1e-15);
  EXPECT_TRUE(lag.described_in_part);
  t.stale_feedthrough = false;
  EXPECT_EQ(interface_lag(t).feedthrough_s, 0.0);
  // Multiples are told the same with and without ticks.
  for (const std::int64_t n : {1, 2, 10}) {
    for (const bool slower : {true, false}) {
      InterfaceTiming with;
      with.sender_step_s = slower ? lag_H : lag_H / static_cast<double>(n);
      with.receiver_step_s = slower ? lag_H / static_cast<double>(n) : lag_H;
      InterfaceTiming without = with;
      with.sender_ticks = slower ? n : 1;
      with.receiver_ticks = slower ? 1 : n;
      EXPECT_EQ(interface_lag(with).mu(), interface_lag(without).mu()) << n;
    }
  }
}

}  // namespace
}  // namespace ergon

#include <gtest/gtest.h>

#include "support/lone_corrector.hpp"

namespace ergon {
namespace {

using namespace testing;

/// A receiver ten times as fast as the giver, with fresh efforts: it uses them 0.45 H beyond their sample on average.
CorrectorPlace fast_receiver(bool extrapolates, std::size_t components = 1) {
  CorrectorPlace place;
  place.components = components;
  place.extrapolates = extrapolates;
  InterfaceLag lag;
  lag.H_s = 1.0;
  lag.looked_ahead_s = 0.45;
  place.lags = {lag};
  return place;
}

// Held, a ramp of 10 N per step was missed by 4.5 N on average.
TEST(Nepce, HandsInWhatHoldingMissed) {
  LoneCorrector c("nepce", {}, fast_receiver(false));
  EXPECT_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {4.5}})[0], 4.5);
  EXPECT_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {-2.0}})[0], -2.0);
  LoneCorrector half("nepce", {{"alpha", 0.5}}, fast_receiver(false));
  EXPECT_EQ(half.after({.effort1 = {100.0}, .ahead_effort = {4.5}})[0], 2.25);
}

// Extrapolated, a ramp is met exactly; of a parabola, ⅚ of what its bend makes at the mean time is missed.
TEST(Nepce, HandsInWhatExtrapolationMissed) {
  LoneCorrector c("nepce", {}, fast_receiver(true));
  c.after({.effort1 = {100.0}, .ahead_effort = {4.5}});
  EXPECT_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {4.5}})[0], 0.0);
  EXPECT_DOUBLE_EQ(c.after({.effort1 = {100.0}, .ahead_effort = {5.7}})[0], 1.0);
}

TEST(Nepce, WorksPerComponentAndIsLimitedAsAWhole) {
  LoneCorrector c("nepce", {}, fast_receiver(false, 2));
  EXPECT_EQ(c.after({.effort1 = {0.0, 100.0}, .ahead_effort = {4.5, 0.0}}), (std::vector{4.5, 0.0}));
  const auto f = c.after({.effort1 = {3.0, 4.0}, .ahead_effort = {6.0, 8.0}});
  EXPECT_DOUBLE_EQ(f[0], 3.0);
  EXPECT_DOUBLE_EQ(f[1], 4.0);
  EXPECT_TRUE(c.capped);
}

TEST(Nepce, WithStaleFeedthroughItGivesBackOnlyWhatItTook) {
  CorrectorPlace place = fast_receiver(false);
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
  EXPECT_NE(c.problems.all()[0].what.find("switched off"), std::string::npos);
  CorrectorPlace place = fast_receiver(false);
  place.lags[0].giver_holds = true;
  EXPECT_EQ(LoneCorrector("nepce", {}, place).corrector, nullptr) << "the giver is as late";
}

}  // namespace
}  // namespace ergon

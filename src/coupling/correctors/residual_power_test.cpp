#include <gtest/gtest.h>

#include <cmath>

#include "support/lone_corrector.hpp"

namespace ergon {
namespace {

using namespace testing;

/// A bond whose fresh effort is held by a receiver ten times as fast: μ = 0.225.
CorrectorPlace lagging_place(std::size_t components = 1) {
  CorrectorPlace place;
  place.components = components;
  InterfaceLag lag;
  lag.H_s = 1.0;
  lag.hold_s = lag.looked_ahead_s = 0.45;
  place.lags = {lag};
  return place;
}

// [rodriguez2022, (14)–(17)] with H = 1 s, v = 2 m/s, ν = ½:
//   1: ζ = 4, U = 0                            f_c = −4·2/(4·1) = −2
//   2: ζ = 6, U = 4 + (−2)·2·1 = 0             f_c = −6·2/4 = −3
//   3: ζ = 1, U = 0 + 6 + (−1)·2·1 = 4, if a limit let only −1 N through:  f_c = −(1 + ½·4)·2/4 = −1.5
TEST(ResidualPower, PublishedLawByHand) {
  LoneCorrector c("residual-power", {{"variant", "published"}, {"nu", 0.5}, {"limit", 1.0}});
  const std::vector<double> v = {2.0};
  EXPECT_EQ(c.after({.effort1 = {100.0}, .flow0 = v, .flow1 = v, .lag_energy_J = 4.0})[0], -2.0);
  EXPECT_EQ(c.after({.effort1 = {100.0}, .flow0 = v, .flow1 = v, .applied = {-2.0}, .lag_energy_J = 6.0})[0],
            -3.0);
  EXPECT_EQ(c.after({.effort1 = {100.0}, .flow0 = v, .flow1 = v, .applied = {-1.0}, .lag_energy_J = 1.0})[0],
            -1.5);
}

// B += ζ + f_c (v₀ + v₁)/2 H, all of it paid at once, at most |Σ 2μ Δe|: what could not be paid stays in the bank.
//   1: B = 4, wanted −2, at most 1 N                               f_c = −1
//   2: B = 4 + 6 + (−1)·(2 + 4)/2 = 7, v₁ = 4, at most 10 N        f_c = −7·4/16 = −1.75
TEST(ResidualPower, BankedLawByHand) {
  LoneCorrector c("residual-power", {});
  EXPECT_EQ(
      c.after(
          {.effort1 = {100.0}, .flow0 = {2.0}, .flow1 = {2.0}, .lag_effort = {1.0}, .lag_energy_J = 4.0})[0],
      -1.0);
  EXPECT_TRUE(c.capped);
  EXPECT_EQ(c.after({.effort1 = {100.0},
                     .flow0 = {2.0},
                     .flow1 = {4.0},
                     .applied = {-1.0},
                     .lag_effort = {-10.0},
                     .lag_energy_J = 6.0})[0],
            -1.75);
  EXPECT_FALSE(c.capped);
}

TEST(ResidualPower, ByPartsHandsInTheLateEffortItself) {
  LoneCorrector c("residual-power", {{"variant", "by-parts"}}, lagging_place());
  EXPECT_EQ(c.after({.flow0 = {1.0}, .flow1 = {1.0}, .lag_effort = {3.0}, .lag_energy_J = 4.0})[0], 3.0);
  EXPECT_EQ(c.after({.flow0 = {1.0}, .flow1 = {1.0}, .lag_effort = {-2.0}, .lag_energy_J = 4.0})[0], -2.0);
  EXPECT_EQ(c.after({.lag_effort = {5.0}})[0], 5.0) << "it does not divide by the flow";
}

// One direction, then the other: f_c is along the flow and does the work −ζ over the next step.
TEST(ResidualPower, AVectorIsPaidAlongTheFlow) {
  for (const char* variant : {"published", "banked"}) {
    LoneCorrector c("residual-power", {{"variant", variant}}, stale_place(2));
    const auto f = c.after({.effort1 = {30.0, 40.0},
                            .flow0 = {3.0, 4.0},
                            .flow1 = {3.0, 4.0},
                            .lag_effort = {30.0, 40.0},
                            .lag_energy_J = 50.0});
    EXPECT_DOUBLE_EQ(f[0], -6.0) << variant;
    EXPECT_DOUBLE_EQ(f[1], -8.0) << variant;
    EXPECT_DOUBLE_EQ(f[0] * 3.0 + f[1] * 4.0, -50.0) << variant;
  }
}

TEST(ResidualPower, NoFlowNoCorrection) {
  for (const char* variant : {"published", "banked"}) {
    LoneCorrector c("residual-power", {{"variant", variant}}, stale_place(2));
    const auto f = c.after({.effort1 = {30.0, 40.0}, .lag_effort = {1.0, 1.0}, .lag_energy_J = 5.0});
    EXPECT_EQ(f, (std::vector{0.0, 0.0})) << variant;
    // A flow so small that its square is 0 or the quotient overflows.
    for (const double tiny : {1e-200, 1e-160, 4.9e-324}) {
      for (const double value : c.after({.effort1 = {30.0, 40.0},
                                .flow1 = {tiny, 0.0},
                                .lag_effort = {1.0, 1.0},
                                .lag_energy_J = 5.0})) {
        EXPECT_TRUE(std::isfinite(value)) << variant << " " << tiny;
        EXPECT_LE(std::abs(value), 50.0) << variant << " " << tiny;
      }
    }
  }
}

// A stale effort creates energy. An estimate that says otherwise is not believed: nothing is given that was not taken.
TEST(ResidualPower, WithStaleFeedthroughItGivesBackOnlyWhatItTook) {
  const StepData loses{
      .effort1 = {100.0}, .flow0 = {2.0}, .flow1 = {2.0}, .lag_effort = {10.0}, .lag_energy_J = -4.0};
  for (const char* variant : {"bounded", "banked", "by-parts"}) {
    LoneCorrector stale("residual-power", {{"variant", variant}});
    EXPECT_EQ(stale.after(loses)[0], 0.0) << variant;
    EXPECT_TRUE(stale.capped) << variant;
    LoneCorrector fresh("residual-power", {{"variant", variant}}, lagging_place());
    EXPECT_GT(fresh.after(loses)[0], 0.0) << variant << ": a held effort may lose energy";
  }
}

// [rodriguez2022, (14)]: f_c = −ζ v/(v² H) whatever the sign of ζ; nothing there says that it must have been taken before.
TEST(ResidualPower, ThePublishedLawGivesWhatItsEstimateSays) {
  const StepData loses{.effort1 = {100.0}, .flow0 = {2.0}, .flow1 = {2.0}, .lag_energy_J = -4.0};
  LoneCorrector published("residual-power", {{"variant", "published"}, {"limit", 1.0}});
  EXPECT_EQ(published.after(loses)[0], 2.0);
  EXPECT_FALSE(published.capped);
}

TEST(ResidualPower, FindsItsFactorFromTheLag) {
  LoneCorrector stale("residual-power", {});
  EXPECT_EQ(stale.place.mu, std::vector{0.5});
  LoneCorrector fresh("residual-power", {}, lagging_place());
  EXPECT_EQ(fresh.place.mu, std::vector{0.225});
  LoneCorrector given("residual-power", {{"mu", 0.3}});
  EXPECT_EQ(given.place.mu, std::vector{0.3});
}

TEST(ResidualPower, ANumberAsLimitMeansTheBoundedLaw) {
  LoneCorrector bounded("residual-power", {{"limit", 0.5}});
  const StepData data{.effort1 = {10.0}, .flow0 = {2.0}, .flow1 = {2.0}, .lag_energy_J = 100.0};
  EXPECT_EQ(bounded.after(data)[0], -5.0) << "half of the effort";
  EXPECT_EQ(bounded.after({.effort1 = {10.0}, .flow0 = {2.0}, .flow1 = {2.0}, .lag_energy_J = -100.0})[0],
            0.0)
      << "nothing was taken yet";
  LoneCorrector banked("residual-power", {{"limit", "auto"}});
  EXPECT_EQ(banked.after(data)[0], 0.0) << "the effort did not change";
}

TEST(ResidualPower, IsSwitchedOffWhereNothingIsLate) {
  CorrectorPlace place;
  place.lags = {{.H_s = 1.0}};
  LoneCorrector c("residual-power", {}, place);
  EXPECT_EQ(c.corrector, nullptr);
  EXPECT_FALSE(c.problems.has_errors());
  ASSERT_EQ(c.problems.all().size(), 1U);
  EXPECT_NE(c.problems.all()[0].what.find("disabled"), std::string::npos);
}

TEST(ResidualPower, AFactorBeyondTheLagHarmsAndMustBeAskedForTwice) {
  CorrectorPlace place = lagging_place();
  LoneCorrector refused("residual-power", {{"mu", 0.5}}, place);
  EXPECT_EQ(refused.corrector, nullptr);
  EXPECT_TRUE(refused.problems.has_errors());
  LoneCorrector accepted("residual-power", {{"mu", 0.5}, {"accept_harm", true}}, place);
  EXPECT_NE(accepted.corrector, nullptr);
  LoneCorrector less("residual-power", {{"mu", 0.1}}, place);
  EXPECT_NE(less.corrector, nullptr);
  LoneCorrector tuned("residual-power", {{"mu", 0.7}});
  EXPECT_NE(tuned.corrector, nullptr) << "with stale feed-through it is there to be tuned";
}

TEST(ResidualPower, ANegativeFactorIsAnExperimentAndSaysSo) {
  LoneCorrector tried("residual-power", {{"mu", -0.5}});
  EXPECT_NE(tried.corrector, nullptr);
  ASSERT_EQ(tried.problems.all().size(), 1U);
  EXPECT_EQ(tried.problems.all()[0].severity, Severity::note);
  EXPECT_NE(tried.problems.all()[0].what.find("experiment"), std::string::npos);
  CorrectorPlace place = lagging_place();
  LoneCorrector refused("residual-power", {{"mu", -0.5}}, place);
  EXPECT_EQ(refused.corrector, nullptr) << "where no delay is, energy of either sign is harm";
}

TEST(ResidualPower, VariantsWithoutParametersRefuseThem) {
  for (const char* variant : {"banked", "by-parts"}) {
    EXPECT_TRUE(LoneCorrector("residual-power", {{"variant", variant}, {"nu", 0.1}}).problems.has_errors());
    EXPECT_TRUE(
        LoneCorrector("residual-power", {{"variant", variant}, {"limit", 0.1}}).problems.has_errors());
    LoneCorrector bounded("residual-power", {{"variant", variant}, {"limit_absolute", 0.5}});
    EXPECT_FALSE(bounded.problems.has_errors());
    EXPECT_EQ(bounded.after({.flow0 = {1.0}, .flow1 = {1.0}, .lag_effort = {-3.0}, .lag_energy_J = 9.0})[0],
              -0.5);
  }
}

}  // namespace
}  // namespace ergon

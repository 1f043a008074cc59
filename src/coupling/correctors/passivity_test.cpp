#include <gtest/gtest.h>

#include <cmath>

#include "support/lone_corrector.hpp"

namespace ergon {
namespace {

using namespace testing;

CorrectorPlace accounted_place(std::size_t components = 1) {
  CorrectorPlace place;
  place.sender_accounts = true;
  place.components = components;
  place.lags = {{.H_s = 1.0}};
  return place;
}

// [gonzalez2019, (4)]: the receiver was pushed by 10 N over 0.5 m and so took 5 J, but the sender has only 3 J less than
// before. The 2 J that came from nowhere are taken back over the same 0.5 m.
TEST(Passivity, TakesBackWhatTheGiverDidNotHave) {
  LoneCorrector c("passivity", {});
  const StepData step{.effort0 = {10.0}, .effort1 = {10.0}, .moved = {0.5}, .sender_energy_J = -3.0};
  EXPECT_EQ(c.after(step)[0], -2.5) << "a quarter of the effort";
  EXPECT_TRUE(c.capped);
  LoneCorrector free("passivity", {{"limit", "none"}});
  EXPECT_EQ(free.after(step)[0], -4.0);
  EXPECT_FALSE(free.capped);
  // Over the next 0.5 m 10 N − 4 N do 3 J; the sender has 3 J less again: 2 J in all are still missing.
  EXPECT_EQ(free.after({.effort0 = {10.0},
                        .effort1 = {10.0},
                        .moved = {0.5},
                        .applied = {-4.0},
                        .sender_energy_J = -6.0})[0],
            -4.0);
}

TEST(Passivity, LeavesAGiverAloneThatHasEnergyToSpare) {
  LoneCorrector c("passivity", {{"limit", "none"}});
  EXPECT_EQ(c.after({.effort0 = {10.0}, .effort1 = {10.0}, .moved = {0.5}, .sender_energy_J = -5.1})[0], 0.0);
  EXPECT_EQ(c.after({.effort0 = {10.0}, .effort1 = {10.0}, .moved = {-0.5}, .sender_energy_J = 0.0})[0], 0.0);
}

// What the receiver moved against: the mean of both efforts, less what holding kept from it: all along, the old one.
TEST(Passivity, CountsTheWorkOfTheEffortThatWasHeld) {
  const StepData step{.effort0 = {10.0}, .effort1 = {30.0}, .moved = {1.0}};
  LoneCorrector followed("passivity", {{"limit", "none"}});
  EXPECT_EQ(followed.after(step)[0], -20.0);
  StepData held = step;
  held.ahead_effort = {10.0};  // half of e₁ − e₀: held for the whole step
  LoneCorrector holding("passivity", {{"limit", "none"}});
  EXPECT_EQ(holding.after(held)[0], -10.0);
  CorrectorPlace place = stale_place();
  place.degree = 1;
  LoneCorrector extrapolated("passivity", {{"limit", "none"}}, place);
  EXPECT_EQ(extrapolated.after(held)[0], -20.0) << "an effort that follows its slope is not held";
}

// In the next step the held effort will be wrong by (s/H)(e₁ − e₀) on average: 10 N at 2 m/s for 1 s.
TEST(Passivity, PredictionCountsTheNextStep) {
  StepData step{
      .effort0 = {30.0}, .effort1 = {10.0}, .flow1 = {2.0}, .moved = {2.0}, .ahead_effort = {-10.0}};
  step.sender_energy_J = -60.0;
  LoneCorrector now("passivity", {{"limit", "none"}});
  EXPECT_EQ(now.after(step)[0], 0.0);
  LoneCorrector predicting("passivity", {{"limit", "none"}, {"prediction", true}});
  EXPECT_EQ(predicting.after(step)[0], -10.0);
}

TEST(Passivity, WithoutAccountsAGivenEnergyIsAllThatMayBeHandedOut) {
  LoneCorrector c("passivity", {{"energies", "interface"}, {"initial_energy", 3.0}, {"limit", "none"}});
  EXPECT_EQ(c.after({.effort0 = {10.0}, .effort1 = {10.0}, .moved = {0.25}, .sender_energy_J = 99.0})[0],
            0.0);
  EXPECT_EQ(c.after({.effort0 = {10.0}, .effort1 = {10.0}, .moved = {0.25}, .sender_energy_J = 99.0})[0],
            -8.0);
  LoneCorrector unsaid("passivity", {{"energies", "interface"}});
  EXPECT_TRUE(unsaid.problems.has_errors());
  LoneCorrector needless("passivity", {{"initial_energy", 3.0}});
  EXPECT_TRUE(needless.problems.has_errors()) << "a setting that would be ignored is refused";
}

TEST(Passivity, AVectorIsTakenBackAlongTheDisplacement) {
  LoneCorrector c("passivity", {{"limit", "none"}}, accounted_place(2));
  const auto f = c.after({.effort0 = {3.0, 4.0}, .effort1 = {3.0, 4.0}, .moved = {3.0, 4.0}});
  EXPECT_DOUBLE_EQ(f[0], -3.0);
  EXPECT_DOUBLE_EQ(f[1], -4.0);
  EXPECT_DOUBLE_EQ(f[0] * 3.0 + f[1] * 4.0, -25.0);
}

TEST(Passivity, NoDisplacementNoCorrection) {
  LoneCorrector c("passivity", {}, accounted_place(2));
  c.after({.effort0 = {3.0, 4.0}, .effort1 = {3.0, 4.0}, .moved = {3.0, 4.0}});
  EXPECT_EQ(c.after({.effort0 = {3.0, 4.0}, .effort1 = {3.0, 4.0}}), (std::vector{0.0, 0.0}));
  for (const double tiny : {1e-200, 1e-160, 4.9e-324}) {
    for (const double f : c.after({.effort0 = {3.0, 4.0}, .effort1 = {3.0, 4.0}, .moved = {tiny, 0.0}})) {
      EXPECT_LE(std::abs(f), 1.25) << tiny;
    }
  }
}

// In a sweep who comes later holds the effort at the end of its step, who comes earlier that of the step before.
TEST(Passivity, IsSwitchedOffInASweepWhereEffortsAreHeld) {
  CorrectorPlace place = accounted_place();
  place.sequential = true;
  LoneCorrector held("passivity", {}, place);
  EXPECT_EQ(held.corrector, nullptr);
  EXPECT_FALSE(held.problems.has_errors());
  ASSERT_EQ(held.problems.all().size(), 1U);
  EXPECT_NE(held.problems.all()[0].what.find("disabled"), std::string::npos);
  place.degree = 1;
  EXPECT_NE(LoneCorrector("passivity", {}, place).corrector, nullptr)
      << "interpolated, the order does not matter";
}

// As printed, the energies are the reported ones; with fresh efforts and a limit, those of one instant.
TEST(Passivity, AsksForEnergiesOfOneInstantWhereEffortsAreFresh) {
  EXPECT_TRUE(LoneCorrector("passivity", {}, accounted_place()).place.half_step_energies);
  EXPECT_FALSE(LoneCorrector("passivity", {{"limit", "none"}}, accounted_place()).place.half_step_energies);
  EXPECT_FALSE(
      LoneCorrector("passivity", {{"energies", "account"}}, accounted_place()).place.half_step_energies);
  EXPECT_FALSE(LoneCorrector("passivity", {}).place.half_step_energies);
  EXPECT_TRUE(LoneCorrector("passivity", {{"energies", "half-step"}}).place.half_step_energies);
}

// Work by the trapezoidal rule is right to second order: coarser than a coupling of third.
TEST(Passivity, IsSwitchedOffBeyondLinearExtrapolation) {
  for (const int degree : {2, 3}) {
    CorrectorPlace place = stale_place();
    place.sender_accounts = true;
    place.degree = degree;
    LoneCorrector c("passivity", {}, place);
    EXPECT_EQ(c.corrector, nullptr);
    EXPECT_FALSE(c.problems.has_errors());
    ASSERT_EQ(c.problems.all().size(), 1U);
    EXPECT_NE(c.problems.all()[0].what.find("disabled"), std::string::npos);
  }
}

}  // namespace
}  // namespace ergon

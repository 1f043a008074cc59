#include <gtest/gtest.h>

#include <cmath>

#include "support/lone_corrector.hpp"

namespace ergon {
namespace {

using namespace testing;

CorrectorPlace leaking_place() {
  CorrectorPlace place;
  place.lags = {{.H_s = 1.0}};
  return place;
}

// f_c = −(L/|Δx|) sgn(v): a damper where there is too much energy, a motor where there is too little.
TEST(EnergyLeak, LawByHand) {
  LoneCorrector c("energy-leak", {});
  const auto f = [&](double leak_J, double moved, double flow) {
    return c.after({.effort0 = {100.0}, .flow1 = {flow}, .moved = {moved}, .leak_J = leak_J})[0];
  };
  EXPECT_EQ(f(2.0, 0.5, 4.0), -4.0);
  EXPECT_EQ(f(-2.0, 0.5, 4.0), 4.0);
  EXPECT_EQ(f(2.0, -0.5, -4.0), 4.0);
  EXPECT_EQ(f(2.0, -0.5, 4.0), -4.0) << "it has just turned round: against the motion that comes";
  EXPECT_EQ(f(0.0, 0.5, 4.0), 0.0);
}

// The published limit is a quarter of the effort just held; with energies of one instant, 2 % of the new one.
TEST(EnergyLeak, LimitFollowsTheEnergies) {
  const StepData much{.effort0 = {100.0}, .effort1 = {200.0}, .flow1 = {1.0}, .moved = {1.0}, .leak_J = 1e6};
  LoneCorrector stale("energy-leak", {});
  EXPECT_FALSE(stale.place.half_step_energies);
  EXPECT_EQ(stale.after(much)[0], -25.0);
  EXPECT_TRUE(stale.capped);
  LoneCorrector fresh("energy-leak", {}, leaking_place());
  EXPECT_TRUE(fresh.place.half_step_energies);
  EXPECT_EQ(fresh.after(much)[0], -4.0);
  LoneCorrector half_step("energy-leak", {{"energies", "half-step"}});
  EXPECT_TRUE(half_step.place.half_step_energies);
  EXPECT_EQ(half_step.after(much)[0], -4.0);
  LoneCorrector reported("energy-leak", {{"energies", "reported"}}, leaking_place());
  EXPECT_FALSE(reported.place.half_step_energies);
  EXPECT_EQ(reported.after(much)[0], -25.0);
  LoneCorrector given("energy-leak", {{"limit", 0.5}});
  EXPECT_EQ(given.after(much)[0], -50.0);
  LoneCorrector monitor("energy-leak", {{"limit", 0.0}});
  EXPECT_EQ(monitor.after(much)[0], 0.0);
}

// Along the velocity, and over the same displacement again it does the work −L.
TEST(EnergyLeak, AVectorIsPaidAlongTheVelocity) {
  LoneCorrector c("energy-leak", {}, stale_place(2));
  const auto f = c.after({.effort0 = {100.0, 0.0}, .flow1 = {3.0, 4.0}, .moved = {0.3, 0.4}, .leak_J = 5.0});
  EXPECT_DOUBLE_EQ(f[0], -6.0);
  EXPECT_DOUBLE_EQ(f[1], -8.0);
  EXPECT_DOUBLE_EQ(f[0] * 0.3 + f[1] * 0.4, -5.0);
}

TEST(EnergyLeak, NoDisplacementNoCorrection) {
  LoneCorrector c("energy-leak", {}, stale_place(2));
  const std::vector<double> nothing = {0.0, 0.0};
  EXPECT_EQ(c.after({.effort0 = {1.0, 0.0}, .flow1 = {3.0, 4.0}, .leak_J = 5.0}), nothing);
  EXPECT_EQ(c.after({.effort0 = {1.0, 0.0}, .moved = {3.0, 4.0}, .leak_J = 5.0}), nothing);
  EXPECT_EQ(c.after({.effort0 = {1.0, 0.0}, .flow1 = {4.0, -3.0}, .moved = {3.0, 4.0}, .leak_J = 5.0}),
            nothing)
      << "across";
  for (const double tiny : {1e-200, 1e-160, 4.9e-324}) {
    for (const double value :
         c.after({.effort0 = {1.0, 0.0}, .flow1 = {tiny, 0.0}, .moved = {tiny, 0.0}, .leak_J = 5.0})) {
      EXPECT_LE(std::abs(value), 0.25) << tiny;
    }
  }
}

}  // namespace
}  // namespace ergon

#include "ergon/coupling/books/spurious_energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ergon {
namespace {

// Nothing is lost: what was created is there.
TEST(SpuriousEnergy, WithoutLossesIsWhatWasCreated) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 10; ++k) energy.sample(100.0 + 2.0 * k, 0.0, 2.0 * k, 0);
  EXPECT_NEAR(energy.largest_J(), 20.0, 1e-12);
  EXPECT_NEAR(energy.scale_J(), 100.0, 1e-12);
  EXPECT_NEAR(energy.ratio(), 0.2, 1e-14);
}

// An energy E with dE/dt = −γE + s: honest part 100 e^(−γt), spurious part (s/γ)(1 − e^(−γt)). L = s·t grows for ever,
// ε settles at s/γ = 5 J.
TEST(SpuriousEnergy, DampersTakeTheirShareOfIt) {
  const double gamma = 2.0;
  const double s = 10.0;
  SpuriousEnergy energy;
  for (int k = 0; k <= 10000; ++k) {
    const double t = 1e-3 * k;
    const double honest = 100.0 * std::exp(-gamma * t);
    const double spurious = s / gamma * (1.0 - std::exp(-gamma * t));
    const double created = s * t;
    energy.sample(honest + spurious, 100.0 + created - honest - spurious, created, 0);
  }
  EXPECT_NEAR(energy.largest_J(), s / gamma, 2e-3 * s / gamma);
  EXPECT_NEAR(energy.scale_J(), 100.0, 1e-9);
}

// Energy that was destroyed belongs there: the scale is what there should be.
TEST(SpuriousEnergy, MissingEnergyIsNegative) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 10; ++k) energy.sample(100.0 - 5.0 * k, 0.0, -5.0 * k, 0);
  EXPECT_NEAR(energy.largest_J(), -50.0, 1e-12);
  EXPECT_NEAR(energy.ratio(), 0.5, 1e-12);
}

TEST(SpuriousEnergy, AnExplosionDoesNotMakeItsOwnScale) {
  SpuriousEnergy energy;
  double stored = 1.0;
  for (int k = 0; k < 100; ++k, stored *= 3.0) energy.sample(stored, 0.0, stored - 1.0, 0);
  EXPECT_LT(energy.scale_J(), 1.1);
  EXPECT_GT(energy.ratio(), 1e40);
}

TEST(SpuriousEnergy, KnowsWhereNothingHonestIsStored) {
  SpuriousEnergy energy;
  energy.sample(0.0, 0.0, 0.0, 0);
  EXPECT_EQ(energy.ratio(), 0.0);
  energy.sample(1.0, 0.0, 1.0, 0);
  EXPECT_EQ(energy.ratio(), std::numeric_limits<double>::infinity());
}

TEST(SpuriousEnergy, AnOverflowIsNoticed) {
  SpuriousEnergy energy;
  energy.sample(1.0, 0.0, 0.0, 0);
  EXPECT_TRUE(energy.finite());
  energy.sample(std::numeric_limits<double>::infinity(), 0.0, 0.0, 0);
  EXPECT_FALSE(energy.finite());
}

// 5 J too much in windows 40 to 59 of 100: above 3 % there, and nowhere else. Merged, they are 20 to 29.
TEST(SpuriousEnergy, TellsWhenItWasTooMuch) {
  SpuriousEnergy energy;
  for (std::size_t w = 0; w < 100; ++w) {
    const double created = w >= 40 && w < 60 ? 5.0 : 0.0;
    energy.sample(100.0 + created, 0.0, created, w);
  }
  EXPECT_EQ(energy.above(0.03).first, 40U);
  EXPECT_EQ(energy.above(0.03).last, 59U);
  energy.widen();
  EXPECT_EQ(energy.above(0.03).first, 20U);
  EXPECT_EQ(energy.above(0.03).last, 29U);
}

// 20 J are created in windows 30 to 34 and stay: after that nothing more goes wrong.
TEST(SpuriousEnergy, TheTimeOfItEndsWithItsCreation) {
  SpuriousEnergy energy;
  for (std::size_t w = 0; w < 100; ++w) {
    const double created = w < 30 ? 0.0 : w < 35 ? 4.0 * static_cast<double>(w - 29) : 20.0;
    energy.sample(100.0 + created, 0.0, created, w);
  }
  EXPECT_EQ(energy.above(0.03).first, 30U);
  EXPECT_EQ(energy.above(0.03).last, 34U);
  // Creation that goes on to the end keeps the interval open.
  SpuriousEnergy growing;
  for (std::size_t w = 0; w < 100; ++w) {
    const double created = 0.3 * static_cast<double>(w);
    growing.sample(100.0 + created, 0.0, created, w);
  }
  EXPECT_EQ(growing.above(0.03).first, 11U);
  EXPECT_EQ(growing.above(0.03).last, 99U);
}

}  // namespace
}  // namespace ergon

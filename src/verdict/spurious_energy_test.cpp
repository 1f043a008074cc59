#include "ergon/verdict/spurious_energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ergon {
namespace {

/// All of the energy is kinetic, and nothing comes from outside.
void sample(SpuriousEnergy& energy, double stored_J, double dissipated_J, double created_J,
            std::size_t window) {
  energy.sample({stored_J, stored_J, dissipated_J, 0.0, created_J}, window);
}

// Nothing is lost: what was created is there.
TEST(SpuriousEnergy, WithoutLossesIsWhatWasCreated) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 10; ++k) sample(energy, 100.0 + 2.0 * k, 0.0, 2.0 * k, 0);
  EXPECT_NEAR(energy.largest_J(), 20.0, 1e-12);
  EXPECT_NEAR(energy.scale_J(), 100.0, 1e-12);
  EXPECT_NEAR(energy.ratio(), 0.2, 1e-14);
}

// A lift at rest: what is supplied is dissipated, and the difference of the two large sums is round-off.
TEST(SpuriousEnergy, OfLargeSumsRoundOffIsNothing) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 1000; ++k)
    energy.sample({14.0, 0.0, 0.0, 0.0, k % 2 == 0 ? 0.0 : 2.5e-11, 14.0 + 4.8 * k}, 0);
  EXPECT_LT(energy.ratio(), 0.01);
}

// What elastic elements "dissipate" wavers about zero: that is no negative damping, and what is created does not grow by itself.
TEST(SpuriousEnergy, WaveringDissipationIsNoNegativeDamping) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 10; ++k) sample(energy, 100.0 + 2.0 * k, k % 2 == 0 ? 0.0 : -0.01, 2.0 * k, 0);
  EXPECT_NEAR(energy.largest_J(), 20.0, 0.02);
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
    sample(energy, honest + spurious, 100.0 + created - honest - spurious, created, 0);
  }
  EXPECT_NEAR(energy.largest_J(), s / gamma, 2e-3 * s / gamma);
  EXPECT_NEAR(energy.scale_J(), 100.0, 0.01);  // the swing is as exact as ε
}

// Energy that was destroyed belongs there: the scale is what there should be.
TEST(SpuriousEnergy, MissingEnergyIsNegative) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 10; ++k) sample(energy, 100.0 - 5.0 * k, 0.0, -5.0 * k, 0);
  EXPECT_NEAR(energy.largest_J(), -50.0, 1e-12);
  EXPECT_NEAR(energy.ratio(), 0.5, 1e-12);
}

TEST(SpuriousEnergy, AnExplosionDoesNotMakeItsOwnScale) {
  SpuriousEnergy energy;
  double stored = 1.0;
  for (int k = 0; k < 100; ++k, stored *= 3.0) sample(energy, stored, 0.0, stored - 1.0, 0);
  EXPECT_LT(energy.scale_J(), 1.1);
  EXPECT_GT(energy.ratio(), 1e40);
}

TEST(SpuriousEnergy, KnowsWhereNothingHonestIsStored) {
  SpuriousEnergy energy;
  sample(energy, 0.0, 0.0, 0.0, 0);
  EXPECT_EQ(energy.ratio(), 0.0);
  sample(energy, 1.0, 0.0, 1.0, 0);
  EXPECT_EQ(energy.ratio(), std::numeric_limits<double>::infinity());
}

TEST(SpuriousEnergy, AnOverflowIsNoticed) {
  SpuriousEnergy energy;
  sample(energy, 1.0, 0.0, 0.0, 0);
  EXPECT_TRUE(energy.finite());
  sample(energy, std::numeric_limits<double>::infinity(), 0.0, 0.0, 0);
  EXPECT_FALSE(energy.finite());
}

// 5 J too much in windows 40 to 59 of 100: above 3 % there, and nowhere else. Merged, they are 20 to 29.
TEST(SpuriousEnergy, TellsWhenItWasTooMuch) {
  SpuriousEnergy energy;
  for (std::size_t w = 0; w < 100; ++w) {
    const double created = w >= 40 && w < 60 ? 5.0 : 0.0;
    sample(energy, 100.0 + created, 0.0, created, w);
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
    sample(energy, 100.0 + created, 0.0, created, w);
  }
  EXPECT_EQ(energy.above(0.03).first, 30U);
  EXPECT_EQ(energy.above(0.03).last, 34U);
  // Creation that goes on to the end keeps the interval open.
  SpuriousEnergy growing;
  for (std::size_t w = 0; w < 100; ++w) {
    const double created = 0.3 * static_cast<double>(w);
    sample(growing, 100.0 + created, 0.0, created, w);
  }
  EXPECT_EQ(growing.above(0.03).first, 11U);
  EXPECT_EQ(growing.above(0.03).last, 99U);
}

/// A mass on a spring, 2 J, with one per mille of it created in every sample, after `shift_J` was added to its potential energy and
/// with a constant force from outside that does `force_N`·x of work.
double ratio_of_oscillator(double shift_J, double force_N) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 100; ++k) {
    const double angle = 0.37 * k;
    const double created_J = 0.002 * k;
    const double x = std::cos(angle);
    const double kinetic_J = (2.0 + created_J) * std::sin(angle) * std::sin(angle);
    const double stored_J = 2.0 + created_J + shift_J + force_N * x;
    energy.sample({stored_J, kinetic_J, 0.0, force_N * x, created_J}, 0);
  }
  return energy.ratio();
}

// One and the same motion at another height was once unreliable and once reliable.
TEST(SpuriousEnergy, DependsNeitherOnTheOriginOfPotentialEnergyNorOnAPreload) {
  const double ratio = ratio_of_oscillator(0.0, 0.0);
  EXPECT_NEAR(ratio, 0.1, 0.01);
  for (const double shift_J : {-2.0, 1e3, -1e6}) EXPECT_NEAR(ratio_of_oscillator(shift_J, 0.0), ratio, 1e-6);
  for (const double force_N : {-5.0, 1e3}) EXPECT_NEAR(ratio_of_oscillator(0.0, force_N), ratio, 1e-6);
}

// Negative damping: a motion of 1 J, of which 0.02 J are wrong at the start, grows e^4-fold, and so does what is wrong.
TEST(SpuriousEnergy, GrowsWhereDampingIsNegative) {
  SpuriousEnergy energy;
  energy.sample({1.0, 1.0, 0.0, 0.0, 0.0}, 0);
  for (int k = 0; k <= 400; ++k) {
    const double stored_J = 1.02 * std::exp(0.01 * k);
    energy.sample({stored_J, stored_J, 1.02 - stored_J, 0.0, 0.02}, 0);
  }
  EXPECT_NEAR(energy.largest_J(), 0.02 * std::exp(4.0), 0.01 * std::exp(4.0) * 0.2);
  EXPECT_LT(energy.ratio(), 0.03);
  // A pump gives a hundred times what moves, and takes it out again: nothing of that is spurious.
  SpuriousEnergy pump;
  for (int k = 0; k <= 400; ++k) {
    const double moving_J = 1.0 + 0.001 * k;
    pump.sample({moving_J, moving_J, -0.1 * k, 1.001 - 1.0 - 0.1 * k + 0.001 * k, 0.01}, 0);
  }
  EXPECT_LT(pump.largest_J(), 0.011);
}

// A preloaded valve: 50 J pass in every sample through what stores 1 J.
TEST(SpuriousEnergy, BooksAreNoMoreExactThanWhatPassesBetweenSamples) {
  SpuriousEnergy energy;
  for (int k = 0; k <= 20; ++k) energy.sample({1.0, 0.01, 50.0 * k, 50.0 * k, k % 2 == 0 ? 0.0 : 0.5}, 0);
  EXPECT_LT(energy.ratio(), 0.03);
}

}  // namespace
}  // namespace ergon

#include "ergon/models/oscillators/spring_laws.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

constexpr double law_points[] = {-3.0, -0.7, -1e-3, 0.0, 1e-3, 0.5, 2.0};

TEST(SpringLaws, ForcesAreThoseOfThePaper) {
  EXPECT_EQ((Spring{3.0, SpringLaw::linear}.force_N(-2.0)), -6.0);
  EXPECT_EQ((Spring{3.0, SpringLaw::square_root}.force_N(4.0)), 6.0);
  EXPECT_EQ((Spring{3.0, SpringLaw::square_root}.force_N(-4.0)), -6.0);
  EXPECT_EQ((Damper{3.0, DamperLaw::linear}.force_N(-2.0)), -6.0);
  EXPECT_EQ((Damper{3.0, DamperLaw::quadratic}.force_N(-2.0)), -12.0);
}

// Both sides of a coupling compute the force from their own end: the numbers must be exact negatives.
TEST(SpringLaws, AreOddBitForBit) {
  for (double delta : law_points) {
    for (const SpringLaw law : {SpringLaw::linear, SpringLaw::square_root}) {
      EXPECT_EQ((Spring{0.1, law}.force_N(-delta)), -(Spring{0.1, law}.force_N(delta)));
      EXPECT_EQ((Spring{0.1, law}.potential_J(-delta)), (Spring{0.1, law}.potential_J(delta)));
    }
    for (const DamperLaw law : {DamperLaw::linear, DamperLaw::quadratic}) {
      EXPECT_EQ((Damper{0.1, law}.force_N(-delta)), -(Damper{0.1, law}.force_N(delta)));
    }
  }
}

TEST(SpringLaws, ForceIsTheSlopeOfThePotentialAndHasTheSlopeItSays) {
  constexpr double step = 1e-6;
  for (double delta : law_points) {
    if (delta == 0.0) continue;
    for (const SpringLaw law : {SpringLaw::linear, SpringLaw::square_root}) {
      const Spring spring{7.0, law};
      const double force =
          (spring.potential_J(delta + step) - spring.potential_J(delta - step)) / (2.0 * step);
      EXPECT_NEAR(spring.force_N(delta), force, 1e-6);
      const double slope = (spring.force_N(delta + step) - spring.force_N(delta - step)) / (2.0 * step);
      EXPECT_NEAR(spring.slope_N_m(delta), slope, 1e-6 * slope);
    }
    for (const DamperLaw law : {DamperLaw::linear, DamperLaw::quadratic}) {
      const Damper damper{7.0, law};
      const double slope = (damper.force_N(delta + step) - damper.force_N(delta - step)) / (2.0 * step);
      EXPECT_NEAR(damper.slope_Ns_m(delta), slope, 1e-6);
    }
  }
}

TEST(SpringLaws, TheSquareRootHasAFiniteSlopeEvenAtZero) {
  const Spring spring{7.0, SpringLaw::square_root};
  EXPECT_TRUE(std::isfinite(spring.slope_N_m(0.0)));
  EXPECT_GT(spring.slope_N_m(0.0), spring.slope_N_m(1e-6));
}

}  // namespace
}  // namespace ergon

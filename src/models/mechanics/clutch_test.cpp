#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

// Two inertias that a clutch of constant capacity brings to one speed: ω falls and rises linearly until they meet, at
// t = Δω J₁J₂/(M (J₁ + J₂)); the heat is what kinetic energy loses, ½ J₁J₂/(J₁ + J₂) Δω².
TEST(Clutch, BringsTwoShaftsToOneSpeedAndHoldsThem) {
  const auto clutch = make_model("rotational.clutch", {{"capacity", 10.0}, {"k", 1e4}, {"c", 20.0}}, {},
                                 {.method = "rk4", .step_s = 1e-5});
  const double J1 = 0.2, J2 = 0.3, h = 1e-5;
  double w1 = 50.0, w2 = 0.0, met = 0.0;
  for (int i = 0; i < 80000; ++i) {  // 0.8 s; they meet at 0.6 s
    const auto y = outputs(*clutch, {w1, w2, 10.0});
    if (met == 0.0 && y[2] == 0.0 && i > 1000) met = i * h;
    ASSERT_TRUE(step_held(*clutch, h, {w1, w2, 10.0}).ok);
    w1 += h * y[0] / J1;
    w2 += h * y[1] / J2;
  }
  EXPECT_NEAR(met, 0.6, 2e-3);
  EXPECT_NEAR(w1, 20.0, 1e-3);
  EXPECT_NEAR(w2, 20.0, 1e-3);
  EXPECT_NEAR(account_of(*clutch, {w1, w2, 10.0}).dissipated_J, 0.5 * 0.12 * 2500.0, 0.3);
  EXPECT_NEAR(outputs(*clutch, {w1, w2, 10.0})[1], 0.0, 0.1) << "nothing is left to carry";
}

// Held below its capacity for as long as you like, its twist stays at T/k: no creep.
TEST(Clutch, DoesNotCreepWhereItSticks) {
  const auto brake = make_model("rotational.brake", {{"capacity", 5.0}, {"k", 1e3}, {"c", 2.0}},
                                {{"twist", 4e-3}}, {.method = "rk4", .step_s = 1e-3});
  ASSERT_TRUE(step_held(*brake, 1000.0, {0.0, 5.0}).ok);
  const auto y = outputs(*brake, {0.0, 5.0});
  EXPECT_NEAR(y[0], -4.0, 1e-12);
  EXPECT_EQ(y[1], 0.0);
  EXPECT_EQ(account_of(*brake, {0.0, 5.0}).dissipated_J, 0.0);
}

TEST(Clutch, SlipsAtItsCapacityInBothDirectionsAndLetsGoWhereItIsOpened) {
  const auto brake = make_model("rotational.brake", {{"capacity", 5.0}, {"k", 1e3}, {"c", 2.0}}, {},
                                {.method = "rk4", .step_s = 1e-4});
  ASSERT_TRUE(step_held(*brake, 0.1, {3.0, 5.0}).ok);
  EXPECT_NEAR(outputs(*brake, {3.0, 5.0})[0], -5.0, 1e-12);
  EXPECT_NEAR(outputs(*brake, {3.0, 5.0})[1], 3.0, 1e-6);
  ASSERT_TRUE(step_held(*brake, 0.1, {-3.0, 5.0}).ok);
  EXPECT_NEAR(outputs(*brake, {-3.0, 5.0})[0], 5.0, 1e-12);
  ASSERT_TRUE(step_held(*brake, 0.1, {-3.0, 0.0}).ok);
  EXPECT_NEAR(outputs(*brake, {-3.0, 0.0})[0], 0.0, 1e-12);
  EXPECT_NEAR(account_of(*brake, {-3.0, 0.0}).stored_J, 0.0, 1e-9);
  EXPECT_NEAR(outputs(*brake, {-3.0, -2.0})[0], 0.0, 1e-12) << "a negative capacity is none";
}

}  // namespace
}  // namespace ergon

// Bodies and heat transfer against closed solutions.
#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

TEST(HeatCapacity, IsHeatedByHeatAndEntropyFlows) {
  const auto body = make_model("thermal.capacity", {{"C", 50.0}, {"ports", 2.0}}, {{"temperature", 300.0}},
                               {.method = "rk4", .step_s = 0.01});
  // C Ṫ = T (s1 + s2) + Q: exponential with the rate (s1 + s2)/C.
  ASSERT_TRUE(step_held(*body, 10.0, {0.3, -0.1, 20.0}).ok);
  const double rate = 0.2 / 50.0;
  const double T = (300.0 + 20.0 / 0.2) * std::exp(10.0 * rate) - 20.0 / 0.2;
  EXPECT_NEAR(outputs(*body, {0.3, -0.1, 20.0})[0], T, 1e-9);
  const auto received = received_J(*body, {0.3, -0.1, 20.0});
  EXPECT_NEAR(received[2], 200.0, 1e-9);
  EXPECT_NEAR(received[0] + received[1] + received[2], 50.0 * (T - 300.0), 1e-6);
  EXPECT_NEAR(received[0] / received[1], -3.0, 1e-12);
  EXPECT_NEAR(account_of(*body, {0.3, -0.1, 20.0}).stored_J, 50.0 * (T - 293.15), 1e-6);
}

TEST(HeatTransfer, TakesFromOneWhatItGivesToTheOther) {
  for (const char* law : {"conductance", "heat-radiation"}) {
    const auto wall = make_element(law);
    const auto y = outputs(*wall, {400.0, 300.0});
    EXPECT_GT(y[2], 0.0);
    EXPECT_NEAR(y[0] * 400.0, -y[2], 1e-9);
    EXPECT_NEAR(y[1] * 300.0, y[2], 1e-9);
    EXPECT_GT(y[0] + y[1], 0.0) << "entropy is made";
    EXPECT_EQ(outputs(*wall, {350.0, 350.0})[2], 0.0);
  }
  EXPECT_NEAR(outputs(*make_element("conductance", {{"G", 2.5}}), {400.0, 300.0})[2], 250.0, 1e-9);
}

// A black body of 1 m² at 300 K emits 459.3 W: 5.670374e-8 · 8.1e9.
TEST(HeatTransfer, FollowsTheLawOfStefanAndBoltzmann) {
  const auto black = make_element("radiation", {{"surroundings", 0.0}});
  EXPECT_NEAR(outputs(*black, {300.0, 0.0})[1], 459.300, 1e-3);
  const auto grey = make_element("radiation", {{"emissivity", 0.5}, {"area", 2.0}});
  EXPECT_NEAR(outputs(*grey, {400.0, 300.0})[1], 5.670374419e-8 * (256e8 - 81e8), 1e-6);
  EXPECT_NEAR(outputs(*make_element("convection", {{"h", 10.0}, {"area", 0.5}}), {320.0, 300.0})[1], 100.0,
              1e-9);
}

TEST(HeatTransfer, WhatGoesToTheSurroundingsIsLost) {
  const auto loss = make_element("convection", {{"h", 10.0}, {"area", 0.5}});
  const std::vector<double> u = {320.0, 300.0};
  EXPECT_NEAR(loss->dissipation_W(u.data()), -outputs(*loss, u)[0] * 320.0, 1e-9);
  EXPECT_EQ(loss->describe().inputs[1].start, 293.15);
  ProblemList problems;
  const ElementInfo& info = *find_element("radiation");
  EXPECT_EQ(info.make(ParameterSet(info.parameters, given({{"emissivity", 1.2}}), "'e'", problems), problems),
            nullptr);
  EXPECT_NE(text_of(problems).find("above 1"), std::string::npos);
}

}  // namespace
}  // namespace ergon

#include <gtest/gtest.h>

#include "ergon/models/logic/clock.hpp"
#include "ergon/models/logic/counter.hpp"
#include "ergon/models/logic/state_machine.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using testing_models::make_element;
using testing_models::make_model;
using testing_models::outputs;
using testing_models::refusal;
using testing_models::step_held;

TEST(Counter, CountsWhatBecomesTrue) {
  const auto counter = make_model("logic.counter", {{"first", 10.0}});
  std::vector<double> counts;
  for (const double in : {1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0}) {
    ASSERT_TRUE(step_held(*counter, 0.1, {in, 0.0}).ok);
    counts.push_back(outputs(*counter, {in, 0.0})[0]);
  }
  EXPECT_EQ(counts, (std::vector<double>{11, 11, 11, 12, 12, 12, 13}));
  ASSERT_TRUE(step_held(*counter, 0.1, {0.0, 1.0}).ok);
  EXPECT_EQ(outputs(*counter, {0.0, 0.0})[0], 10.0);
}

TEST(Clock, TicksAtMultiplesOfItsPeriodHoweverManyThereAre) {
  // Steps of 1/10 and a period of 3/10: neither is a double.
  Clock clock(0.3, 0.0);
  ASSERT_TRUE(clock.initialize({}).ok);
  EXPECT_EQ(outputs(clock, {}), (std::vector<double>{1.0, 1.0}));
  for (int k = 1; k <= 30000; ++k) {
    ASSERT_TRUE(clock.step((k - 1) / 10.0, k / 10.0 - (k - 1) / 10.0, {}).ok);
    ASSERT_EQ(outputs(clock, {}), (std::vector<double>{k % 3 == 0 ? 1.0 : 0.0, k / 3 + 1.0})) << k;
  }
}

TEST(Clock, WhatWasBeforeTheStartIsHistory) {
  Clock clock(1.0, 0.5);
  ASSERT_TRUE(clock.initialize({3.0, {}, {}}).ok);
  EXPECT_EQ(outputs(clock, {}), (std::vector<double>{0.0, 3.0}));  // at 0.5, 1.5, 2.5
  ASSERT_TRUE(clock.initialize({3.5, {}, {}}).ok);
  EXPECT_EQ(outputs(clock, {}), (std::vector<double>{1.0, 4.0}));
}

TEST(StateMachine, TakesTheFirstTransitionThatHolds) {
  const auto machine = make_model(
      "logic.state_machine",
      {{"states", "idle, up, down"},
       {"transitions", "idle -> up: go, up -> down: top, up -> idle: not go, down -> idle: not top"}});
  // Inputs in the order in which transitions name them: go, top. Outputs: state, taken, in_idle, in_up, in_down, name.
  const auto after = [&](double go, double top) {
    EXPECT_TRUE(step_held(*machine, 0.1, {go, top}).ok);
    auto y = outputs(*machine, {go, top});
    y.pop_back();
    return y;
  };
  EXPECT_EQ(after(0, 0), (std::vector<double>{0, 0, 1, 0, 0}));
  EXPECT_EQ(after(1, 1), (std::vector<double>{1, 1, 0, 1, 0}));
  EXPECT_EQ(after(0, 1), (std::vector<double>{2, 2, 0, 0, 1}));  // both hold: top comes first
  EXPECT_EQ(after(1, 1), (std::vector<double>{2, 2, 0, 0, 1}));
  EXPECT_EQ(after(1, 0), (std::vector<double>{0, 3, 1, 0, 0}));
  std::vector<std::int64_t> integers(5);
  std::string name;
  machine->discrete_ports()->discrete_outputs(0.0, nullptr, {integers.data(), &name});
  EXPECT_EQ(name, "idle");
}

TEST(StateMachine, RefusesWhatIsNoChart) {
  const auto said = [](const char* states, const char* transitions) {
    return refusal("logic.state_machine", {{"states", states}, {"transitions", transitions}});
  };
  EXPECT_NE(said("", "").find("no state"), std::string::npos);
  EXPECT_NE(said("a, a", "").find("used already"), std::string::npos);
  EXPECT_NE(said("a, b", "a - b: c").find("not a transition"), std::string::npos);
  EXPECT_NE(said("idle, busy", "idle -> buzy: go").find("Did you mean 'busy'"), std::string::npos);
  EXPECT_NE(said("a, b", "a -> b: in_b").find("name of an output"), std::string::npos);
  EXPECT_NE(said("a, b", "a -> b: x y").find("not a name for a condition"), std::string::npos);
}

TEST(LogicLaws, SwitchCompareAndRound) {
  const auto change_over = make_element("switch");
  EXPECT_EQ(outputs(*change_over, {3.0, 7.0, 1.0})[0], 3.0);
  EXPECT_EQ(outputs(*change_over, {3.0, 7.0, 0.0})[0], 7.0);
  const auto compare = make_element("compare", {{"threshold", 0.5}});
  EXPECT_EQ(outputs(*compare, {0.5})[0], 1.0);
  EXPECT_EQ(outputs(*compare, {0.4999})[0], 0.0);
  EXPECT_EQ(outputs(*make_element("round"), {-2.5})[0], -3.0);
  EXPECT_EQ(outputs(*make_element("round", {{"to", "below"}}), {-2.1})[0], -3.0);
  EXPECT_EQ(outputs(*make_element("round", {{"to", "above"}}), {2.1})[0], 3.0);
  EXPECT_THROW(outputs(*make_element("round"), {1e19}), std::range_error);
}

}  // namespace
}  // namespace ergon

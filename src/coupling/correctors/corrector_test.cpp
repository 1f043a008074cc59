#include "ergon/coupling/correctors/corrector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "support/lone_corrector.hpp"

namespace ergon {
namespace {

using namespace testing;

constexpr double none = std::numeric_limits<double>::infinity();

struct Limited {
  std::vector<double> value;
  bool capped = false;
};

Limited limited(const CorrectionLimits& limits, const std::vector<double>& effort, std::vector<double> wanted,
                std::vector<double> previous = {}, double H_s = 1.0) {
  previous.resize(wanted.size());
  const bool capped = limits.apply(effort, previous, H_s, wanted);
  return {wanted, capped};
}

TEST(CorrectionLimits, LeaveAloneWhatIsWithinThem) {
  const Limited l = limited({0.5, 10.0, none}, {20.0}, {-10.0});
  EXPECT_EQ(l.value, std::vector{-10.0});
  EXPECT_FALSE(l.capped);
  EXPECT_FALSE(limited({none, none, none}, {0.0}, {1e300}).capped);
}

TEST(CorrectionLimits, TheSmallerOfRelativeAndAbsoluteWins) {
  EXPECT_EQ(limited({0.1, 100.0, none}, {-50.0}, {7.0}).value, std::vector{5.0});
  EXPECT_EQ(limited({0.1, 100.0, none}, {2000.0}, {-700.0}).value, std::vector{-100.0});
  EXPECT_TRUE(limited({0.1, 100.0, none}, {2000.0}, {-700.0}).capped);
  EXPECT_EQ(limited({0.0, none, none}, {2000.0}, {-700.0}).value, std::vector{0.0});
  EXPECT_EQ(limited({1.0, none, none}, {0.0}, {3.0}).value, std::vector{0.0});
}

// A vector is shortened, never turned.
TEST(CorrectionLimits, ShortenAVectorAsAWhole) {
  const Limited l = limited({0.5, none, none}, {0.0, -10.0}, {6.0, 8.0});
  EXPECT_DOUBLE_EQ(l.value[0], 3.0);
  EXPECT_DOUBLE_EQ(l.value[1], 4.0);
  EXPECT_TRUE(l.capped);
}

TEST(CorrectionLimits, TheRateBoundsTheChangeFromTheStepBefore) {
  EXPECT_DOUBLE_EQ(limited({none, none, 50.0}, {1.0}, {9.0}, {2.0}, 0.1).value[0], 7.0);
  EXPECT_DOUBLE_EQ(limited({none, none, 50.0}, {1.0}, {-9.0}, {2.0}, 0.1).value[0], -3.0);
  EXPECT_FALSE(limited({none, none, 50.0}, {1.0}, {6.0}, {2.0}, 0.1).capped);
  const Limited l = limited({none, none, 5.0}, {1.0, 1.0}, {7.0, 9.0}, {1.0, 1.0});
  EXPECT_DOUBLE_EQ(l.value[0], 4.0);
  EXPECT_DOUBLE_EQ(l.value[1], 5.0);
}

// First the size, then the way there: an actuator comes down from above a limit that has just become smaller.
TEST(CorrectionLimits, TheRateGoesTowardsTheLimitedValue) {
  EXPECT_DOUBLE_EQ(limited({1.0, none, 1.0}, {2.0}, {100.0}, {10.0}).value[0], 9.0);
}

TEST(CorrectionLimits, WhatHasNoFiniteSizeBecomesNothing) {
  for (const double wild : {std::nan(""), none, -none}) {
    const Limited l = limited({1.0, none, none}, {2.0}, {wild});
    EXPECT_EQ(l.value, std::vector{0.0});
    EXPECT_TRUE(l.capped);
  }
}

// Settings are in the unit of the effort; the corrector sees efforts times the scale of the bond.
TEST(CorrectionLimits, AbsoluteOnesAreReadInTheUnitOfTheEffort) {
  CorrectorPlace place;
  place.sender_accounts = true;
  place.scale = -1000.0;
  const CorrectionRequest request =
      correction("b", "energy-leak", {{"limit_absolute", 2.0}, {"rate_limit", 3.0}});
  const CorrectionLimits limits = read_limits(place, CorrectionSettings(request), 0.25);
  EXPECT_EQ(limits.relative, 0.25);
  EXPECT_EQ(limits.absolute_N, 2000.0);
  EXPECT_EQ(limits.rate_N_s, 3000.0);
}

TEST(CorrectionLimits, NoneMeansNone) {
  const CorrectionRequest request = correction("b", "passivity", {{"limit", "none"}});
  EXPECT_EQ(read_limits({}, CorrectionSettings(request), 0.25).relative, none);
  EXPECT_EQ(read_limits({}, CorrectionSettings(request), 0.25).absolute_N, none);
}

ReceiverStep step_with(const std::vector<double>& applied, const std::vector<double>& flow0,
                       const std::vector<double>& flow1) {
  ReceiverStep step;
  step.H_s = 0.5;
  step.applied = applied;
  step.flow0 = flow0;
  step.flow1 = flow1;
  return step;
}

TEST(GiveNoMoreThanTaken, TakesFreelyAndGivesBackOnlyThat) {
  const std::vector<double> flow = {4.0};
  std::vector<double> applied = {0.0};
  std::vector<double> next = {3.0};
  double taken_J = 0.0;
  EXPECT_TRUE(give_no_more_than_taken(step_with(applied, flow, flow), taken_J, next));
  EXPECT_EQ(next[0], 0.0) << "nothing was taken yet";
  next = {-3.0};
  EXPECT_FALSE(give_no_more_than_taken(step_with(applied, flow, flow), taken_J, next));
  EXPECT_EQ(next[0], -3.0);
  // −3 N at 4 m/s for 0.5 s took 6 J; 2 N would give 4 J, 5 N would give 10 J.
  applied = {-3.0};
  next = {2.0};
  EXPECT_FALSE(give_no_more_than_taken(step_with(applied, flow, flow), taken_J, next));
  EXPECT_EQ(taken_J, 6.0);
  applied = {0.0};
  next = {5.0};
  EXPECT_TRUE(give_no_more_than_taken(step_with(applied, flow, flow), taken_J, next));
  EXPECT_DOUBLE_EQ(next[0], 3.0);
}

// The work of a step is that of the mean flow; what was overdrawn by it has to be taken first.
TEST(GiveNoMoreThanTaken, BooksByTheMeanFlow) {
  double taken_J = 0.0;
  std::vector<double> next = {1.0};
  EXPECT_FALSE(give_no_more_than_taken(step_with({2.0}, {4.0}, {-2.0}), taken_J, next));
  EXPECT_EQ(taken_J, -1.0);
  next = {-1.0};
  EXPECT_TRUE(give_no_more_than_taken(step_with({0.0}, {-2.0}, {-2.0}), taken_J, next));
  EXPECT_EQ(next[0], 0.0);
}

TEST(Correctors, HaveNamesHelpAndKeysOfTheirOwn) {
  std::set<std::string_view> names;
  for (const CorrectorInfo& info : correctors()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_EQ(find_corrector(info.name), &info);
    std::set<std::string_view> keys;
    for (const CorrectionKey& key : info.keys) {
      EXPECT_TRUE(keys.insert(key.name).second) << info.name << " " << key.name;
      EXPECT_FALSE(key.help.empty()) << info.name << " " << key.name;
      EXPECT_TRUE(key.takes_number || key.takes_flag || !key.words.empty()) << info.name << " " << key.name;
    }
  }
  EXPECT_EQ(find_corrector("telepathy"), nullptr);
}

std::string complaint(const CorrectionRequest& request) {
  ProblemList problems;
  check_correction(request, problems);
  std::string text;
  for (const Problem& p : problems.all()) text += p.what + " " + p.remedy + "\n";
  return text;
}

TEST(CheckCorrection, TellsTheNearestMethodAndKey) {
  EXPECT_NE(complaint(correction("b", "enegy-leak")).find("energy-leak"), std::string::npos);
  EXPECT_NE(complaint(correction("b", "passivity", {{"limt", 1.0}})).find("limit"), std::string::npos);
}

TEST(CheckCorrection, TellsWhatAKeyTakes) {
  EXPECT_NE(complaint(correction("b", "nepce", {{"alpha", 1.5}})).find("a number from 0 to 1"),
            std::string::npos);
  EXPECT_NE(complaint(correction("b", "nepce", {{"alpha", "much"}})).find("a number from 0 to 1"),
            std::string::npos);
  EXPECT_NE(complaint(correction("b", "passivity", {{"prediction", 1.0}})).find("true or false"),
            std::string::npos);
  EXPECT_NE(complaint(correction("b", "residual-power", {{"variant", "baked"}})).find("\"banked\""),
            std::string::npos);
  EXPECT_NE(complaint(correction("b", "energy-leak", {{"limit_absolute", -1.0}})).find("a number ≥ 0"),
            std::string::npos);
}

TEST(CheckCorrection, TakesEveryValueThatAKeyAllows) {
  for (const CorrectorInfo& info : correctors()) {
    for (const CorrectionKey& key : info.keys) {
      const std::string name(key.name);
      const std::string method(info.name);
      for (const std::string_view word : key.words) {
        EXPECT_EQ(complaint(correction("b", method, {{name, std::string(word)}})), "") << method << name;
      }
      if (key.takes_flag) {
        EXPECT_EQ(complaint(correction("b", method, {{name, true}})), "") << method << name;
      }
      if (!key.takes_number) continue;
      for (const double number : {key.minimum, key.maximum}) {
        EXPECT_EQ(complaint(correction("b", method, {{name, number}})), "") << method << name;
      }
      for (const double number : {key.minimum - 1e-9, key.maximum * 1.01, std::nan("")}) {
        EXPECT_NE(complaint(correction("b", method, {{name, number}})), "")
            << method << name << " " << number;
      }
    }
  }
}

}  // namespace
}  // namespace ergon

#include <gtest/gtest.h>

#include <limits>

#include "ergon/models/registry.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using List = std::vector<double>;

const std::vector<ParameterInfo> known_parameters = {
    {"mass", "kg", 1.0, "mass", {}, 0.0, true},
    {"count", "", 2.0, "how many", {}, 1.0},
    {"active", "", true, "whether it is on"},
    {"law", "", "linear", "which law", {"linear", "quadratic"}},
    {"file", "", "", "any text"},
    {"stiffnesses", "N/m", List{1.0}, "stiffness of each", {}, 0.0},
    {"gain", "", 1.0, "", {}, 0.0},
};

std::string findings(const Values& values) {
  ProblemList problems;
  const ParameterSet set(known_parameters, given(values), "Subsystem 'left'", problems);
  EXPECT_EQ(set.number("mass"), 1.0);  // what is refused leaves the default
  return text_of(problems);
}

TEST(ParameterSet, DefaultsAreOverriddenByWhatIsGiven) {
  ProblemList problems;
  const ParameterSet set(
      known_parameters,
      given({{"mass", 3.0}, {"active", false}, {"law", "quadratic"}, {"stiffnesses", List{4.0, 5.0}}}), "'x'",
      problems);
  EXPECT_FALSE(problems.has_errors());
  EXPECT_EQ(set.number("mass"), 3.0);
  EXPECT_EQ(set.number("count"), 2.0);
  EXPECT_FALSE(set.flag("active"));
  EXPECT_EQ(set.text("law"), "quadratic");
  EXPECT_EQ(set.list("stiffnesses"), (List{4.0, 5.0}));
  EXPECT_TRUE(set.is_given("mass"));
  EXPECT_FALSE(set.is_given("count"));
  EXPECT_EQ(set.values().size(), known_parameters.size());
}

TEST(ParameterSet, OneNumberServesAsAListOfOne) {
  ProblemList problems;
  EXPECT_EQ(
      ParameterSet(known_parameters, given({{"stiffnesses", 7.0}}), "'x'", problems).list("stiffnesses"),
      List{7.0});
  EXPECT_FALSE(problems.has_errors());
}

TEST(ParameterSet, EveryMistakeIsFoundAtItsPlace) {
  EXPECT_EQ(findings({{"mas", 3.0}}),
            "scenario.toml:7:3: error: Subsystem 'left' has no 'mas'. Did you mean 'mass'?\n");
  EXPECT_NE(findings({{"mass", 0.0}}).find("'mass' (mass, kg) is 0; it must be greater than 0"),
            std::string::npos);
  EXPECT_NE(findings({{"count", 0.5}}).find("'count' (how many) is 0.5; it must be at least 1"),
            std::string::npos);
  EXPECT_NE(findings({{"mass", std::numeric_limits<double>::infinity()}}).find("not finite"),
            std::string::npos);
  EXPECT_NE(findings({{"mass", "heavy"}}).find("'mass' is a string. Give a number"), std::string::npos);
  EXPECT_NE(findings({{"gain", "much"}}).find("'gain' is a string. Give a number."), std::string::npos);
  EXPECT_NE(findings({{"gain", -1.0}}).find("'gain' is -1; it must be at least 0"), std::string::npos);
  EXPECT_NE(findings({{"mass", List{1.0}}}).find("is a list of numbers"), std::string::npos);
  EXPECT_NE(findings({{"active", 1.0}}).find("Give true or false"), std::string::npos);
  EXPECT_NE(findings({{"law", "quadratc"}}).find("Did you mean 'quadratic'?"), std::string::npos);
  EXPECT_NE(
      findings({{"stiffnesses", List{1.0, -2.0}}}).find("'stiffnesses[1]' (stiffness of each, N/m) is -2"),
      std::string::npos);
}

TEST(ParameterSet, AllMistakesAreReportedAtOnce) {
  ProblemList problems;
  const ParameterSet set(known_parameters, given({{"mas", 3.0}, {"count", -1.0}, {"law", 5.0}}), "'x'",
                         problems);
  EXPECT_EQ(problems.all().size(), 3U);
}

}  // namespace
}  // namespace ergon

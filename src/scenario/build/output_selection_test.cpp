#include "ergon/scenario/build/output_selection.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

TEST(MatchesPattern, StarAndQuestionMark) {
  EXPECT_TRUE(matches_pattern("*", "left.position"));
  EXPECT_TRUE(matches_pattern("left.*", "left.position"));
  EXPECT_TRUE(matches_pattern("*.position", "left.position"));
  EXPECT_TRUE(matches_pattern("l?ft.*s*n", "left.position"));
  EXPECT_TRUE(matches_pattern("", ""));
  EXPECT_FALSE(matches_pattern("left", "left.position"));
  EXPECT_FALSE(matches_pattern("?", ""));
  EXPECT_FALSE(matches_pattern("left.position?", "left.position"));
  // Exponential for a naive matcher.
  EXPECT_FALSE(matches_pattern("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST(NaturalOrder, CountsAsPeopleDo) {
  const std::vector<std::string> ordered = {"",      "a",   "a1",   "a2", "a2b",     "a10",
                                            "a010b", "a11", "a100", "b",  "car/2/x", "car/10/x"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j)
      EXPECT_EQ(natural_less(ordered[i], ordered[j]), i < j) << ordered[i] << ", " << ordered[j];
  }
}

TEST(NaturalOrder, IsThatOfColumnsUnlessSomebodyChoseAnother) {
  ProblemList problems;
  const std::vector<std::string> by_letters = {"m1.x", "m1.v", "m10.x", "m10.v", "m2.x", "m2.v"};
  EXPECT_EQ(select_outputs(by_letters, {}, {{"*", {}}}, problems), (std::vector<Index>{0, 1, 4, 5, 2, 3}));
  EXPECT_EQ(select_outputs(by_letters, {}, {{"m10.*", {}}, {"*", {}}}, problems),
            (std::vector<Index>{2, 3, 0, 1, 4, 5}));
  const std::vector<std::string> chosen = {"z.x", "m10.x", "m2.x"};
  EXPECT_EQ(select_outputs(chosen, {}, {{"*", {}}}, problems), (std::vector<Index>{0, 1, 2}));
}

TEST(SelectOutputs, KeepsTheOrderOfThePatternsWithoutDoublets) {
  const std::vector<std::string> outputs = {"a.x", "a.y", "b.x", "b.z[0]", "b.z[1]"};
  ProblemList problems;
  EXPECT_EQ(select_outputs(outputs, {}, {{"b.z", {}}, {"*.x", {}}, {"a.*", {}}}, problems),
            (std::vector<Index>{3, 4, 0, 2, 1}));
  EXPECT_EQ(select_outputs(outputs, {}, {{"b.z[1]", {}}}, problems), (std::vector<Index>{4}));
  EXPECT_FALSE(problems.has_errors());
}

TEST(SelectOutputs, APatternThatFitsNothingIsAnError) {
  ProblemList problems;
  select_outputs({"left.position"}, {"left.force"}, {{"left.positon", {"f", 3, 1}}, {"left.f*", {}}},
                 problems);
  ASSERT_EQ(problems.all().size(), 2U);
  EXPECT_EQ(problems.all()[0].where.line, 3);
  EXPECT_EQ(problems.all()[0].remedy, "Did you mean 'left.position'?");
  EXPECT_NE(problems.all()[1].what.find("is an input"), std::string::npos);
}

TEST(SelectBonds, KeepsTheOrderOfTheSystemAndRefusesWhatFitsNone) {
  CoupledSystem system;
  for (const char* name : {"left", "right", "roof"}) system.bonds.emplace_back().name = name;
  ProblemList problems;
  EXPECT_EQ(select_bonds(system, {{"ro*", {}}, {"left", {}}}, problems), (std::vector<Index>{0, 2}));
  EXPECT_EQ(select_bonds(system, {{"*", {}}}, problems), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(select_bonds(CoupledSystem{}, {{"*", {}}}, problems), std::vector<Index>{});
  EXPECT_FALSE(problems.has_errors());
  select_bonds(system, {{"rihgt", {"f", 4, 1}}}, problems);
  ASSERT_EQ(problems.all().size(), 1U);
  EXPECT_EQ(problems.all()[0].where.line, 4);
  EXPECT_EQ(problems.all()[0].remedy, "Did you mean 'right'?");
}

}  // namespace
}  // namespace ergon

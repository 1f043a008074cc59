#include "ergon/core/problem.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

TEST(Problem, PrintsAsCompilersDo) {
  EXPECT_EQ(to_string({Severity::error, {"a.toml", 4, 7}, "What.", "Do this."}),
            "a.toml:4:7: error: What. Do this.");
  EXPECT_EQ(to_string({Severity::warning, {"a.toml", 4, 0}, "What.", ""}), "a.toml:4: warning: What.");
  EXPECT_EQ(to_string({Severity::note, {"a.toml", 0, 0}, "What.", ""}), "a.toml: note: What.");
  EXPECT_EQ(to_string({Severity::error, {}, "What.", "Do this."}), "error: What. Do this.");
}

TEST(ProblemList, CollectsAndCounts) {
  ProblemList list;
  list.note({}, "n");
  EXPECT_FALSE(list.has_errors());
  EXPECT_FALSE(list.has_warnings());
  list.warning({}, "w");
  EXPECT_TRUE(list.has_warnings());
  EXPECT_FALSE(list.has_errors());
  list.error({}, "e", "r");
  EXPECT_TRUE(list.has_errors());
  EXPECT_EQ(list.all().size(), 3U);
}

TEST(InputError, TellsEverythingAtOnce) {
  ProblemList list;
  list.error({}, "First.", "A.");
  list.error({}, "Second.", "B.");
  EXPECT_STREQ(InputError(list).what(), "error: First. A.\nerror: Second. B.");
  EXPECT_STREQ(InputError({"f", 1, 0}, "Only.", "C.").what(), "f:1: error: Only. C.");
}

TEST(ProblemList, SaysNothingTwice) {
  ProblemList list;
  for (int i = 0; i < 2; ++i) {
    list.error({"f", 1, 2}, "Wrong.", "Right it.");
    list.warning({"f", 1, 2}, "Odd.");
    list.note({}, "So it is.");
  }
  list.error({"f", 2, 2}, "Wrong.", "Right it.");
  EXPECT_EQ(list.all().size(), 4U);
}

TEST(NearestName, ForgivesSlipsAndAbbreviations) {
  const std::vector<std::string> ports = {"force", "position", "velocity", "velocity_in"};
  EXPECT_EQ(nearest_name("forse", ports), "force");
  EXPECT_EQ(nearest_name("Force", ports), "force");
  EXPECT_EQ(nearest_name("postion", ports), "position");
  EXPECT_EQ(nearest_name("vel", ports), "velocity");
  EXPECT_EQ(nearest_name("velocityin", ports), "velocity_in");
  EXPECT_EQ(nearest_name("revolute", {"resolute", "joint.revolute"}), "joint.revolute");
}

// Every letter different is not a slip: "x" is not "f", and "pressure" is not "force".
TEST(NearestName, DoesNotMislead) {
  EXPECT_EQ(nearest_name("x", {"f", "v"}), "");
  EXPECT_EQ(nearest_name("ab", {"xy"}), "");
  EXPECT_EQ(nearest_name("pressure", {"force", "velocity"}), "");
  EXPECT_EQ(nearest_name("", {"f"}), "");
}

TEST(DidYouMean, SuggestsOrLists) {
  EXPECT_EQ(did_you_mean("forse", {"force", "x"}), "Did you mean 'force'?");
  EXPECT_EQ(did_you_mean("pressure", {"force", "x"}), "Available: force, x.");
  EXPECT_EQ(did_you_mean("a", {}), "None is available.");
  const std::vector<std::string> many(20, "something");
  EXPECT_NE(did_you_mean("q", many).find("and 8 more"), std::string::npos);
}

}  // namespace
}  // namespace ergon

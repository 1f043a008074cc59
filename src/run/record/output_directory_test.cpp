#include "ergon/run/record/output_directory.hpp"

#include <gtest/gtest.h>

#include "ergon/core/problem.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

std::string message_for(const std::filesystem::path& directory) {
  try {
    prepare_output_directory(directory);
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().size(), 1U);
    EXPECT_NE(error.problems().all()[0].remedy.find("--out"), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(OutputDirectory, IsNamedAfterTheScenario) {
  EXPECT_EQ(default_output_directory("models/crane.toml"), "results/crane");
  EXPECT_EQ(default_output_directory("two.masses.toml"), "results/two.masses");
  EXPECT_EQ(default_output_directory(""), "results/run");
}

TEST(OutputDirectory, IsMadeWithItsParents) {
  const ScratchDirectory scratch;
  prepare_output_directory(scratch / "a/b/c/");
  EXPECT_TRUE(std::filesystem::is_directory(scratch / "a/b/c"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "a/b/c"));
  prepare_output_directory(scratch / "a/b/c");
}

// results.csv of a killed run beside "finished" of the one before would tell a lie.
TEST(OutputDirectory, ForgetsTheSummaryOfAnEarlierRunAndNothingElse) {
  const ScratchDirectory scratch;
  prepare_output_directory(scratch / "a");
  for (const char* name : {"a/summary.json", "a/notes.txt"}) std::ofstream(scratch / name) << "{}";
  prepare_output_directory(scratch / "a");
  EXPECT_FALSE(std::filesystem::exists(scratch / "a/summary.json"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "a/notes.txt"));
}

TEST(OutputDirectory, AFileInTheWayIsNamed) {
  const ScratchDirectory scratch;
  const std::string file = (scratch / "file").string();
  std::ofstream(file) << "x";
  EXPECT_EQ(message_for(file),
            "error: the output directory '" + file + "' cannot be made: '" + file +
                "' is a file. Remove or rename it, or choose another directory with --out.");
  EXPECT_NE(message_for(file + "/below").find("'" + file + "' is a file"), std::string::npos);
}

TEST(OutputDirectory, ADirectoryThatTakesNoFilesIsRefused) {
  if (!std::filesystem::exists("/proc/self")) GTEST_SKIP() << "no /proc here";
  EXPECT_NE(message_for("/proc/self").find("is not writable: "), std::string::npos);
  EXPECT_NE(message_for("/proc/ergon").find("cannot be made: "), std::string::npos);
}

}  // namespace
}  // namespace ergon

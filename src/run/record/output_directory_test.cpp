#include "ergon/run/record/output_directory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "ergon/core/problem.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

std::string message_for(const std::filesystem::path& directory) {
  try {
    const OutputDirectory prepared(directory);
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
  { const OutputDirectory prepared(scratch / "a/b/c/"); }
  EXPECT_TRUE(std::filesystem::is_directory(scratch / "a/b/c"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "a/b/c"));
  { const OutputDirectory prepared(scratch / "a/b/c"); }
}

// results.csv of a killed run beside "finished" of the one before would tell a lie.
TEST(OutputDirectory, ForgetsTheSummaryOfAnEarlierRunAndNothingElse) {
  const ScratchDirectory scratch;
  { const OutputDirectory prepared(scratch / "a"); }
  for (const char* name : {"a/summary.json", "a/notes.txt"}) std::ofstream(scratch / name) << "{}";
  { const OutputDirectory prepared(scratch / "a"); }
  EXPECT_FALSE(std::filesystem::exists(scratch / "a/summary.json"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "a/notes.txt"));
}

TEST(OutputDirectory, IsOfOneRunAtATime) {
  const ScratchDirectory scratch;
  std::optional<OutputDirectory> first(std::in_place, scratch / "a");
  std::ofstream(scratch / "a/summary.json") << "{}";
  const std::string message = message_for(scratch / "a");
  EXPECT_NE(message.find(fmt::format("is written to by another run (process {})", ::getpid())),
            std::string::npos)
      << message;
  EXPECT_TRUE(std::filesystem::exists(scratch / "a/summary.json")) << "it is that of the other run";
  first.reset();
  EXPECT_EQ(message_for(scratch / "a"), "");
}

// What a killed run leaves, and what anybody may have written there.
TEST(OutputDirectory, ALockThatNobodyHoldsDoesNotBlock) {
  const ScratchDirectory scratch;
  std::filesystem::create_directories(scratch / "a");
  std::ofstream(scratch / "a/.ergon-lock") << "1\n";
  EXPECT_EQ(message_for(scratch / "a"), "");
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "a"));
}

TEST(OutputDirectory, InputsAreNotReplacedUnderAnyName) {
  const ScratchDirectory scratch;
  std::filesystem::create_directories(scratch / "a");
  std::ofstream(scratch / "a/results.csv") << "time,f\n";
  std::filesystem::create_symlink("results.csv", scratch / "a/link.csv");
  std::filesystem::create_hard_link(scratch / "a/results.csv", scratch / "a/hard.csv");
  for (const char* name : {"results.csv", "link.csv", "hard.csv", "../a/results.csv"}) {
    const std::vector<std::string> inputs = {(scratch / "missing").string(), (scratch / "a" / name).string()};
    EXPECT_THROW(OutputDirectory(scratch / "a", inputs), InputError) << name;
  }
  EXPECT_EQ(content_of(scratch / "a/results.csv"), "time,f\n");
  EXPECT_FALSE(std::filesystem::exists(scratch / "a/.ergon-lock"));
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

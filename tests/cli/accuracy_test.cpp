// Accuracy as the user of `ergon run` asks for it, and the verdicts of the examples.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string accurate_oscillator =
    std::string(ERGON_SOURCE_DIR) +
    "/benchmarks/lim-oscillator/f-s.toml --set bond.coupling.feedthrough=refresh "
    "--stop-time 2";

nlohmann::json summary_in(const TemporaryDirectory& directory) {
  return nlohmann::json::parse(read_file(directory / "out" / "summary.json"));
}

// 2 % at steps of 1 ms: it takes smaller ones.
TEST(AccuracyOption, RepeatsARunThatMissesIt) {
  const TemporaryDirectory directory;
  const std::string out = " --out " + (directory / "out").string();
  const Outcome missed = ergon("run " + accurate_oscillator + " --set output.accuracy.default=0.5%" + out);
  EXPECT_EQ(missed.exit_code, 0) << missed.output;
  EXPECT_NE(summary_in(directory)["verdict"]["value"], "reliable") << "a file asks for no repetition";

  const Outcome met = ergon("run " + accurate_oscillator + " --accuracy 0.5% --verbose" + out);
  EXPECT_EQ(met.exit_code, 0) << met.output;
  EXPECT_NE(met.output.find("run 2 of at most 4: all step sizes divided by "), std::string::npos)
      << met.output;
  const auto summary = summary_in(directory);
  EXPECT_EQ(summary["verdict"]["value"], "reliable");
  EXPECT_LT(summary["motion"]["excess"], 1.0);
  EXPECT_GT(summary["points"], 2001) << "smaller steps";
  EXPECT_EQ(summary["motion"]["variables"]["left.position"]["accuracy"], "0.5 %");
  // The table, the worst first.
  const auto table = met.output.find("error per variable");
  ASSERT_NE(table, std::string::npos) << met.output;
  const std::string worst = summary["motion"]["worst"];
  EXPECT_EQ(met.output.find("  " + worst, met.output.find('\n', table)), met.output.find('\n', table) + 1)
      << met.output;
  // The steps are in the scenario that was run.
  EXPECT_EQ(read_file(directory / "out" / "scenario.toml").find("step_size = 0.001\n"), std::string::npos);
}

TEST(AccuracyOption, IsRefusedWhereItIsNone) {
  for (const char* bad : {"5", "1K", "none", "-1%"}) {
    const Outcome outcome = ergon("run " + accurate_oscillator + " --accuracy=" + bad);
    EXPECT_EQ(outcome.exit_code, 2) << bad;
    EXPECT_NE(outcome.output.find("accuracy"), std::string::npos) << outcome.output;
  }
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ERGON_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  return names;
}

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, AreReliableOrSayInTheirFirstLineThatTheyAreNot) {
  const std::string file = std::string(ERGON_SOURCE_DIR) + "/examples/" + GetParam() + ".toml";
  const TemporaryDirectory directory;
  const Outcome outcome = ergon("run " + file + " --quiet --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::string value = summary_in(directory)["verdict"]["value"];
  std::ifstream stream(file);
  std::string comment;
  std::getline(stream, comment);
  const bool says_so = comment.find("erdict is " + value) != std::string::npos;
  EXPECT_EQ(value != "reliable", says_so) << value << '\n' << comment;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(example_names()), [](const auto& param) {
  std::string name = param.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace ergon::cli

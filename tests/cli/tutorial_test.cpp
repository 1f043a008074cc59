// docs/tutorial.md, command by command: its file, its commands, what they print, and what it says of them.
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

/// A block between ``` lines.
struct Block {
  std::string language, text;
};

std::vector<Block> blocks_of(const fs::path& page) {
  std::ifstream stream(page);
  EXPECT_TRUE(stream) << page;
  std::vector<Block> blocks;
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), ""});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

class Tutorial : public testing::Test {
 protected:
  Outcome run(std::string command) const {
    const std::string name = "ergon ";
    EXPECT_TRUE(command.starts_with(name)) << command;
    command.replace(0, name.size(), std::string(ERGON_COMMAND) + " ");
    return shell("cd " + (folder_ / "").string() + " && " + command);
  }
  TemporaryDirectory folder_;
};

TEST_F(Tutorial, DoesWhatItSays) {
  const std::vector<Block> blocks = blocks_of(fs::path(ERGON_SOURCE_DIR) / "docs/tutorial.md");
  ASSERT_GT(blocks.size(), 8U);
  std::string scenario;
  std::string printed;
  int commands = 0;
  for (const Block& block : blocks) {
    std::istringstream lines(block.text);
    if (block.language == "toml") scenario = block.text;
    if (block.language == "toml") static_cast<void>(folder_.write("two.toml", block.text));
    for (std::string line; std::getline(lines, line);) {
      if (block.language == "console") {
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.exit_code, 0) << line << "\n" << outcome.output;
        printed = outcome.output;
        ++commands;
      } else if (block.language == "text") {
        EXPECT_NE(printed.find(line), std::string::npos) << line << "\nis not in\n" << printed;
      }
    }
  }
  EXPECT_EQ(commands, 9);
  for (const char* file : {"results/first/report.html", "results/first/results.csv", "results/compare.html"})
    EXPECT_TRUE(fs::exists(folder_ / file)) << file;

  // What the text says beside the blocks.
  for (const auto& [run, verdict] :
       {std::pair{"hold", "unreliable"}, {"quadratic", "reliable"}, {"fine", "reliable"}}) {
    const std::string summary = read_file(folder_ / "results" / run / "summary.json");
    EXPECT_NE(summary.find(std::string("\"") + verdict + "\""), std::string::npos) << run;
  }
  std::string wrong = scenario;
  wrong.replace(wrong.find("F = k12*"), 8, "F = k13*");
  static_cast<void>(folder_.write("wrong.toml", wrong));
  const Outcome told = run("ergon check wrong.toml");
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_NE(told.output.find("wrong.toml:12:5: error: 'mass': 'k13' is not defined."), std::string::npos)
      << told.output;
  EXPECT_NE(told.output.find("\n    F = k13*(x - x2)\n        ^"), std::string::npos) << told.output;

  std::string exchanged = scenario;
  const auto begin = exchanged.find("model", exchanged.find("\"trolley\""));
  exchanged.replace(begin, exchanged.find("[[bond]]") - begin, "fmu = \"trolley.fmu\"\n\n");
  static_cast<void>(folder_.write("exchanged.toml", exchanged));
  const Outcome out = run("ergon run exchanged.toml --out results/exchanged");
  ASSERT_EQ(out.exit_code, 0) << out.output;
  const Outcome same = run("ergon compare results/exchanged results/first --tolerance 1e-12");
  EXPECT_EQ(same.exit_code, 0) << same.output;
}

}  // namespace
}  // namespace ergon::cli

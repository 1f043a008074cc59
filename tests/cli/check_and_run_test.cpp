// `ergon check` on every example, every scenario of a benchmark and every complete scenario in the documentation says what
// `ergon run` then does: the same findings, and nothing else before the first steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/command.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;
const fs::path source = ERGON_SOURCE_DIR;

std::set<std::string> findings(const std::string& output) {
  std::set<std::string> found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error: ") != std::string::npos || line.find("warning: ") != std::string::npos)
      found.insert(line);
  }
  return found;
}

/// Long enough for every subsystem to have taken some steps, and no longer.
std::string short_stop_time(const std::string& file) {
  const Simulation simulation(file);
  const Engine& engine = simulation.engine();
  Tick longest = 1;
  for (Index node = 0; node < engine.system().nodes.size(); ++node)
    longest = std::max(longest, engine.period(node));
  return fmt::format("{}", engine.grid().time_s(std::min(engine.grid().end(), 5 * longest)));
}

void expect_the_same(const std::string& file) {
  const TemporaryDirectory directory;
  const Outcome whole = ergon("check " + file);
  ASSERT_TRUE(whole.exit_code == 0 || whole.exit_code == 2) << file << ": " << whole.output;
  const std::string stop = whole.exit_code == 0 ? " --stop-time " + short_stop_time(file) : "";
  const Outcome check = ergon("check " + file + stop);
  EXPECT_EQ(check.exit_code, whole.exit_code) << file << ": " << check.output;
  const Outcome run = ergon("run " + file + stop + " --quiet --out " + (directory / "out").string());
  EXPECT_EQ(run.exit_code, check.exit_code) << file << ": " << run.output;
  std::set<std::string> of_run = findings(run.output);
  // The verdict is nothing that could be known before.
  std::erase_if(of_run, [](const std::string& line) { return line.starts_with("warning: the results are"); });
  EXPECT_EQ(of_run, findings(check.output)) << file;
}

std::vector<fs::path> files_below(const char* folder, const char* extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(CheckAndRun, SayTheSameOfExamples) {
  for (const fs::path& file : files_below("examples", ".toml")) expect_the_same(file.string());
}

TEST(CheckAndRun, SayTheSameOfBenchmarks) {
  const auto files = files_below("benchmarks", ".toml");
  EXPECT_GT(files.size(), 20U);
  for (const fs::path& file : files) expect_the_same(file.string());
}

/// The blocks ```toml of a page that are whole scenarios.
std::vector<std::string> scenarios_in(const fs::path& page) {
  std::vector<std::string> scenarios;
  std::istringstream lines(read_file(page));
  bool inside = false;
  std::string block;
  for (std::string line; std::getline(lines, line);) {
    if (!inside && line == "```toml") {
      inside = true;
      block.clear();
    } else if (inside && line == "```") {
      inside = false;
      const bool whole = block.find("simulation") != std::string::npos &&
                         block.find("[[subsystem]]") != std::string::npos &&
                         block.find("stop_time") != std::string::npos;
      if (whole) scenarios.push_back(block);
    } else if (inside) {
      block += line + "\n";
    }
  }
  return scenarios;
}

TEST(CheckAndRun, SayTheSameOfTheDocumentation) {
  std::vector<fs::path> pages = files_below("docs", ".md");
  for (const char* folder : {"benchmarks", "examples"}) {
    for (const fs::path& page : files_below(folder, ".md")) pages.push_back(page);
  }
  pages.push_back(source / "README.md");
  int found = 0;
  for (const fs::path& page : pages) {
    for (const std::string& text : scenarios_in(page)) {
      SCOPED_TRACE(page.string());
      const TemporaryDirectory directory;
      const std::string file = directory.write("snippet.toml", text);
      EXPECT_EQ(ergon("check " + file).exit_code, 0) << "a scenario in the documentation is right";
      expect_the_same(file);
      ++found;
    }
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace ergon::cli

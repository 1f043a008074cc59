// Result files as [output] asks for them: by rate, with units, with inputs; what reads them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

const std::string two_rates = R"(simulation = { stop_time = 1.0, step_size = 1e-3 }

[[subsystem]]
name = "fast"
model = "oscillator.mass"
parameters = { k = 10.0 }
initial = { x = 0.1 }

[[subsystem]]
name = "slow"
model = "oscillator.mass"
step_size = 0.02
parameters = { k = 20.0 }
initial = { x = 0.2 }

[[element]]
name = "spring"
law = "spring-damper"
ends = ["fast", "slow"]
parameters = { k = 5.0 }
)";

std::vector<std::vector<std::string>> cells_of(const fs::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::vector<std::string>& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (line.ends_with(',')) row.emplace_back();
  }
  return rows;
}

class ResultFiles : public testing::Test {
 protected:
  Outcome run(const std::string& scenario, const std::string& out, const std::string& options = {}) const {
    return ergon("run " + directory_.write(out + ".toml", scenario) + " --quiet --out " +
                 (directory_ / out).string() + options);
  }
  static std::string with_output(const std::string& keys) {
    return "output = { " + keys + " }\n" + two_rates;
  }
  TemporaryDirectory directory_;
};

// A row of the slow file is a sample, and says what results.csv of a run without `by_rate` says at its time.
TEST_F(ResultFiles, ByRateHaveTheSamplesOfTheirSubsystemsAndNothingElse) {
  ASSERT_EQ(run(two_rates, "together").exit_code, 0);
  ASSERT_EQ(run(with_output("by_rate = true"), "apart").exit_code, 0);
  const auto together = cells_of(directory_ / "together/results.csv");
  ASSERT_EQ(together[0], (std::vector<std::string>{"time", "fast.position", "fast.velocity", "slow.position",
                                                   "slow.velocity", "spring.force_i", "spring.force_j"}));
  std::map<std::string, std::vector<std::string>> at_time;
  for (const auto& row : together) at_time[row[0]] = row;
  const auto slow = cells_of(directory_ / "apart/results.every-0.02s.csv");
  EXPECT_EQ(slow[0], (std::vector<std::string>{"time", "slow.position", "slow.velocity"}));
  ASSERT_EQ(slow.size(), 1U + 51U);
  for (std::size_t i = 1; i < slow.size(); ++i) {
    const auto& row = at_time[slow[i][0]];
    ASSERT_EQ(row.size(), 7U) << slow[i][0];
    EXPECT_EQ(slow[i], (std::vector<std::string>{row[0], row[3], row[4]}));
    if (i > 1) {
      EXPECT_NE(slow[i][1], slow[i - 1][1]) << "no value is repeated";
    }
  }
  const auto fast = cells_of(directory_ / "apart/results.csv");
  ASSERT_EQ(fast.size(), together.size());
  EXPECT_EQ(fast[500], (std::vector<std::string>{together[500][0], together[500][1], together[500][2],
                                                 together[500][5], together[500][6]}));
  const Outcome compared = ergon("compare " + (directory_ / "apart").string() + " " +
                                 (directory_ / "together").string() + " --tolerance 0");
  EXPECT_EQ(compared.exit_code, 0) << compared.output;
  EXPECT_NE(compared.output.find("slow.velocity"), std::string::npos) << compared.output;
}

TEST_F(ResultFiles, OfAnEarlierRunByRateAreRemoved) {
  ASSERT_EQ(run(with_output("by_rate = true"), "out").exit_code, 0);
  ASSERT_TRUE(fs::exists(directory_ / "out/results.every-0.02s.csv"));
  ASSERT_EQ(run(two_rates, "out").exit_code, 0);
  EXPECT_FALSE(fs::exists(directory_ / "out/results.every-0.02s.csv"));
}

// … but not those that the run reads.
TEST_F(ResultFiles, ByRateThatAreReadAreNotReplaced) {
  ASSERT_EQ(run(with_output("by_rate = true"), "out").exit_code, 0);
  const fs::path table = directory_ / "out/results.every-0.02s.csv";
  const std::string text = read_file(table);
  const Outcome outcome =
      run("simulation = { stop_time = 1.0, step_size = 1e-3 }\nsubsystem = [ { name = \"t\", model = "
          "\"source.table\", "
          "parameters = { file = \"out/results.every-0.02s.csv\", column = \"slow.position\" } } ]\n",
          "out");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_NE(outcome.output.find("which it reads"), std::string::npos) << outcome.output;
  EXPECT_EQ(read_file(table), text);
}

// Every column of every file is in variables.csv with its unit, and on request in a second line of its own file.
TEST_F(ResultFiles, SayTheUnitsOfAllTheirColumns) {
  const fs::path machine = fs::path(ERGON_SOURCE_DIR) / "examples/stack.toml";
  const std::string out = (directory_ / "units").string();
  const Outcome outcome =
      ergon("run " + machine.string() + " --quiet --stop-time 0.2 --set output.units=true --set " +
            "output.by_rate=true --set 'output.inputs=[\"*\"]' --out " + out);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  std::map<std::pair<std::string, std::string>, std::string> units;
  const auto lines = cells_of(out + "/variables.csv");
  EXPECT_EQ(lines[0],
            (std::vector<std::string>{"file", "variable", "unit", "type", "step_s", "description"}));
  for (std::size_t i = 1; i < lines.size(); ++i) units[{lines[i][0], lines[i][1]}] = lines[i][2];
  int files = 0;
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".csv") || name == "variables.csv") continue;
    ++files;
    const auto rows = cells_of(entry.path());
    ASSERT_GE(rows.size(), 2U) << name;
    EXPECT_EQ(rows[1][0], "s") << name;
    ASSERT_EQ(rows[1].size(), rows[0].size()) << name;
    for (std::size_t i = 1; i < rows[0].size(); ++i) {
      ASSERT_TRUE(units.contains({name, rows[0][i]})) << name << " " << rows[0][i];
      EXPECT_EQ((units[{name, rows[0][i]}]), rows[1][i]) << name << " " << rows[0][i];
    }
  }
  EXPECT_GE(files, 4) << "results, bonds, energy, geometry, and motion where it was checked";
  const Outcome report = ergon("report " + out);
  EXPECT_EQ(report.exit_code, 0) << report.output;
}

// A force that is held over steps of 0.02 s, as the slow mass gets it: that of the spring one step earlier.
TEST_F(ResultFiles, HoldInputsAsTheirSubsystemLastUsedThem) {
  ASSERT_EQ(run(with_output("inputs = [\"slow.force\"], by_rate = true"), "inputs").exit_code, 0);
  const auto slow = cells_of(directory_ / "inputs/results.every-0.02s.csv");
  EXPECT_EQ(slow[0].back(), "slow.force");
  std::map<std::string, std::string> spring;
  for (const auto& row : cells_of(directory_ / "inputs/results.csv")) spring[row[0]] = row.back();
  for (std::size_t i = 2; i < slow.size(); ++i)
    EXPECT_EQ(std::stod(slow[i].back()), std::stod(spring[slow[i - 1][0]])) << slow[i][0];
}

TEST_F(ResultFiles, MistakesInTheKeysAreNamedWithLineAndRemedy) {
  struct WrongKeys {
    std::string keys, what, remedy;
  };
  for (const WrongKeys& m : {
           WrongKeys{"by_rate = 3", "by_rate in [output]", "by_rate = true"},
           WrongKeys{"units = \"yes\"", "units in [output]", "units = true"},
           WrongKeys{"inputs = [\"slow.forze\"]", "fits no input", "slow.force"},
           WrongKeys{"inputs = [\"slow.position\"]", "is an output", "'variables'"},
           WrongKeys{"variables = [\"slow.force\"]", "is an input", "inputs = [\"slow.force\"]"},
           WrongKeys{"input = [\"slow.force\"]", "'input'", "'inputs'"},
       }) {
    const Outcome outcome = run(with_output(m.keys), "mistake");
    EXPECT_EQ(outcome.exit_code, 2) << m.keys;
    EXPECT_NE(outcome.output.find("mistake.toml:1:"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(m.what), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(m.remedy), std::string::npos) << outcome.output;
    EXPECT_FALSE(fs::exists(directory_ / "mistake")) << "nothing is written";
  }
}

/// Blocks of a document in one language.
std::vector<std::string> blocks_in(const std::string& page, const std::string& language) {
  std::vector<std::string> blocks;
  std::istringstream lines(read_file(fs::path(ERGON_SOURCE_DIR) / "docs" / page));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```" + language;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

// What docs/command.md says of reading results, with the scenario of the tutorial: the largest position that is in the file.
TEST_F(ResultFiles, AreReadByNumpyAndPandasAsTheDocumentsSay) {
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"})
    if (python.empty() && shell(std::string(candidate) + " -c 'import numpy, pandas'").exit_code == 0)
      python = candidate;
  if (python.empty())
    GTEST_SKIP() << "there is no python3 with numpy and pandas (tools/setup.sh test installs them)";
  const std::vector<std::string> scenarios = blocks_in("tutorial.md", "toml");
  ASSERT_FALSE(scenarios.empty());
  fs::create_directory(directory_ / "results");
  ASSERT_EQ(run(scenarios[0], "results/two").exit_code, 0);
  const auto rows = cells_of(directory_ / "results/two/results.csv");
  ASSERT_EQ(rows[0][1], "mass.position");
  double largest = 0.0;
  for (std::size_t i = 1; i < rows.size(); ++i) largest = std::max(largest, std::abs(std::stod(rows[i][1])));
  const std::vector<std::string> programs = blocks_in("command.md", "python");
  ASSERT_EQ(programs.size(), 2U);
  for (const std::string& program : programs) {
    const std::string file = directory_.write("read.py", program);
    const Outcome outcome = shell("cd " + (directory_ / "").string() + " && " + python + " " + file);
    EXPECT_EQ(outcome.exit_code, 0) << program << outcome.output;
    std::istringstream printed(outcome.output);
    std::vector<std::string> words;
    for (std::string word; printed >> word;) words.push_back(word);
    ASSERT_EQ(words.size(), 2U) << outcome.output;
    const bool is_pandas = program.find("pandas") != std::string::npos;
    EXPECT_EQ(std::stod(words[is_pandas ? 0 : 1]), largest) << outcome.output;
    EXPECT_EQ(words[is_pandas ? 1 : 0], is_pandas ? "m" : rows.back()[0] + ".0");
  }
}

// Counted entries, an included file, constants, formulas of times and a system used as a part: what the run resolved is the long form, and
// running it gives the same bits, as does its own resolved form.
TEST_F(ResultFiles, OfTheLongFormHaveTheBitsOfTheShortOne) {
  static_cast<void>(directory_.write("common.toml", "constants = { stiffness = \"2*pi^2\", n = 3 }\n"));
  static_cast<void>(directory_.write("pair.toml",
                                     "constants = { weight = 1.0 }\n"
                                     "subsystem = [ { count = 2, name = \"m{i}\", model = "
                                     "\"oscillator.mass\", parameters = { m = \"weight/3 + i\", "
                                     "k = \"sqrt(2)*i\" }, initial = { x = \"0.1/i\" } } ]\n"
                                     "element = [ { name = \"s\", law = \"spring-damper\", ends = [\"m1\", "
                                     "\"m2:force\"], parameters = { k = 7.0 } } ]\n"));
  const std::string scenario =
      "include = \"common.toml\"\nsimulation = { stop_time = \"1/2\", step_size = \"1/(200*n)\" }\n"
      "subsystem = [\n"
      "{ count = \"n\", name = \"r{i}\", model = \"oscillator.mass\", parameters = { m = \"1 + 0.1*i\", "
      "force_ports = 2 }, "
      "initial = { x = \"if(i == 1, 0.1, 0)\" } },\n"
      "{ count = 2, name = \"pair{i}\", system = \"pair.toml\", constants = { weight = \"i + 0.1\" } } ]\n"
      "element = [ { count = \"n\", name = \"k{i}\", law = \"spring-damper\", ends = [\"r{i}:force2\", "
      "\"r{mod(i, n) + 1}:force1\"], parameters = { k = \"stiffness\", c = 0.1 } } ]\n"
      "coupling = { extrapolation = \"linear\" }\n";
  ASSERT_EQ(run(scenario, "short").exit_code, 0);
  const std::string long_form = read_file(directory_ / "short/scenario.toml");
  EXPECT_EQ(long_form.find("count"), std::string::npos) << long_form;
  EXPECT_EQ(long_form.find("include"), std::string::npos);
  EXPECT_EQ(long_form.find("constants"), std::string::npos);
  EXPECT_NE(long_form.find("pair2/m1"), std::string::npos);
  ASSERT_EQ(run(long_form, "long").exit_code, 0);
  ASSERT_EQ(run(read_file(directory_ / "long/scenario.toml"), "longer").exit_code, 0);
  for (const char* file : {"results.csv", "bonds.csv", "energy.csv", "motion.csv"}) {
    const std::string text = read_file(directory_ / "short" / file);
    EXPECT_GT(text.size(), 1000U);
    EXPECT_EQ(read_file(directory_ / "long" / file), text) << file;
    EXPECT_EQ(read_file(directory_ / "longer" / file), text) << file;
  }
}

// Files by rate are not known when the process that trims them is made; ten kills, each in the midst of writing.
TEST_F(ResultFiles, ByRateEndWithWholeLinesAfterSigkill) {
  std::string scenario = "simulation = { stop_time = 1e6, step_size = 1e-3 }\noutput = { by_rate = true }\n";
  for (int i = 0; i < 8; ++i)
    scenario += fmt::format("[[subsystem]]\nname = \"m{}\"\nmodel = \"oscillator.mass\"\nstep_size = {}\n", i,
                            i < 4 ? "1e-3" : "2e-3") +
                "parameters = { k = 3.3 }\ninitial = { x = 0.1, force = 0.0 }\n";
  const std::string file = directory_.write("killed.toml", scenario);
  const fs::path out = directory_ / "killed";
  for (int round = 0; round < 10; ++round) {
    fs::remove_all(out);
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl(ERGON_COMMAND, "ergon", "run", file.c_str(), "--quiet", "--check", "off", "--out", out.c_str(),
              nullptr);
      ::_exit(127);
    }
    const fs::path slow = out / "results.every-0.002s.csv";
    const auto written = [&](const fs::path& path) {
      std::error_code missing;
      const auto size = fs::file_size(path, missing);
      return missing ? 0 : size;
    };
    for (int i = 0; i < 2000 && (written(slow) < 100'000 || written(out / "results.csv") < 100'000); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(7 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int i = 0; i < 1000 && fs::exists(out / ".ergon-lock"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(fs::exists(out / ".ergon-lock"));
    for (const fs::path& csv : {slow, out / "results.csv"}) {
      const std::string text = read_file(csv);
      ASSERT_FALSE(text.empty());
      EXPECT_EQ(text.back(), '\n') << csv << ", kill " << round;
    }
  }
}

}  // namespace
}  // namespace ergon::cli

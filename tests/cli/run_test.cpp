// `ergon run` as its user meets it: results, failures, interruption.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::cli {
namespace {

const std::string lim_folder = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The benchmark computes its rows with the same run() as the command: the file that the command writes holds the same
// bits, digit for digit.
TEST(Run, WritesTheBitsThatTheBenchmarkComputesWith) {
  const TemporaryDirectory directory;
  const Outcome outcome = ergon(
      "run " + lim_folder + "f-s.toml --stop-time 1 --set output.variables=right.position --quiet --out " +
      (directory / "out").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
  std::vector<std::string> expected = {"time,right.position"};
  Simulation simulation(lim_folder + "f-s.toml", {"simulation.stop_time=1"});
  const Index x2 = simulation.output("right.position");
  simulation.for_each_point([&](const StepRecord& record) {
    expected.push_back(fmt::format("{},{}", record.time_s(), record.output(x2)));
  });
  const auto written = lines_of(read_file(directory / "out" / "results.csv"));
  ASSERT_EQ(written.size(), expected.size());
  for (std::size_t i = 1; i < written.size(); ++i) {
    double t = 0.0, x = 0.0, t_expected = 0.0, x_expected = 0.0;
    ASSERT_EQ(sscanf(written[i].c_str(), "%lf,%lf", &t, &x), 2);
    ASSERT_EQ(sscanf(expected[i].c_str(), "%lf,%lf", &t_expected, &x_expected), 2);
    ASSERT_EQ(t, t_expected);
    ASSERT_EQ(x, x_expected);
  }
}

// 0.1 + 7 × 0.1 is 0.8, on the clock as on paper: what jumps at 0.8 s has jumped there.
TEST(Run, ASourceJumpsAtTheTimeThatWasWritten) {
  const TemporaryDirectory directory;
  const auto scenario = directory / "step.toml";
  std::ofstream(scenario) << R"([simulation]
start_time = 0.1
stop_time = 1.3
step_size = 0.1
[[subsystem]]
name = "push"
model = "source.step"
parameters = { time_s = 0.8 }
[[subsystem]]
name = "mass"
model = "oscillator.mass"
[[connection]]
from = "push.value"
to = "mass.force"
)";
  ASSERT_EQ(ergon("run " + scenario.string() + " --quiet --set output.variables=push.value --out " +
                  (directory / "out").string())
                .exit_code,
            0);
  const auto rows = lines_of(read_file(directory / "out" / "results.csv"));
  EXPECT_EQ(rows.at(7), "0.7,0");
  EXPECT_EQ(rows.at(8), "0.8,1");
}

TEST(Run, TheResolvedScenarioRepeatsTheRun) {
  const TemporaryDirectory directory;
  const std::string first = (directory / "first").string();
  const std::string second = (directory / "second").string();
  ASSERT_EQ(ergon("run " + lim_folder +
                  "f-f.toml --stop-time 0.5 --set right.step_size=1e-4 --set coupling.extrapolation=linear "
                  "--quiet --out " +
                  first)
                .exit_code,
            0);
  ASSERT_EQ(ergon("run " + first + "/scenario.toml --quiet --out " + second).exit_code, 0);
  EXPECT_EQ(read_file(first + "/results.csv"), read_file(second + "/results.csv"));
  EXPECT_EQ(read_file(first + "/bonds.csv"), read_file(second + "/bonds.csv"));
}

// Explicit Euler with a step far beyond stability: overflow, then infinity. The run stops there, says who and when, and
// keeps what it had.
TEST(Run, AModelThatProducesNanStopsTheRunAndKeepsItsResults) {
  const TemporaryDirectory directory;
  const std::string out = (directory / "out").string();
  const Outcome outcome = ergon("run " + lim_folder + "f-s.toml --step-size 1 --stop-time 2000 --out " + out);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("failed at t = "), std::string::npos) << outcome.output;
  const auto summary = nlohmann::json::parse(read_file(directory / "out" / "summary.json"));
  EXPECT_EQ(summary["status"], "failed");
  EXPECT_TRUE(summary["failure"]["subsystem"] == "left" || summary["failure"]["subsystem"] == "right");
  const double failed_at = summary["failure"]["time_s"];
  EXPECT_GT(failed_at, 1.0);
  EXPECT_LT(failed_at, 2000.0);
  const auto rows = lines_of(read_file(directory / "out" / "results.csv"));
  EXPECT_EQ(rows.size(), 2 + static_cast<std::size_t>(summary["reached_time_s"].get<double>()));
  for (const std::string& row : rows) {
    EXPECT_EQ(row.find("nan"), std::string::npos);
    EXPECT_EQ(row.find("inf"), std::string::npos);
  }
}

/// Starts `ergon run` on a run of hours in a process of its own.
pid_t start_long_run(const std::string& out) {
  const pid_t child = fork();
  if (child == 0) {
    execl(ERGON_COMMAND, "ergon", "run", (lim_folder + "f-s.toml").c_str(), "--stop-time", "1000000",
          "--quiet", "--out", out.c_str(), nullptr);
    _exit(127);
  }
  return child;
}

/// Waits until the run has written rows (these machines are slow at times).
bool wait_for_rows(const std::filesystem::path& file) {
  for (int i = 0; i < 600; ++i) {
    std::error_code error;
    if (std::filesystem::exists(file) && std::filesystem::file_size(file, error) > 10000) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

void expect_valid_csv(const std::filesystem::path& file) {
  // An incomplete last line is cut off by the run's guardian, just after the run is gone.
  std::string text = read_file(file);
  for (int i = 0; i < 200 && !text.ends_with('\n'); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    text = read_file(file);
  }
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n');
  const auto rows = lines_of(text);
  ASSERT_GT(rows.size(), 10U);
  const auto commas = std::count(rows[0].begin(), rows[0].end(), ',');
  for (const std::string& row : rows) ASSERT_EQ(std::count(row.begin(), row.end(), ','), commas) << row;
}

TEST(Run, AKilledRunKeepsAValidFile) {
  const TemporaryDirectory directory;
  const pid_t child = start_long_run((directory / "out").string());
  EXPECT_TRUE(wait_for_rows(directory / "out" / "results.csv"));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  expect_valid_csv(directory / "out" / "results.csv");
  expect_valid_csv(directory / "out" / "bonds.csv");
}

TEST(Run, CtrlCEndsCleanlyWithExitCode130) {
  const TemporaryDirectory directory;
  const pid_t child = start_long_run((directory / "out").string());
  EXPECT_TRUE(wait_for_rows(directory / "out" / "results.csv"));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  expect_valid_csv(directory / "out" / "results.csv");
  const auto summary = nlohmann::json::parse(read_file(directory / "out" / "summary.json"));
  EXPECT_EQ(summary["status"], "interrupted");
}

TEST(Run, AnHourInSixtiethsEndsAtExactly216000Steps) {
  const TemporaryDirectory directory;
  const Outcome outcome = ergon(
      "run " + lim_folder +
      "f-s.toml --step-size 1/60 --stop-time 3600 --set left.k=1 --set left.kc=1 "
      "--set right.k=1 --set output.interval=60 --set bond.coupling.feedthrough=refresh --quiet --out " +
      (directory / "out").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const auto summary = nlohmann::json::parse(read_file(directory / "out" / "summary.json"));
  EXPECT_EQ(summary["subsystems"]["left"]["steps"], 216000);
  EXPECT_EQ(summary["reached_time_s"], 3600.0);
  EXPECT_EQ(lines_of(read_file(directory / "out" / "results.csv")).size(), 62U);  // header, t₀, 60 minutes
}

TEST(Bench, JsonHasOneRowPerCaseAndQuantity) {
  const Outcome outcome =
      ergon("bench lim-oscillator --json - --where case=1 --where H1=1e-3 --where arrangement=f-s");
  ASSERT_EQ(outcome.exit_code, 0);
  const auto rows = nlohmann::json::parse(outcome.output);
  ASSERT_GT(rows.size(), 10U);
  for (const auto& row : rows) {
    EXPECT_EQ(row["benchmark"], "lim-oscillator");
    EXPECT_EQ(row["case"]["case"], 1.0);
    for (const char* key : {"quantity", "unit", "paper", "expected", "ours", "holds"})
      EXPECT_TRUE(row.contains(key));
  }
}

}  // namespace
}  // namespace ergon::cli

// What a run does to files: its inputs, the directory of another run, a full disk, a terminal that goes away.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string lim_scenario = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";

const std::string with_table = R"([simulation]
stop_time = 1
step_size = 1e-2

[[subsystem]]
name = "push"
model = "source.table"
parameters = { file = "out/results.csv", unit = "N" }

[[subsystem]]
name = "mass"
model = "oscillator.mass"
parameters = { m = 1, k = 10 }

[[connection]]
from = "push.value"
to = "mass.force"
)";

nlohmann::json summary_of(const std::filesystem::path& directory) {
  return nlohmann::json::parse(read_file(directory / "summary.json"));
}

/// A run of hours, in a process of its own.
pid_t start_run_to_files(const std::string& out) {
  const pid_t child = fork();
  if (child == 0) {
    execl(ERGON_COMMAND, "ergon", "run", lim_scenario.c_str(), "--stop-time", "1000000", "--quiet", "--out",
          out.c_str(), nullptr);
    _exit(127);
  }
  const std::filesystem::path rows = std::filesystem::path(out) / "results.csv";
  for (int i = 0; i < 600; ++i) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(rows, missing);
    if (!missing && size > 10'000) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return child;
}

int end_of(pid_t child, int signal) {
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Runs a shell line in which $ERGON is the command.
Outcome script_output(const std::string& line) {
  const TemporaryDirectory directory;
  const std::string script = directory.write("script", "ERGON=" ERGON_COMMAND "\n" + line + "\n");
  return shell("bash " + script);
}

TEST(Files, AScenarioIsNotReplacedByItsRun) {
  const TemporaryDirectory directory;
  const std::string text = read_file(lim_scenario);
  const std::string file = directory.write("scenario.toml", text);
  for (const std::string& place : {(directory / "").string(), (directory / "missing/..").string()}) {
    const Outcome outcome = ergon("run " + file + " --out " + place);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find("would replace '" + file + "'"), std::string::npos) << outcome.output;
    EXPECT_EQ(read_file(file), text);
    EXPECT_FALSE(std::filesystem::exists(directory / "results.csv")) << "nothing is written";
    std::filesystem::create_directory(directory / "missing");
  }
}

TEST(Files, ATableIsNotReplacedByTheRunThatReadsIt) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "out");
  const std::string table = "time,force\n0,1\n2,3";  // not even its last line is mended
  static_cast<void>(directory.write("out/results.csv", table));
  const Outcome outcome =
      ergon("run " + directory.write("pushed.toml", with_table) + " --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_EQ(read_file(directory / "out/results.csv"), table);
}

TEST(Files, ADirectoryIsWrittenByOneRunAtATime) {
  const TemporaryDirectory directory;
  const std::string out = (directory / "out").string();
  const std::string again = "run " + lim_scenario + " --stop-time 0.1 --quiet --out " + out;
  const pid_t child = start_run_to_files(out);
  const Outcome second = ergon(again);
  EXPECT_EQ(second.exit_code, 2) << second.output;
  EXPECT_NE(second.output.find(fmt::format("process {}", child)), std::string::npos) << second.output;
  EXPECT_EQ(end_of(child, SIGKILL), 128 + SIGKILL);
  const Outcome third = ergon(again);
  EXPECT_EQ(third.exit_code, 0) << "the lock of a killed run does not block: " << third.output;
  EXPECT_EQ(summary_of(out)["status"], "finished");
  EXPECT_FALSE(std::filesystem::exists(directory / "out/.ergon-lock"));
}

TEST(Files, AHangUpEndsARunLikeTheOtherSignals) {
  const TemporaryDirectory directory;
  const pid_t child = start_run_to_files((directory / "out").string());
  EXPECT_EQ(end_of(child, SIGHUP), 130);
  EXPECT_EQ(summary_of(directory / "out")["status"], "interrupted");
}

void expect_told_incomplete(const Outcome& outcome, const std::filesystem::path& out) {
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("results.csv' is incomplete"), std::string::npos) << outcome.output;
  const auto summary = summary_of(out);
  EXPECT_EQ(summary["files_complete"], false);
  EXPECT_NE(summary["warnings"].dump().find("results.csv' is incomplete"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(out / "summary.json.tmp"));
  const std::string rows = read_file(out / "results.csv");
  EXPECT_GT(rows.size(), 1'000U) << "what there was room for is kept";
  EXPECT_EQ(rows.back(), '\n');
}

TEST(Files, ALimitOfTheFileSizeIsReportedLikeAFullDisk) {
  const TemporaryDirectory directory;
  const std::string out = (directory / "out").string();
  expect_told_incomplete(
      script_output("ulimit -f 20; $ERGON run " + lim_scenario + " --stop-time 10 --quiet --out " + out),
      out);
}

TEST(Files, AFullDiskLeavesWhatThereWasRoomForAndASummary) {
  const TemporaryDirectory directory;
  const std::string out = (directory / "kept").string();
  const std::string disk = (directory / "disk").string();
  std::filesystem::create_directory(disk);
  const std::string mount = fmt::format("mount -t tmpfs -o size=160k none {}", disk);
  if (script_output(fmt::format("unshare -rm {}", mount)).exit_code != 0)
    GTEST_SKIP() << "no small disk can be made";
  const Outcome outcome = script_output(
      fmt::format("unshare -rm bash -c '{} && {{ {} run {} --stop-time 10 --quiet --out {}/out; "
                  "code=$?; cp -r {}/out {}; exit $code; }}'",
                  mount, ERGON_COMMAND, lim_scenario, disk, disk, out));
  expect_told_incomplete(outcome, out);
}

TEST(Files, WhatCannotBePrintedIsNotDone) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const char* command : {"models", "models oscillator.mass", "version", "--help", "bench --list"}) {
    const Outcome outcome = script_output(fmt::format("$ERGON {} > /dev/full", command));
    EXPECT_EQ(outcome.exit_code, 1) << command;
    EXPECT_NE(outcome.output.find("No space left"), std::string::npos) << command << ": " << outcome.output;
  }
}

}  // namespace
}  // namespace ergon::cli

// What a run does to files: its inputs, the directory of another run, a full disk, a terminal that goes away.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
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

/// The tables of a run are complete, and there is nothing else in the folder that should not be.
void expect_whole(const std::filesystem::path& out) {
  EXPECT_EQ(summary_of(out)["status"], "finished");
  EXPECT_FALSE(std::filesystem::exists(out / ".ergon-lock"));
  for (const char* name : {"results.csv", "bonds.csv"}) {
    const std::string rows = read_file(out / name);
    EXPECT_TRUE(rows.starts_with("time,")) << name << ": " << rows.substr(0, 80);
    EXPECT_TRUE(rows.ends_with("\n")) << name;
  }
}

// A terminal that is closed answers with an error of write(2), like /dev/full.
TEST(Files, StandardErrorThatTakesNothingLosesMessagesAndNoResults) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryDirectory directory;
  const std::filesystem::path out = directory / "out";
  for (const char* there : {"/dev/full", "&-"}) {
    const std::string run = fmt::format("$ERGON run {} --stop-time 1 --out {}", lim_scenario, out.string());
    EXPECT_EQ(script_output(fmt::format("{} --progress bar 2>{}", run, there)).exit_code, 0) << there;
    expect_whole(out);
    EXPECT_EQ(script_output(fmt::format("$ERGON run missing.toml 2>{}", there)).exit_code, 2) << there;
    EXPECT_EQ(script_output(fmt::format("{} --set a=b 2>{}", run, there)).exit_code, 2) << there;
    EXPECT_EQ(script_output(fmt::format("$ERGON no-such-command 2>{}", there)).exit_code, 2) << there;
  }
}

TEST(Files, ResultsAreWholeWhereStandardOutputTakesNothing) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryDirectory directory;
  const std::filesystem::path out = directory / "out";
  for (const char* there : {"/dev/full", "&-"}) {
    const Outcome outcome = script_output(fmt::format(
        "$ERGON run {} --stop-time 1 --out {} --progress machine >{}", lim_scenario, out.string(), there));
    EXPECT_EQ(outcome.exit_code, 1) << "what was asked for could not be printed";
    EXPECT_NE(outcome.output.find("standard output cannot be written"), std::string::npos) << outcome.output;
    expect_whole(out);
  }
}

TEST(Files, AReaderThatHasReadEnoughEndsProgressAndNotTheRun) {
  const TemporaryDirectory directory;
  const std::filesystem::path out = directory / "out";
  const Outcome outcome =
      script_output(fmt::format("$ERGON run {} --stop-time 1000 --check off --set output.interval=1 --out {} "
                                "--progress machine | head -1; "
                                "exit ${{PIPESTATUS[0]}}",
                                lim_scenario, out.string()));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.output.starts_with("@progress ")) << outcome.output;
  expect_whole(out);
}

TEST(Files, LinksAndPipesInTheFolderAreRefusedBeforeAnythingIsTouched) {
  const TemporaryDirectory directory;
  const std::string target = directory.write("target", "precious\n");
  for (const char* name : {".ergon-lock", "results.csv", "bonds.csv", "energy.csv", "summary.json",
                           "motion.csv", "system.json", "scenario.toml", "fmu.log"}) {
    for (const bool pipe : {false, true}) {
      const TemporaryDirectory folder;
      const std::filesystem::path obstacle = folder / name;
      if (pipe) {
        ASSERT_EQ(mkfifo(obstacle.c_str(), 0600), 0);
      } else {
        std::filesystem::create_symlink(target, obstacle);
      }
      const Outcome outcome = shell(fmt::format("timeout 20 {} run {} --stop-time 0.1 --quiet --out {}",
                                                ERGON_COMMAND, lim_scenario, (folder / "").string()));
      EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
      EXPECT_NE(outcome.output.find(fmt::format("{}' is a {}", name, pipe ? "pipe" : "symbolic link")),
                std::string::npos)
          << outcome.output;
      EXPECT_NE(outcome.output.find("remove it"), std::string::npos) << outcome.output;
      EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 1) << "nothing was made";
    }
  }
  EXPECT_EQ(read_file(target), "precious\n");
}

TEST(Files, ALockWithASecondNameIsNotEmptied) {
  const TemporaryDirectory directory;
  const std::string target = directory.write("target", "precious\n");
  std::filesystem::create_directory(directory / "out");
  std::filesystem::create_hard_link(target, directory / "out/.ergon-lock");
  std::filesystem::create_hard_link(target, directory / "out/results.csv");
  const std::string command =
      "run " + lim_scenario + " --stop-time 0.1 --quiet --out " + (directory / "out").string();
  EXPECT_EQ(ergon(command).exit_code, 2);
  EXPECT_EQ(read_file(target), "precious\n");
  std::filesystem::remove(directory / "out/.ergon-lock");
  EXPECT_EQ(ergon(command).exit_code, 0);
  EXPECT_EQ(read_file(target), "precious\n") << "a copy of results by links stays";
  EXPECT_TRUE(read_file(directory / "out/results.csv").starts_with("time,"));
}

// Where it would be written over, a link under that name would be followed.
TEST(Files, TemporaryNamesCannotBeForeseen) {
  const TemporaryDirectory directory;
  const std::string target = directory.write("target", "precious\n");
  std::filesystem::create_directory(directory / "out");
  for (const char* name : {"summary.json.tmp", "system.json.tmp", "scenario.toml.tmp", "motion.csv.tmp"})
    std::filesystem::create_symlink(target, directory / "out" / name);
  static_cast<void>(directory.write("out/.ergon-0123456789abcdef.tmp", "what a killed run was writing"));
  EXPECT_EQ(ergon("run " + lim_scenario + " --stop-time 0.1 --quiet --out " + (directory / "out").string())
                .exit_code,
            0);
  EXPECT_EQ(read_file(target), "precious\n");
  EXPECT_FALSE(std::filesystem::exists(directory / "out/.ergon-0123456789abcdef.tmp"));
}

TEST(Files, MessagesOfFmusOfAnEarlierRunDoNotStay) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "out");
  static_cast<void>(directory.write("out/fmu.log", "an FMU that is no longer part of the scenario\n"));
  EXPECT_EQ(ergon("run " + lim_scenario + " --stop-time 0.1 --quiet --out " + (directory / "out").string())
                .exit_code,
            0);
  EXPECT_FALSE(std::filesystem::exists(directory / "out/fmu.log"));
}

TEST(Files, ErrorBarsHaveEveryInstantOnce) {
  const TemporaryDirectory directory;
  for (const char* stop : {"0.5", "0.511", "10"}) {
    const std::filesystem::path out = directory / "out";
    ASSERT_EQ(ergon(fmt::format("run {} --stop-time {} --quiet --check double --out {}", lim_scenario, stop,
                                out.string()))
                  .exit_code,
              0);
    std::istringstream rows(read_file(out / "motion.csv"));
    std::string line;
    std::getline(rows, line);
    double last = -1.0;
    while (std::getline(rows, line)) {
      const double time = std::stod(line);
      EXPECT_GT(time, last + 1e-9) << "stop time " << stop;
      last = time;
    }
    EXPECT_EQ(last, std::stod(stop));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// A sample of what docs/reliability.md has figures of.
TEST(Files, KilledRunsLeaveWholeLinesAndNoProcess) {
  const Outcome outcome = shell(std::string(ERGON_SOURCE_DIR) + "/tools/kill_runs.sh " ERGON_COMMAND " 3");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  for (const std::string kind : {"native", "workers", "threads", "report"})
    EXPECT_NE(outcome.output.find(kind + ": 3 of 3 kills left whole lines"), std::string::npos)
        << outcome.output;
}
#endif

}  // namespace
}  // namespace ergon::cli

// A run that is killed, interrupted, extended or branched: what comes out is what a run that nobody disturbed gives.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <regex>
#include <thread>

#include "cli/exported_scenario.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

const std::string examples = std::string(ERGON_SOURCE_DIR) + "/examples/";

/// What a clock has measured, and what a process has counted, differs.
std::string without_costs(const std::string& json) {
  return std::regex_replace(
      json, std::regex("\"(wall_time|mean_step|steps|discarded|solver|checks)[a-z_]*\": [^,\n]*"), "");
}

void expect_same_files(const fs::path& one, const fs::path& other) {
  for (const char* name : {"results.csv", "bonds.csv", "energy.csv", "geometry.csv", "motion.csv",
                           "system.json", "scenario.toml"}) {
    ASSERT_EQ(fs::exists(one / name), fs::exists(other / name)) << name;
    if (!fs::exists(one / name)) continue;
    // Not EXPECT_EQ: files of megabytes would be printed.
    EXPECT_TRUE(read_file(one / name) == read_file(other / name)) << name;
  }
  EXPECT_EQ(without_costs(read_file(one / "summary.json")), without_costs(read_file(other / "summary.json")));
}

class Resume : public testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Outcome run(const std::string& scenario, const std::string& name, const std::string& options = "") const {
    return ergon("run " + scenario + " -q --out " + at(name) + " " + options);
  }
  TemporaryDirectory folder_;
};

struct Way {
  const char* name;
  const char* scenario;
  const char* options;
  const char* time;
};
void PrintTo(const Way& way, std::ostream* stream) {
  *stream << way.name;
}

class ResumedRuns : public Resume, public testing::WithParamInterface<Way> {};

// From the middle of the run, in another process, with the check run: every file.
TEST_P(ResumedRuns, HaveTheFilesOfOneThatWasNotInterrupted) {
  const Way& way = GetParam();
  const std::string time = way.time;
  ASSERT_EQ(
      run(examples + way.scenario, "whole", std::string(way.options) + " --checkpoint-at " + time).exit_code,
      0);
  const Outcome branched = ergon("branch " + at("whole") + " --at " + time + " -q --out " + at("branch"));
  ASSERT_EQ(branched.exit_code, 0) << branched.output;
  expect_same_files(folder_ / "whole", folder_ / "branch");
}
INSTANTIATE_TEST_SUITE_P(
    Ways, ResumedRuns,
    testing::Values(
        Way{"rates", "battery-heater.toml", "", "222"},
        Way{"implicit", "../benchmarks/lim-oscillator/f-s.toml",
            "--set coupling.scheme=implicit --stop-time 1", "0.37"},
        Way{"controlled", "three-masses.toml",
            "--set 'step_control={method=\"richardson\", rtol=1e-2, max_step=0.1}' --stop-time 1", "0.37"},
        Way{"corrected", "multiple-oscillator-3.toml", "--set 'bond.*.correction={method=\"passivity\"}'",
            "3.7"},
        Way{"threads", "three-masses.toml", "--threads 2", "1.85"},
        Way{"machine", "boom-of-bodies.toml", "", "1.11"},
        // A frame of the picture comes before the crane has stepped again: its forces are those of the checkpoint.
        Way{"frame", "../benchmarks/log-crane/crane.toml", "--check off", "5.55"},
        Way{"contact", "stack.toml", "--stop-time 0.3", "0.1"}),
    [](const auto& way) { return std::string(way.param.name); });

/// A command that begins a run in `folder`, waits for its first checkpoint and a pause, and sends it a signal.
std::string signalled(const char* signal, const std::string& pause_s, const std::string& scenario,
                      const std::string& folder, const std::string& options) {
  return "{ " + std::string(ERGON_COMMAND) + " run " + scenario + " -q --out " + folder +
         " --checkpoint-every 0.01 " + options + " & run=$!; while kill -0 $run 2>/dev/null && ! ls " +
         folder + "/checkpoints/*.ergon >/dev/null 2>&1; do sleep 0.002; done; sleep " + pause_s +
         "; kill -" + signal + " $run 2>/dev/null; wait $run; }";
}

TEST_F(Resume, AKilledRunBecomesTheOneThatWasNot) {
  const std::string scenario = examples + "controlled-excavator.toml";
  ASSERT_EQ(run(scenario, "whole").exit_code, 0);
  int resumed = 0;
  for (int kill = 0; kill < 4; ++kill) {
    const std::string name = "killed" + std::to_string(kill);
    static_cast<void>(shell(signalled("KILL", std::to_string(0.03 * kill), scenario, at(name), "")));
    const Outcome outcome = ergon("resume -q " + at(name));
    if (outcome.output.find("nothing to resume") != std::string::npos) continue;  // it was over
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    expect_same_files(folder_ / "whole", folder_ / name);
    ++resumed;
  }
  EXPECT_GT(resumed, 0);
}

TEST_F(Resume, AnInterruptedRunGoesOnFromItsLastPoint) {
  const std::string scenario = examples + "three-masses.toml";
  const std::string options = "--stop-time 2000 --check off --set output.interval=0.1";
  ASSERT_EQ(run(scenario, "whole", options).exit_code, 0);
  const Outcome interrupted = shell(signalled("TERM", "0", scenario, at("part"), options));
  EXPECT_NE(interrupted.output.find("interrupted at t = "), std::string::npos) << interrupted.output;
  const Outcome resumed = ergon("resume -q " + at("part"));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.output;
  expect_same_files(folder_ / "whole", folder_ / "part");
}

TEST_F(Resume, AFinishedRunIsExtended) {
  const std::string scenario = examples + "multiple-oscillator-3.toml";
  ASSERT_EQ(run(scenario, "long", "--stop-time 4 --check off").exit_code, 0);
  ASSERT_EQ(run(scenario, "short", "--stop-time 2").exit_code, 0);
  const Outcome nothing_to_do = ergon("resume " + at("short"));
  EXPECT_EQ(nothing_to_do.exit_code, 2);
  EXPECT_NE(nothing_to_do.output.find("Extend it with --stop-time"), std::string::npos)
      << nothing_to_do.output;
  const Outcome extended = ergon("resume " + at("short") + " --stop-time 4");
  ASSERT_EQ(extended.exit_code, 0) << extended.output;
  EXPECT_NE(extended.output.find("the run was extended at t = 2 s"), std::string::npos) << extended.output;
  EXPECT_TRUE(read_file(folder_ / "long" / "results.csv") == read_file(folder_ / "short" / "results.csv"));
  EXPECT_TRUE(read_file(folder_ / "long" / "bonds.csv") == read_file(folder_ / "short" / "bonds.csv"));
  EXPECT_NE(read_file(folder_ / "short" / "scenario.toml").find("stop_time = 4"), std::string::npos);
  // Before its end there is nothing any more.
  const Outcome shortened = ergon("resume " + at("short") + " --stop-time 3");
  EXPECT_EQ(shortened.exit_code, 2);
  EXPECT_NE(shortened.output.find("has come to t = 4 s already"), std::string::npos) << shortened.output;
}

// A step of 3 ms does not end at 2 s.
TEST_F(Resume, ARunWhoseLastStepWasShortenedIsNotExtended) {
  ASSERT_EQ(run(examples + "three-masses.toml", "short", "--stop-time 2 --check off").exit_code, 0);
  const std::string summary = read_file(folder_ / "short" / "summary.json");
  const Outcome outcome = ergon("resume " + at("short") + " --stop-time 4");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("was shortened to end with it"), std::string::npos) << outcome.output;
  EXPECT_EQ(read_file(folder_ / "short" / "summary.json"), summary);
}

TEST_F(Resume, ABranchHasOtherParametersFromItsPointOn) {
  const std::string scenario = folder_.write("pid.toml", R"(
[simulation]
stop_time = 2
step_size = 1e-3
[[subsystem]]
name = "source"
model = "source.constant"
parameters = { value = 1.0 }
[[subsystem]]
name = "mass"
model = "oscillator.mass"
parameters = { m = 1.0, k = 10.0, c = 1.0 }
[[connection]]
from = "source.value"
to = "mass.force"
)");
  const Outcome first = run(scenario, "first", "--checkpoint-at 1");
  ASSERT_EQ(first.exit_code, 0) << first.output;
  const Outcome branch =
      ergon("branch " + at("first") + " --at 1 --set source.value=2 --out " + at("branch"));
  ASSERT_EQ(branch.exit_code, 0) << branch.output;
  // The same by a change that the scenario says.
  const std::string changed =
      folder_.write("changed.toml", read_file(scenario) +
                                        "[[change]]\ntime = 1\nparameter = \"source.value\"\nvalue = 2.0\n");
  const Outcome said = run(changed, "said");
  ASSERT_EQ(said.exit_code, 0) << said.output;
  EXPECT_TRUE(read_file(folder_ / "branch" / "results.csv") == read_file(folder_ / "said" / "results.csv"));
  EXPECT_FALSE(read_file(folder_ / "branch" / "results.csv") == read_file(folder_ / "first" / "results.csv"));

  const Outcome missing = ergon("branch " + at("first") + " --at 1.5 --out " + at("other"));
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.output.find("there are 1"), std::string::npos) << missing.output;
  EXPECT_FALSE(fs::exists(folder_ / "other"));
  const Outcome fixed = ergon("branch " + at("first") + " --at 1 --set mass.k=3 --out " + at("other"));
  EXPECT_EQ(fixed.exit_code, 2) << fixed.output;
  EXPECT_FALSE(fs::exists(folder_ / "other")) << "nothing half-written";
}

TEST_F(Resume, ADamagedCheckpointIsPassedOver) {
  const std::string scenario = examples + "three-masses.toml";
  ASSERT_EQ(run(scenario, "whole", "--checkpoint-at 1,2").exit_code, 0);
  fs::remove(folder_ / "whole" / "summary.json");
  fs::copy(folder_ / "whole", folder_ / "damaged", fs::copy_options::recursive);
  const fs::path newest = folder_ / "damaged" / "checkpoints" / "end.ergon";
  std::string bytes = read_file(newest);
  ASSERT_GT(bytes.size(), 100U);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(newest, std::ios::binary) << bytes;
  fs::resize_file(folder_ / "damaged" / "checkpoints" / "at-2.ergon", 50);
  const Outcome outcome = ergon("resume " + at("damaged"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("end.ergon' is passed over: it is damaged"), std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find("at-2.ergon' is passed over"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("resumed at t = 1 s"), std::string::npos) << outcome.output;
  ASSERT_EQ(ergon("resume -q " + at("whole")).exit_code, 0) << "killed before its summary was written";
  expect_same_files(folder_ / "whole", folder_ / "damaged");
}

TEST_F(Resume, WhatHasChangedIsRefused) {
  const std::string table = folder_.write("force.csv", "time,value\n0,1\n5,2\n");
  const std::string scenario = folder_.write("table.toml", R"(
[simulation]
stop_time = 2
step_size = 1e-2
[[subsystem]]
name = "source"
model = "source.table"
parameters = { file = "force.csv", column = "value" }
[[subsystem]]
name = "mass"
model = "oscillator.mass"
[[connection]]
from = "source.value"
to = "mass.force"
)");
  const Outcome first = run(scenario, "run", "--checkpoint-at 1");
  ASSERT_EQ(first.exit_code, 0) << first.output;
  std::ofstream(table) << "time,value\n0,1\n5,3\n";
  const Outcome other_table = ergon("resume " + at("run") + " --stop-time 3");
  EXPECT_EQ(other_table.exit_code, 2);
  EXPECT_NE(other_table.output.find("force.csv' has changed since the checkpoint"), std::string::npos)
      << other_table.output;
  std::ofstream(table) << "time,value\n0,1\n5,2\n";
  const fs::path resolved = folder_ / "run" / "scenario.toml";
  const std::string text = read_file(resolved);
  std::ofstream(resolved) << std::regex_replace(text, std::regex("step_size = 0?\\.01"), "step_size = 0.02");
  const Outcome other_scenario = ergon("resume " + at("run") + " --stop-time 3");
  EXPECT_EQ(other_scenario.exit_code, 2);
  EXPECT_NE(other_scenario.output.find("is not the one of the checkpoint"), std::string::npos)
      << other_scenario.output;
  EXPECT_TRUE(fs::exists(folder_ / "run" / "summary.json")) << "what is refused leaves the results alone";
}

TEST_F(Resume, WhereThereIsNoCheckpointTheMessageSaysWhatToDo) {
  ASSERT_EQ(run(examples + "three-masses.toml", "none", "--no-checkpoint").exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "none" / "checkpoints"));
  const Outcome outcome = ergon("resume " + at("none"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("There is no checkpoint in"), std::string::npos) << outcome.output;
  EXPECT_EQ(ergon("resume " + at("nowhere")).exit_code, 2);
  const Outcome late = run(examples + "three-masses.toml", "late", "--checkpoint-at 50");
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_NE(late.output.find("is not within the run"), std::string::npos) << late.output;
  const Outcome no_time = run(examples + "three-masses.toml", "late", "--checkpoint-at soon");
  EXPECT_EQ(no_time.exit_code, 2);
  EXPECT_NE(no_time.output.find("'soon' is not a time"), std::string::npos) << no_time.output;
}

// A folder that is none takes no checkpoints; the run itself has nothing wrong.
TEST_F(Resume, CheckpointsThatCannotBeWrittenAreAWarning) {
  fs::create_directories(folder_ / "run");
  std::ofstream(folder_ / "run" / "checkpoints") << "in the way";
  const Outcome outcome = run(examples + "three-masses.toml", "run");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("warning: the checkpoint at t = 5 s cannot be written"), std::string::npos)
      << outcome.output;
}

class ResumedFmus : public Resume, public testing::WithParamInterface<int> {};

// In this process, and in processes of their own; named checkpoints in between change nothing.
TEST_P(ResumedFmus, HaveTheFilesOfOneThatWasNotInterrupted) {
  const std::string scenario = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";
  const std::string fmus = with_fmus(scenario, {.fmi = GetParam()}, folder_);
  for (const std::string isolate : {"", "--isolate "}) {
    const std::string name = isolate.empty() ? "here" : "isolated";
    const std::string options = isolate + "--stop-time 0.5 --set coupling.extrapolation=quadratic";
    ASSERT_EQ(run(fmus, name + "-without", options + " --no-checkpoint").exit_code, 0);
    const Outcome whole = run(fmus, name, options + " --checkpoint-at 0.05,0.2");
    ASSERT_EQ(whole.exit_code, 0) << whole.output;
    expect_same_files(folder_ / (name + "-without"), folder_ / name);
    const Outcome branch = ergon("branch " + at(name) + " --at 0.2 -q --out " + at(name + "-branch"));
    ASSERT_EQ(branch.exit_code, 0) << branch.output;
    expect_same_files(folder_ / name, folder_ / (name + "-branch"));
  }
}
INSTANTIATE_TEST_SUITE_P(Versions, ResumedFmus, testing::Values(2, 3));

}  // namespace
}  // namespace ergon::cli

// Small things that a new user meets: what is typed, counted, printed and too large.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "cli/command.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::cli {
namespace {

const std::string lim_file = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";

bool says(const Outcome& outcome, const std::string& text) {
  return outcome.output.find(text) != std::string::npos;
}

/// Masses that push at one another, as many subsystems.
std::string row_of_masses(int count) {
  std::string text = "[simulation]\nstop_time = 0.01\nstep_size = 1e-3\n";
  for (int i = 0; i <= count; ++i) {
    text += fmt::format(
        "[[subsystem]]\nname = \"m{}\"\nmodel = \"oscillator.mass\"\ninitial = {{ v = {} }}\n", i, i);
  }
  for (int i = 0; i < count; ++i) {
    text +=
        fmt::format("[[element]]\nname = \"spring{}\"\nlaw = \"spring-damper\"\nends = [\"m{}\", \"m{}\"]\n",
                    i, i, i + 1);
  }
  return text;
}

TEST(Edges, CommandsAndModelsTellTheNearest) {
  const Outcome command = ergon("runn x.toml");
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_TRUE(says(command, "There is no command 'runn'. Did you mean 'run'?")) << command.output;
  const Outcome model = ergon("models revolute");
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_TRUE(says(model, "Did you mean 'joint.revolute'?")) << model.output;
}

TEST(Edges, HelpCallsAScenarioAScenario) {
  for (const char* command : {"run --help", "check --help"}) {
    const Outcome help = ergon(command);
    EXPECT_TRUE(says(help, "SCENARIO")) << help.output;
    EXPECT_FALSE(says(help, "SYSTEM")) << help.output;
  }
}

TEST(Edges, AConditionThatNoFigureMeetsIsAnError) {
  const Outcome outcome = ergon("bench haptic --where foo=1");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_TRUE(says(outcome, "No figure of 'haptic' has foo=1.")) << outcome.output;
}

TEST(Edges, OneIsNoPlural) {
  const Outcome outcome = ergon("check " + lim_file);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(says(outcome, " 2 subsystems, 0 elements, ")) << outcome.output;
  EXPECT_TRUE(says(outcome, " 1 bond;")) << outcome.output;
}

TEST(Edges, OfManyBondsTheWorstTenAreShown) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("many.toml", row_of_masses(30));
  for (const std::string& command :
       {"check " + file, "run " + file + " --out " + (directory / "out").string()}) {
    const Outcome outcome = ergon(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_LT(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 25) << outcome.output;
  }
}

TEST(Edges, MoreThreadsThanWorkCostNothing) {
  const TemporaryDirectory directory;
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome =
      ergon("run " + lim_file + " --threads 1024 --quiet --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Edges, TooManyStepsAreNoMatterOfDigits) {
  const Outcome outcome = ergon("check " + lim_file + " --step-size 1e-12 --stop-time 1e6");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_TRUE(says(outcome, "in steps of 1e-12 s takes 1e+18 of them")) << outcome.output;
}

TEST(Edges, OtherEncodingsAreCalledByTheirName) {
  const TemporaryDirectory directory;
  const std::string latin = directory.write("latin.toml", "# K\xF6rper\n[simulation]\nstop_time = 1\n");
  const Outcome one_byte = ergon("check " + latin);
  EXPECT_EQ(one_byte.exit_code, 2);
  EXPECT_TRUE(says(one_byte, "latin.toml:1:4: error: Byte 0xf6 is not UTF-8")) << one_byte.output;
  const std::string wide = directory.write("wide.toml", std::string("\xFF\xFE[\0s\0", 6));
  const Outcome two_bytes = ergon("check " + wide);
  EXPECT_EQ(two_bytes.exit_code, 2);
  EXPECT_TRUE(says(two_bytes, "UTF-16")) << two_bytes.output;
}

TEST(Edges, AnEndlessFileIsReadToALimit) {
  const Outcome outcome = ergon("check /dev/zero");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_TRUE(says(outcome, "longer than 64 MB")) << outcome.output;
}

TEST(Edges, WhatIsTooLargeForTheMemoryIsNamed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer takes all address space that there is";
#endif
  std::string list = "1";
  for (int i = 1; i < 100'000; ++i) list += ", 1";
  const TemporaryDirectory directory;
  const std::string file = directory.write("chain.toml", fmt::format(R"([simulation]
stop_time = 1
step_size = 1e-3
[[subsystem]]
name = "long"
model = "oscillator.chain"
parameters = {{ m = [{}] }}
integrator = {{ method = "newmark" }}
)",
                                                                     list));
  for (const std::string& command :
       {"check " + file, "run " + file + " --out " + (directory / "out").string()}) {
    const Outcome outcome = shell("ulimit -v 4000000; " ERGON_COMMAND " " + command);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_TRUE(says(outcome, "There is not enough memory for 'long' (oscillator.chain).")) << outcome.output;
  }
}

TEST(Edges, CheckTellsHowLargeTheResultsWillBe) {
  const TemporaryDirectory directory;
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"simulation.stop_time=3"},
        std::vector<std::string>{"simulation.stop_time=3", "right.step_size=3e-3", "left.step_size=2e-3"},
        std::vector<std::string>{"simulation.stop_time=20", "output.interval=0.01"}}) {
    Simulation simulation(lim_file, settings);
    const double expected = simulation.expected_file_bytes();
    simulation.write_to(directory / "out");
    simulation.run();
    const auto size = std::filesystem::file_size(directory / "out" / "results.csv") +
                      std::filesystem::file_size(directory / "out" / "bonds.csv");
    EXPECT_GT(static_cast<double>(size), 0.5 * expected);
    EXPECT_LT(static_cast<double>(size), 2.0 * expected);
  }
  const Outcome outcome = ergon("check " + lim_file + " --stop-time 1e7");
  EXPECT_TRUE(says(outcome, "results: about ")) << outcome.output;
  EXPECT_TRUE(says(outcome, "TB")) << outcome.output;
}

TEST(Edges, ATableThatEndsBeforeTheRunGetsANote) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write("push.csv", "time;force\n0;1\n0.5;2\n"));
  const Outcome outcome = ergon("check " + directory.write("pushed.toml", R"([simulation]
stop_time = 1
step_size = 1e-2
[[subsystem]]
name = "push"
model = "source.table"
parameters = { file = "push.csv", unit = "N" }
[[subsystem]]
name = "mass"
model = "oscillator.mass"
[[connection]]
from = "push.value"
to = "mass.force"
)"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(says(outcome, "pushed.toml:4:1: note: The table of 'push' ends at 0.5 s, the run at 1 s"))
      << outcome.output;
}

}  // namespace
}  // namespace ergon::cli

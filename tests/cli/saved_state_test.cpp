// `ergon state` and [initialization] from: the end of a run is the start of another scenario.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/exported_scenario.hpp"

namespace ergon::cli {
namespace {

class SavedState : public testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  Outcome run(const std::string& scenario, const std::string& name, const std::string& options = "") const {
    return ergon("run " + scenario + " -q --check off --out " + at(name) + " " + options);
  }
  /// A run to t = 1 s, and its state in warm.ergon.
  void save_state(const std::string& scenario, const std::string& options = "") const {
    const Outcome outcome = run(scenario, "warm", "--stop-time 1 " + options);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    const Outcome saved = ergon("state " + at("warm") + " -o " + at("warm.ergon"));
    ASSERT_EQ(saved.exit_code, 0) << saved.output;
    EXPECT_NE(saved.output.find("at t = 1 s"), std::string::npos) << saved.output;
  }
  TemporaryDirectory folder_;
};

/// Two masses and a spring, held inputs: what follows depends on states alone.
std::string masses(const std::string& more = "", const std::string& k = "5.0") {
  return "simulation = { stop_time = 2, step_size = 1e-3 }\ncoupling = { extrapolation = \"hold\" }\n"
         "[[subsystem]]\nname = \"a\"\nmodel = \"oscillator.mass\"\nparameters = { k = 40.0, c = 0.1 "
         "}\ninitial = { x = 0.1 }\n"
         "[[subsystem]]\nname = \"b\"\nmodel = \"oscillator.mass\"\nparameters = { m = 3.0, k = 7.0 "
         "}\ninitial = { x = -0.2 }\n"
         "[[element]]\nname = \"spring\"\nlaw = \"spring-damper\"\nends = [\"a\", \"b\"]\nparameters = { k "
         "= " +
         k + " }\n" + more;
}

/// Lines of results.csv from a time on, without the header.
std::string rows_from(const std::string& csv, const std::string& time) {
  const auto begin = csv.find("\n" + time + ",");
  return begin == std::string::npos ? "no such row" : csv.substr(begin + 1);
}

constexpr const char* from_state =
    "--set simulation.start_time=1 --set 'initialization={ from = \"warm.ergon\" }'";

TEST_F(SavedState, GoesOnAsTheRunThatWasNotInterrupted) {
  const std::string scenario = file("masses.toml", masses());
  save_state(scenario);
  ASSERT_EQ(run(scenario, "whole").exit_code, 0);
  const Outcome started = run(scenario, "started", from_state);
  ASSERT_EQ(started.exit_code, 0) << started.output;
  const std::string whole = rows_from(read_file(folder_ / "whole" / "results.csv"), "1");
  EXPECT_GT(whole.size(), 50'000U);
  EXPECT_TRUE(rows_from(read_file(folder_ / "started" / "results.csv"), "1") == whole);
  // What was run can be run again, from another folder, too.
  const Outcome again = run(at("started") + "/scenario.toml", "again");
  ASSERT_EQ(again.exit_code, 0) << again.output;
  EXPECT_TRUE(read_file(folder_ / "again" / "results.csv") == read_file(folder_ / "started" / "results.csv"));
}

class SavedStateOfFmus : public SavedState, public testing::WithParamInterface<int> {};

TEST_P(SavedStateOfFmus, GoesOnAsTheRunThatWasNotInterrupted) {
  const std::string scenario = with_fmus(file("masses.toml", masses()), {.fmi = GetParam()}, folder_);
  save_state(scenario);
  ASSERT_EQ(run(scenario, "whole").exit_code, 0);
  const Outcome started = run(scenario, "started", from_state);
  ASSERT_EQ(started.exit_code, 0) << started.output;
  const std::string whole = rows_from(read_file(folder_ / "whole" / "results.csv"), "1");
  EXPECT_GT(whole.size(), 50'000U);
  EXPECT_TRUE(rows_from(read_file(folder_ / "started" / "results.csv"), "1") == whole);
}
INSTANTIATE_TEST_SUITE_P(Versions, SavedStateOfFmus, testing::Values(2, 3));

TEST_F(SavedState, OfACheckpointThatWasKept) {
  const std::string scenario = file("masses.toml", masses());
  ASSERT_EQ(run(scenario, "kept", "--checkpoint-at 0.5").exit_code, 0);
  const Outcome saved = ergon("state " + at("kept") + " --at 0.5 -o " + at("warm.ergon"));
  ASSERT_EQ(saved.exit_code, 0) << saved.output;
  const Outcome started =
      run(scenario, "started",
          "--set simulation.start_time=0.5 --set 'initialization={ from = \"warm.ergon\" }'");
  ASSERT_EQ(started.exit_code, 0) << started.output;
  EXPECT_TRUE(rows_from(read_file(folder_ / "started" / "results.csv"), "0.5") ==
              rows_from(read_file(folder_ / "kept" / "results.csv"), "0.5"));
}

// A stiffer spring, and a third mass that the state knows nothing of.
TEST_F(SavedState, StartsAnotherScenarioAndReportsWhatIsNotInBoth) {
  save_state(file("masses.toml", masses()));
  const std::string other = file(
      "other.toml",
      masses("[[subsystem]]\nname = \"c\"\nmodel = \"oscillator.mass\"\ninitial = { x = 0.7, force = 0.0 }\n",
             "50.0"));
  const Outcome started = run(other, "other", from_state);
  ASSERT_EQ(started.exit_code, 0) << started.output;
  EXPECT_NE(started.output.find("nothing for 'c': initial values are used there"), std::string::npos)
      << started.output;
  auto columns = csv_columns(read_file(folder_ / "other" / "results.csv"));
  auto warm = csv_columns(read_file(folder_ / "warm" / "results.csv"));
  EXPECT_EQ(columns["a.position"].front(), warm["a.position"].back());
  EXPECT_EQ(columns["b.velocity"].front(), warm["b.velocity"].back());
  EXPECT_EQ(columns["c.position"].front(), 0.7);
  // The force of the other spring, from the first row on.
  EXPECT_NEAR(std::abs(columns["spring.force_i"].front()),
              50.0 * std::abs(columns["a.position"].front() - columns["b.position"].front()), 1e-12);
  const std::string fewer =
      file("fewer.toml",
           "simulation = { start_time = 1, stop_time = 2, step_size = 1e-3 }\ninitialization = { from = "
           "\"warm.ergon\" }\n[[subsystem]]\nname = \"a\"\nmodel = \"oscillator.mass\"\ninitial = { force = "
           "0.0 }\n");
  const Outcome smaller = run(fewer, "fewer");
  ASSERT_EQ(smaller.exit_code, 0) << smaller.output;
  EXPECT_NE(smaller.output.find("fewer.toml:2"), std::string::npos) << smaller.output;
  EXPECT_NE(smaller.output.find("saved state of 'b' is not used"), std::string::npos) << smaller.output;
}

TEST_F(SavedState, WhatDoesNotFitIsRefused) {
  save_state(file("masses.toml", masses()));
  const auto expect_refused = [&](const std::string& scenario, const std::string& options,
                                  const std::string& what) {
    const Outcome outcome = run(scenario, "refused", options);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(what), std::string::npos) << outcome.output;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "refused"));
  };
  const std::string scenario = at("masses.toml");
  expect_refused(scenario, "--set 'initialization={ from = \"warm.ergon\" }'",
                 "is of t = 1 s, but the run starts at t = 0 s");
  expect_refused(scenario, "--set simulation.start_time=1 --set 'initialization={ from = \"none.ergon\" }'",
                 "cannot be read");
  const std::string other =
      file("other.toml",
           "simulation = { start_time = 1, stop_time = 2, step_size = 1e-3 }\ninitialization = { from = "
           "\"warm.ergon\" }\n[[subsystem]]\nname = \"a\"\nmodel = \"source.sine\"\n");
  expect_refused(other, "", "state of 'a' does not fit: it is of a subsystem with other ports");
  std::string bytes = read_file(folder_ / "warm.ergon");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  static_cast<void>(file("warm.ergon", bytes));
  expect_refused(scenario, from_state, "is damaged");
  const Outcome missing = ergon("state " + at("nowhere") + " -o " + at("x.ergon"));
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.ergon"));
}

}  // namespace
}  // namespace ergon::cli

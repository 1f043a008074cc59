// Checkpoints of a run in this process: while they are written, it goes on; another simulation goes on from each.
#include "ergon/run/checkpoint/checkpoint_keeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "ergon/run/simulation.hpp"
#include "support/fake_step_record.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using test::TemporaryFolder;
using test::two_masses;

class CheckpointFiles : public testing::Test {
 protected:
  [[nodiscard]] Simulation begin(const std::string& name, Results results = Results::anew) const {
    Simulation simulation(file_, {"simulation.stop_time=0.5"});
    simulation.write_to(directory_ / name, results);
    return simulation;
  }
  [[nodiscard]] std::vector<std::string> files(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / name / checkpoint_folder))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  ScratchDirectory directory_;
  TemporaryFolder folder_;
  std::string file_ = folder_.write("two.toml", two_masses);
};

// As often as they can be had: the thread that writes is always at work.
TEST_F(CheckpointFiles, OfManyTheLastTwoStayAndTheRunKeepsItsBits) {
  Simulation undisturbed = begin("undisturbed");
  undisturbed.run();
  Simulation run = begin("run");
  CheckpointOptions options;
  options.every = std::chrono::microseconds(1);
  options.caller = "somebody";
  run.keep_checkpoints(options);
  for (int point = 0; point < 50; ++point) {
    ASSERT_TRUE(run.advance());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  run.run([n = 0]() mutable { return ++n > 200 ? std::optional(StopReason::interrupted) : std::nullopt; });
  ASSERT_EQ(run.outcome().status, RunStatus::interrupted);
  EXPECT_TRUE(run.checkpoint_errors().empty());
  ASSERT_EQ(files("run").size(), 2U);

  std::vector<std::string> passed_over;
  const FoundCheckpoint found = newest_checkpoint(directory_ / "run", passed_over);
  EXPECT_EQ(found.checkpoint.caller, "somebody");
  EXPECT_EQ(found.checkpoint.time_s, run.outcome().reached_time_s);
  Simulation rest = begin("run", Results::continued);
  rest.go_on(found.checkpoint);
  rest.run();
  for (const char* name : {"results.csv", "bonds.csv"})
    EXPECT_EQ(content_of(directory_ / "run" / name), content_of(directory_ / "undisturbed" / name)) << name;
}

TEST_F(CheckpointFiles, ThoseThatAreAskedForByTheirTimeStay) {
  Simulation run = begin("run");
  CheckpointOptions options;
  options.at_s = {{"0.25", Rational(1, 4)}, {"0.1003", Rational(1003, 10000)}};
  run.keep_checkpoints(options);
  run.run();
  EXPECT_EQ(files("run"), (std::vector<std::string>{"at-0.1003.ergon", "at-0.25.ergon", "end.ergon"}));
  // At the point, or the first one after it.
  EXPECT_EQ(checkpoint_at(directory_ / "run", "0.250").checkpoint.time_s, 0.25);
  EXPECT_GE(checkpoint_at(directory_ / "run", "0.1003").checkpoint.time_s, 0.1003);
  EXPECT_LT(checkpoint_at(directory_ / "run", "0.1003").checkpoint.time_s, 0.11);
  // A run that begins anew in the folder has nothing of it.
  Simulation again = begin("run");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run" / checkpoint_folder));
}

TEST_F(CheckpointFiles, OfAnotherScenarioAreRefused) {
  Simulation run = begin("run");
  run.keep_checkpoints({});
  run.run();
  std::vector<std::string> passed_over;
  const Checkpoint checkpoint = newest_checkpoint(directory_ / "run", passed_over).checkpoint;
  Simulation other(file_, {"simulation.stop_time=0.5", "left.m=3"});
  EXPECT_THROW(other.require_fits(checkpoint), InputError);
  Simulation shorter(file_, {"simulation.stop_time=0.4"});
  EXPECT_THROW(shorter.require_fits(checkpoint), InputError);
  Simulation longer(file_, {"simulation.stop_time=0.6"});
  EXPECT_NO_THROW(longer.require_fits(checkpoint));
}

}  // namespace
}  // namespace ergon

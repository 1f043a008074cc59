// Check runs go on beside the run that they check, on a thread of their own.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ergon/run/simulation.hpp"
#include "support/scenario_opening.hpp"
#include "support/scratch_directory.hpp"

namespace ergon {
namespace {

std::string content_of_checked(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class CheckRuns : public ::testing::TestWithParam<MotionCheck> {
 protected:
  CheckRuns() : file_(folder_.write("two.toml", test::two_masses)) {}
  [[nodiscard]] Simulation checked(const std::string& threads) const {
    Simulation simulation(file_, {"simulation.stop_time=0.2", "simulation.threads=" + threads});
    simulation.check_motion(GetParam());
    return simulation;
  }
  test::TemporaryFolder folder_;
  std::string file_;
};

TEST_P(CheckRuns, BesideTheRunFindTheSameOnAnyNumberOfThreads) {
  const ScratchDirectory directory;
  for (const char* threads : {"1", "2"}) {
    Simulation simulation = checked(threads);
    simulation.write_to(directory / threads);
    ASSERT_EQ(simulation.run().status, RunStatus::finished);
    EXPECT_TRUE(simulation.write_errors().empty());
  }
  for (const char* name : {"results.csv", "bonds.csv", "motion.csv"}) {
    const std::string rows = content_of_checked(directory / "1" / name);
    EXPECT_GT(std::count(rows.begin(), rows.end(), '\n'), 10) << name;
    EXPECT_EQ(rows, content_of_checked(directory / "2" / name)) << name;
  }
}

TEST_P(CheckRuns, EndWithTheRunThatIsAskedToStop) {
  Simulation simulation = checked("2");
  int points = 0;
  const RunOutcome& outcome = simulation.run([&]() -> std::optional<StopReason> {
    return ++points > 20 ? std::optional(StopReason::interrupted) : std::nullopt;
  });
  EXPECT_EQ(outcome.status, RunStatus::interrupted);
}

TEST_P(CheckRuns, EndWithTheRunThatIsGivenUp) {
  Simulation simulation = checked("2");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(simulation.advance());
}

TEST_P(CheckRuns, BeginAnewWhereTheRunIsSetBack) {
  Simulation straight = checked("2");
  ASSERT_EQ(straight.run().status, RunStatus::finished);
  Simulation set_back = checked("2");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(set_back.advance());
  const SimulationSnapshot snapshot = set_back.save();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(set_back.advance());
  set_back.restore(snapshot);
  ASSERT_EQ(set_back.run().status, RunStatus::finished);
  EXPECT_EQ(set_back.verdict().value, straight.verdict().value);
  EXPECT_EQ(set_back.value("right.position"), straight.value("right.position"));
}

INSTANTIATE_TEST_SUITE_P(All, CheckRuns, ::testing::Values(MotionCheck::automatic, MotionCheck::half_steps),
                         [](const auto& param) {
                           return param.param == MotionCheck::automatic ? "automatic" : "half";
                         });

}  // namespace
}  // namespace ergon

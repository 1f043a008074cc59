// A run that is saved, goes on, and is set back: files, summary and verdict are those of a run that nobody disturbed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <regex>

#include "ergon/run/record/memory_recorder.hpp"
#include "ergon/run/simulation.hpp"
#include "support/fake_step_record.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using test::TemporaryFolder;
using test::two_masses;

/// summary.json without what a clock has measured.
std::string without_wall_times(const std::string& json) {
  return std::regex_replace(json, std::regex("\"(wall_time|mean_step)[a-z_]*\": [^,\n]*"), "");
}

struct Files {
  std::string results;
  std::string bonds;
  std::string summary;
  bool operator==(const Files&) const = default;
};

Files files_in(const std::filesystem::path& directory) {
  return {content_of(directory / "results.csv"), content_of(directory / "bonds.csv"),
          without_wall_times(content_of(directory / "summary.json"))};
}

class Saving : public ::testing::TestWithParam<std::vector<std::string>> {
 protected:
  Simulation make(const std::string& name) {
    std::vector<std::string> settings = GetParam();
    settings.emplace_back("simulation.stop_time=0.5");
    Simulation simulation(file_, settings);
    simulation.write_to(directory_ / name);
    return simulation;
  }
  static void advance(Simulation& simulation, int points) {
    for (int i = 0; i < points; ++i) ASSERT_TRUE(simulation.advance());
  }
  [[nodiscard]] Files files(const std::string& name) const { return files_in(directory_ / name); }

  ScratchDirectory directory_;
  TemporaryFolder folder_;
  std::string file_ = folder_.write("two.toml", two_masses);
};

TEST_P(Saving, LeavesTheFilesOfAnUndisturbedRun) {
  Simulation undisturbed = make("undisturbed");
  undisturbed.run();
  ASSERT_EQ(undisturbed.outcome().status, RunStatus::finished);
  const Files expected = files("undisturbed");
  ASSERT_GT(expected.results.size(), 1000U);

  Simulation disturbed = make("disturbed");
  advance(disturbed, 107);
  SimulationSnapshot saved = disturbed.save();
  disturbed.run();
  EXPECT_EQ(files("disturbed"), expected) << "saving alone";
  const VerdictValue verdict = disturbed.verdict().value;
  // After the end, and in the midst of the way; what was saved can be used again, and saved into.
  for (const int points : {-1, 20, 93}) {
    disturbed.restore(saved);
    EXPECT_FALSE(disturbed.over());
    if (points >= 0) {
      advance(disturbed, points);
      if (points == 93) disturbed.save(saved);
      disturbed.restore(saved);
    }
    disturbed.run();
    EXPECT_EQ(files("disturbed"), expected) << points;
    EXPECT_TRUE(disturbed.write_errors().empty());
    EXPECT_EQ(disturbed.verdict().value, verdict);
    EXPECT_EQ(verdict, undisturbed.verdict().value);
    EXPECT_EQ(disturbed.outcome().reached_time_s, undisturbed.outcome().reached_time_s);
  }
}

TEST_P(Saving, RecordersInMemoryAreSetBackToo) {
  MemoryRecorderOptions options;
  options.outputs = {0, 1};
  options.bonds = options.energy = true;
  options.gate = IntervalGate::ticks(7);
  MemoryRecorder expected(options);
  Simulation undisturbed = make("undisturbed");
  undisturbed.observe(expected);
  undisturbed.run();

  MemoryRecorder recorder(options);
  Simulation disturbed = make("disturbed");
  disturbed.observe(recorder);
  advance(disturbed, 55);
  const SimulationSnapshot saved = disturbed.save();
  disturbed.run();
  disturbed.restore(saved);
  EXPECT_LT(recorder.points(), expected.points());
  disturbed.run();
  EXPECT_TRUE(std::ranges::equal(recorder.ticks(), expected.ticks()));
  EXPECT_TRUE(std::ranges::equal(recorder.stored_J(), expected.stored_J()));
  EXPECT_EQ(recorder.column(1), expected.column(1));
}

// What another run of the same system has saved as bytes: it ends with the same summary.
TEST_P(Saving, AsBytesGoesOnInAnotherRun) {
  const auto without_files = [&] {
    std::vector<std::string> settings = GetParam();
    settings.emplace_back("simulation.stop_time=0.5");
    return Simulation(file_, settings);
  };
  Simulation first = without_files();
  for (int i = 0; i < 107; ++i) ASSERT_TRUE(first.advance());
  const std::vector<std::byte> bytes = first.to_bytes(first.save());
  first.run();
  Simulation second = without_files();
  second.restore(second.from_bytes(bytes));
  second.run();
  EXPECT_EQ(without_wall_times(to_json(second.summary())), without_wall_times(to_json(first.summary())));
  for (std::size_t length = 0; length < bytes.size(); length += 13)
    EXPECT_THROW(static_cast<void>(second.from_bytes(std::span(bytes).first(length))), ArchiveError);
  auto damaged = bytes;
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    damaged[i] ^= std::byte{1};
    EXPECT_THROW(static_cast<void>(second.from_bytes(damaged)), ArchiveError) << i;
    damaged[i] = bytes[i];
  }
}

const std::vector<std::vector<std::string>> variants = {
    {},
    {"output.interval=3.3e-3"},
    {"right.step_size=1e-3", "coupling.scheme=semi-implicit"},
    {"step_control.method=richardson"},
    {"bond.spring.correction={method=\"energy-leak\"}"},
};
std::string name_of(const ::testing::TestParamInfo<std::vector<std::string>>& tested) {
  constexpr std::array names = {"plain", "interval", "implicit", "step_control", "corrected"};
  return names.at(tested.index);
}
INSTANTIATE_TEST_SUITE_P(All, Saving, ::testing::ValuesIn(variants), name_of);

TEST(SavingRefused, WhereTheRunIsOver) {
  const TemporaryFolder folder;
  Simulation simulation(folder.write("two.toml", two_masses), {"simulation.stop_time=0.01"});
  const SimulationSnapshot saved = simulation.save();  // gets under way
  simulation.run();
  EXPECT_THROW(static_cast<void>(simulation.save()), std::logic_error);
  simulation.restore(saved);
  EXPECT_EQ(simulation.record().time_s(), 0.0);
}

// A file that was deleted or cut meanwhile cannot be taken back.
TEST(SavingRefused, WhereAFileIsShorterThanItWas) {
  const TemporaryFolder folder;
  const ScratchDirectory directory;
  Simulation simulation(folder.write("two.toml", two_masses), {"simulation.stop_time=0.1"});
  simulation.write_to(directory / "out");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(simulation.advance());
  const SimulationSnapshot saved = simulation.save();
  simulation.run();
  std::filesystem::resize_file(directory / "out" / "results.csv", 10);
  EXPECT_THROW(simulation.restore(saved), ArchiveError);
}

}  // namespace
}  // namespace ergon

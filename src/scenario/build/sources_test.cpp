// Sources in scenarios: when they are sampled, and where times can no longer be told apart.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ergon/models/registry.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using test::open_text;

/// A source that pushes a fast mass, beside a slow one.
std::string pushed_by(const std::string& model, const std::string& simulation) {
  return fmt::format(R"(simulation = {{ stop_time = 1.0{} }}
[[subsystem]]
name = "push"
model = "{}"
[[subsystem]]
name = "fast"
model = "oscillator.mass"
step_size = 1e-3
[[subsystem]]
name = "slow"
model = "oscillator.mass"
step_size = 0.1
[[connection]]
from = "push.value"
to = "fast.force"
)",
                     simulation, model);
}

std::vector<std::string> source_models() {
  std::vector<std::string> names;
  for (const ModelInfo& info : models()) {
    if (info.name.starts_with("source.")) names.push_back(info.name);
  }
  return names;
}

// docs/scenario.md: "A source that says no step is sampled with the shortest step of its receivers". One of them was not.
TEST(Sources, AllKindsAreSampledWithTheStepsOfTheirReceivers) {
  EXPECT_GE(source_models().size(), 6U);
  for (const std::string& model : source_models()) {
    for (const char* simulation : {", step_size = 0.01", ""}) {
      SCOPED_TRACE(model + simulation);
      const auto opened = open_text(pushed_by(model, simulation));
      ASSERT_TRUE(opened.built) << opened.all();
      const CoupledSystem& system = *opened.built->system;
      EXPECT_EQ(system.nodes[system.find_node("push").value()].step_s.value(), 1e-3);
    }
  }
}

TEST(Sources, ThatNobodyReadsAreSampledWithTheShortestStep) {
  std::string text = pushed_by("source.sine", "");
  text.resize(text.find("[[connection]]"));
  const auto opened = open_text(text);
  ASSERT_TRUE(opened.built) << opened.all();
  const CoupledSystem& system = *opened.built->system;
  EXPECT_EQ(system.nodes[system.find_node("push").value()].step_s.value(), 1e-3);
}

TEST(Sources, AloneNeedAStep) {
  std::string text = pushed_by("source.sine", "");
  text.resize(text.find("[[subsystem]]\nname = \"fast\""));
  const auto opened = open_text(text);
  EXPECT_FALSE(opened.built);
  EXPECT_NE(opened.all().find("There is no step_size for 'push'"), std::string::npos) << opened.all();
}

TEST(Sources, OnlyWhatIsNoSourceIsBlamedForAMissingStep) {
  std::string text = pushed_by("source.sine", "");
  text.erase(text.find("step_size = 0.1\n"), 16);
  const auto opened = open_text(text);
  EXPECT_FALSE(opened.built);
  EXPECT_NE(opened.all().find("There is no step_size for 'slow'"), std::string::npos) << opened.all();
}

// In steps of 1e-7 s from 1e9 s on, 101 points had 85 times.
TEST(Times, ThatCannotBeToldApartAreRefused) {
  const auto run = [](const char* start, const char* stop, const char* step) {
    return open_text(
        fmt::format("[simulation]\nstart_time = {}\nstop_time = {}\nstep_size = {}\n"
                    "[[subsystem]]\nname = \"m\"\nmodel = \"oscillator.mass\"\n",
                    start, stop, step));
  };
  const auto refused = run("1e9", "1000000000.00001", "1e-7");
  EXPECT_FALSE(refused.built);
  EXPECT_NE(refused.all().find("cannot be distinguished"), std::string::npos) << refused.all();
  EXPECT_NE(refused.all().find("start_time = 0"), std::string::npos) << refused.all();
  const auto negative = run("-1e9", "-999999999.99999", "1e-7");
  EXPECT_FALSE(negative.built);
  // Doubles from 2²⁹ to 2³⁰ are 2⁻²³ s = 1.19e-7 s apart.
  const auto taken = run("1e9", "1000000000.0001", "1e-6");
  ASSERT_TRUE(taken.built) << taken.all();
  const TimeGrid& grid = taken.built->grid;
  for (Tick k = 0; k < grid.end(); ++k) EXPECT_LT(grid.time_s(k), grid.time_s(k + 1));
}

}  // namespace
}  // namespace ergon

// Equations in scenarios: the parameters that a text declares, matrices as lists, and where mistakes are shown.

#include <gtest/gtest.h>

#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using test::open_text;

constexpr const char* two_subsystems = R"(simulation = { stop_time = 1.0, step_size = 0.01 }
[[subsystem]]
name = "left"
model = "equations.expression"
parameters = { k = 40.0, equations = """
input F [N]
parameter m [kg] = 1, k [N/m] = 10
state x [m] = 0, x' = 1
m*x'' = F - k*x
output position = x
""" }
initial = { x = 0.1 }
[[subsystem]]
name = "right"
model = "equations.state_space"
parameters = { constants = "w = 3", A = [[0, 1], ["-w^2", 0]], B = [[0.0], [1.0]], C = [[1, 0]] }
[[connection]]
from = "right.y"
to = "left.F"
)";

const SubsystemEntry& entry_of(const Scenario& scenario, const std::string& name) {
  for (const SubsystemEntry& entry : scenario.subsystems) {
    if (entry.name.value == name) return entry;
  }
  throw std::out_of_range(name);
}

TEST(EquationScenarios, ParametersOfATextAreThoseOfTheSubsystem) {
  ScenarioOverrides overrides;
  overrides.settings = {"left.m=2.5", "left.der(x)=7", "right.w=4"};
  const auto opened = open_text(two_subsystems, overrides);
  ASSERT_TRUE(opened.built) << opened.all();
  const SubsystemEntry& left = entry_of(opened.scenario, "left");
  EXPECT_EQ(std::get<double>(left.parameters.at("m").value), 2.5);
  EXPECT_EQ(std::get<double>(left.initial.at("der(x)").value), 7.0);
  EXPECT_EQ(std::get<double>(entry_of(opened.scenario, "right").parameters.at("w").value), 4.0);
}

TEST(EquationScenarios, MatricesMayBeListsOfRows) {
  const auto opened = open_text(two_subsystems);
  ASSERT_TRUE(opened.built) << opened.all();
  EXPECT_EQ(std::get<std::string>(entry_of(opened.scenario, "right").parameters.at("A").value),
            "0, 1; -w^2, 0");
}

TEST(EquationScenarios, AResolvedScenarioIsReadAgain) {
  const auto opened = open_text(two_subsystems);
  const std::string resolved = resolved_toml(opened.scenario, "test");
  const auto again = open_text(resolved);
  ASSERT_TRUE(again.built) << again.all();
  EXPECT_EQ(resolved_toml(again.scenario, "test"), resolved);
  EXPECT_EQ(std::get<double>(entry_of(again.scenario, "left").parameters.at("k").value), 40.0);
}

TEST(EquationScenarios, MistakesNameFileAndLine) {
  std::string text = two_subsystems;
  text.replace(text.find("F - k*x"), 7, "F - q*x");
  const auto opened = open_text(text);
  EXPECT_FALSE(opened.built);
  EXPECT_NE(opened.all().find("scenario.toml:9:13: error: 'left': 'q' is not defined."), std::string::npos)
      << opened.all();
  EXPECT_NE(opened.all().find("\n    m*x'' = F - q*x\n                ^"), std::string::npos) << opened.all();
}

TEST(EquationScenarios, UnknownParametersAreRefusedWithThoseOfTheText) {
  ScenarioOverrides overrides;
  overrides.settings = {"left.mm=2.5"};
  EXPECT_NE(open_text(two_subsystems, overrides).all().find("Did you mean 'm'?"), std::string::npos);
}

}  // namespace
}  // namespace ergon

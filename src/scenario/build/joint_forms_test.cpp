#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

/// A rod hung in the ground and another one below it. The line numbers are part of the tests.
const std::string form_rods = R"([simulation]
stop_time = 0.01
step_size = 1e-4

[[subsystem]]
name = "ground"
model = "multibody.ground"
parameters = { markers = "origin", marker_positions = [0, 0, 0] }

[[subsystem]]
name = "rod1"
model = "multibody.rigid_body"
integrator = { method = "rk4" }
parameters = { markers = "top, bottom", marker_positions = [0, 0, 0.5, 0, 0, -0.5] }
initial = { position = [0, 0, -0.5] }

[[subsystem]]
name = "rod2"
model = "multibody.rigid_body"
integrator = { method = "rk4" }
parameters = { markers = "top", marker_positions = [0, 0, 0.5] }
initial = { position = [0, 0, -1.5] }

[[element]]
name = "hook"
joint = "spherical"
i = "rod1.top"
j = "ground.origin"
stiffness = 3000

[[element]]
name = "knee"
joint = "atpoint"
i = "rod1.bottom"
j = "rod2.top"
form = "force/displacement"
stiffness = 2e4
)";

std::vector<std::string> bond_names(const Opened& o) {
  std::vector<std::string> names;
  for (const PowerBond& bond : o.built->system->bonds) names.push_back(bond.name);
  return names;
}

/// Outputs that subsystems read (not elements), without pure geometry: what a scheme that solves for its coupling variables has as
/// unknowns.
std::size_t coupling_variables(const Opened& o) {
  std::set<Index> read;
  const CoupledSystem& system = *o.built->system;
  for (const auto& link : system.links) {
    if (!link || link->geometry || system.nodes[system.inputs[link->input].node].description->algebraic)
      continue;
    for (const LinkTerm& term : link->terms) read.insert(term.output);
  }
  return read.size();
}

struct FormCase {
  const char* joint;
  const char* form;
  std::vector<std::string> bonds;
  std::size_t unknowns;  ///< without the three of the hook
};
class JointFormsInScenarios : public ::testing::TestWithParam<FormCase> {};

// Unknowns in world vectors: points and velocities have 3, frames 6, angular velocities 3, wrenches 3 and 3 components.
TEST_P(JointFormsInScenarios, AreWired) {
  std::string text =
      with(form_rods, "form = \"force/displacement\"", std::string("form = \"") + GetParam().form + "\"");
  text = with(text, "joint = \"atpoint\"", std::string("joint = \"") + GetParam().joint + "\"");
  const Opened o = open_text(text);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_TRUE(o.problems.all().empty()) << o.all();
  EXPECT_EQ(bond_names(o), GetParam().bonds);
  EXPECT_EQ(coupling_variables(o), 3 + GetParam().unknowns);

  const std::string resolved = resolved_toml(o.scenario, "1");
  const Opened again = open_text(resolved);
  ASSERT_TRUE(again.built) << again.all() << resolved;
  EXPECT_EQ(resolved_toml(again.scenario, "1"), resolved);
  EXPECT_EQ(bond_names(again), GetParam().bonds);
}

INSTANTIATE_TEST_SUITE_P(
    All, JointFormsInScenarios,
    ::testing::Values(FormCase{"atpoint", "force/force", {"hook.i", "knee.i", "knee.j"}, 3},
                      FormCase{"atpoint", "force/displacement", {"hook.i", "knee"}, 9},
                      FormCase{"atpoint", "displacement/force", {"hook.i", "knee"}, 9},
                      FormCase{"atpoint", "displacement/displacement", {"hook.i", "knee.i", "knee.j"}, 12},
                      FormCase{"atpoint", "multiplier", {"hook.i", "knee.i", "knee.j"}, 3},
                      FormCase{"inplane", "force/force", {"hook.i", "knee.i", "knee.j"}, 6},
                      FormCase{"inplane", "force/displacement", {"hook.i", "knee"}, 9},
                      FormCase{"inplane", "displacement/force", {"hook.i", "knee"}, 21},
                      FormCase{"inplane", "displacement/displacement", {"hook.i", "knee.i", "knee.j"}, 21},
                      FormCase{"inplane", "multiplier", {"hook.i", "knee.i", "knee.j"}, 1},
                      FormCase{"perpendicular", "force/force", {"hook.i", "knee.i", "knee.j"}, 3},
                      FormCase{"perpendicular", "force/displacement", {"hook.i", "knee"}, 12},
                      FormCase{
                          "perpendicular", "displacement/displacement", {"hook.i", "knee.i", "knee.j"}, 18},
                      FormCase{"perpendicular", "multiplier", {"hook.i", "knee.i", "knee.j"}, 1},
                      FormCase{"revolute", "force/force", {"hook.i", "knee.i", "knee.j"}, 6},
                      FormCase{"revolute", "multiplier", {"hook.i", "knee.i", "knee.j"}, 5},
                      FormCase{"bushing", "displacement/force", {"hook.i", "knee"}, 21}),
    [](const auto& test) {
      std::string name = std::string(test.param.joint) + "_" + test.param.form;
      std::replace(name.begin(), name.end(), '/', '_');
      return name;
    });

TEST(JointFormsInScenarios, ABodyMayKnowWhereTheGroundIs) {
  const Opened o =
      open_text(with(form_rods, "stiffness = 3000", "stiffness = 3000\nform = \"displacement/force\""));
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_TRUE(o.problems.all().empty()) << o.all();
  EXPECT_EQ(bond_names(o), (std::vector<std::string>{"knee"}));
}

TEST(JointFormsInScenarios, CanBeChosenOnTheCommandLine) {
  const Opened o = open_text(form_rods, std::vector<std::string>{"knee.form=displacement/displacement"});
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(bond_names(o), (std::vector<std::string>{"hook.i", "knee.i", "knee.j"}));
  EXPECT_TRUE(o.built->system->bonds[1].observed_only);
}

class JointFormMistakes : public ::testing::TestWithParam<FileMistake> {};

TEST_P(JointFormMistakes, AreFoundInTheirLine) {
  expect_found_in_its_line(form_rods, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    All, JointFormMistakes,
    ::testing::Values(
        FileMistake{"slip", "form = \"force/displacement\"", "form = \"force/displacment\"", 36,
                    "Did you mean 'force/displacement'"},
        FileMistake{"hermite", "form = \"force/displacement\"",
                    "form = \"displacement/displacement-hermite\"", 36, "not available"},
        FileMistake{"ground", "j = \"rod2.top\"", "j = \"ground.origin\"", 35,
                    "'ground' cannot evaluate the law of 'knee', which form = "
                    "\"force/displacement\" requires. Use form = \"displacement/force\""},
        FileMistake{"itself", "j = \"rod2.top\"", "j = \"rod1.top\"", 31, "joins a body with itself"},
        FileMistake{"evaluate", "stiffness = 2e4", "evaluate = \"receiver\"", 37,
                    "its law is evaluated inside a body"},
        FileMistake{"negative", "stiffness = 2e4", "stiffness = -1.0", 31, "not positive semi-definite"},
        FileMistake{"marker", "markers = \"top\",", "markers = \"knee_partner\",", 35,
                    "'rod2' has no marker 'top'"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(JointFormsInScenarios, PortsOfAJointAndOfAMarkerAreNotMixedUp) {
  std::string text = with(form_rods, "markers = \"top\",", "markers = \"knee_partner\",");
  text = with(text, "j = \"rod2.top\"", "j = \"rod2.knee_partner\"");
  const Opened o = open_text(text);
  EXPECT_FALSE(o.built);
  EXPECT_NE(o.all().find("'rod2' has a marker 'knee_partner', whose ports are named as those of 'knee'"),
            std::string::npos)
      << o.all();
}

TEST(JointFormsInScenarios, ABushingHasNoMultipliers) {
  std::string text = with(form_rods, "joint = \"atpoint\"", "joint = \"bushing\"");
  text = with(text, "force/displacement", "multiplier");
  const Opened o = open_text(text);
  EXPECT_FALSE(o.built);
  EXPECT_NE(o.all().find("The law of 'knee' has no multipliers"), std::string::npos) << o.all();
}

}  // namespace
}  // namespace ergon::test

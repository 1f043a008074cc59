#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ergon/coupling/engine.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

/// The double pendulum of [schweizer2014, §4.2]. The line numbers are part of the tests.
const std::string pendulum = R"([simulation]
stop_time = 0.1
step_size = 1e-4

[[subsystem]]
name = "upper"
model = "multibody.planar_link"
integrator = { method = "rk4" }
parameters = { pinned = true, gravity = [0, -9.81], c = 500, d = 5, phi0 = 0.98 }
initial = { phi = 0.785398163397448 }

[[subsystem]]
name = "lower"
model = "multibody.planar_link"
integrator = { method = "rk4" }
parameters = { gravity = [0, -9.81] }
initial = { phi = -0.785398163397448, position = [1.0606601717798212, 0.3535533905932738] }

[[element]]
name = "elbow"
joint = "revolute"
i = "upper.end"
j = "lower.start"
stiffness = 1e5
damping = 100

[coupling]
extrapolation = "linear"
)";

/// Two rods in space: a universal joint between them, the upper one hung from the ground.
const std::string jointed_rods = R"([simulation]
stop_time = 0.01
step_size = 1e-4

[[subsystem]]
name = "ground"
model = "multibody.ground"
parameters = { markers = "origin", marker_positions = [0, 0, 0] }

[[subsystem]]
name = "rod1"
model = "multibody.rigid_body"
parameters = { J = [0.08, 0.08, 0.02], gravity = [0, 0, -9.81], markers = "top, bottom", marker_positions = [0, 0, 0.5, 0, 0, -0.5] }
initial = { position = [0, 0, -0.5] }

[[subsystem]]
name = "rod2"
model = "multibody.rigid_body"
parameters = { J = [0.08, 0.08, 0.02], gravity = [0, 0, -9.81], markers = "top", marker_positions = [0, 0, 0.5] }
initial = { position = [0, 0, -1.5] }

[[element]]
name = "hook"
joint = "spherical"
i = "rod1.top"
j = "ground.origin"
stiffness = 3000
damping = 20

[[element]]
name = "knee"
joint = "universal"
i = "rod1.bottom"
j = "rod2.top"
stiffness = 2e4
damping = 60
parameters = { rotation_stiffness = 200, rotation_damping = 2 }
)";

double output(const Opened& opened, const Engine& engine, const std::string& node, const std::string& port) {
  const CoupledSystem& system = *opened.built->system;
  for (Index i = 0; i < system.outputs.size(); ++i) {
    if (system.outputs[i].text == node + "." + port) return engine.record().output(i);
  }
  ADD_FAILURE() << node << '.' << port;
  return 0.0;
}

TEST(Joints, ADoublePendulumHoldsTogether) {
  Opened o = open_text(pendulum);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_TRUE(o.problems.all().empty()) << o.all();
  ASSERT_EQ(o.built->system->bonds.size(), 2U);
  EXPECT_EQ(o.built->system->bonds[0].name, "elbow.i");
  const auto made = Engine::make(*o.built->system, o.built->grid, o.built->coupling, o.problems);
  if (!made) throw InputError(o.problems);
  Engine& engine = *made;
  ASSERT_FALSE(engine.initialize(o.problems)) << o.all();
  while (!engine.done()) ASSERT_FALSE(engine.advance());
  for (const char* component : {"[0]", "[1]"}) {
    EXPECT_NEAR(output(o, engine, "upper", std::string("end_position") + component),
                output(o, engine, "lower", std::string("start_position") + component), 2e-3);
  }
  EXPECT_GT(std::abs(output(o, engine, "lower", "angle") + 0.785398163397448), 0.01);
}

TEST(Joints, AreWiredByTheirMarkers) {
  Opened o = open_text(jointed_rods);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_TRUE(o.problems.all().empty()) << o.all();
  // The ground takes no wrench, so there is no bond at that end.
  std::vector<std::string> names;
  for (const PowerBond& bond : o.built->system->bonds) names.push_back(bond.name);
  EXPECT_EQ(names, (std::vector<std::string>{"hook.i", "knee.i", "knee.j"}));
  EXPECT_EQ(o.built->system->bonds[1].components.size(), 6U);

  const std::string resolved = resolved_toml(o.scenario, "1");
  const Opened again = open_text(resolved);
  ASSERT_TRUE(again.built) << again.all() << resolved;
  EXPECT_EQ(resolved_toml(again.scenario, "1"), resolved);
}

TEST(Joints, TheirSettingsCanBeOverridden) {
  const Opened o =
      open_text(jointed_rods, {"knee.stiffness=5e4", "knee.rotation_stiffness=7", "hook.j=ground.origin"});
  ASSERT_TRUE(o.built) << o.all();
  const GivenParameters& given = o.scenario.elements[1].parameters;
  EXPECT_EQ(std::get<double>(given.at("stiffness").value), 5e4);
  EXPECT_EQ(std::get<double>(given.at("rotation_stiffness").value), 7.0);
}

class JointMistakes : public ::testing::TestWithParam<FileMistake> {};

TEST_P(JointMistakes, AreFoundInTheirLine) {
  expect_found_in_its_line(pendulum, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    All, JointMistakes,
    ::testing::Values(
        FileMistake{"kind", "\"revolute\"", "\"revolut\"", 21, "Did you mean 'revolute'"},
        FileMistake{"marker", "upper.end", "upper.ende", 22,
                    "'upper' has no marker 'ende'. Did you mean 'end'"},
        FileMistake{"no marker", "upper.end", "upper", 22, "Write 'upper.start', for example"},
        FileMistake{"body", "upper.end", "uper.end", 22, "there is no subsystem or element 'uper'"},
        FileMistake{"end", "j = \"lower.start\"", "evaluate = \"sources\"", 19, "has no 'j'. Name a marker"},
        FileMistake{"not in the plane", "\"revolute\"", "\"universal\"", 19,
                    "makes no sense between bodies in the plane"},
        FileMistake{"law and joint", "damping = 100", "law = \"gain\"", 25, "both 'joint' and 'law'"},
        FileMistake{"twice", "damping = 100", "parameters = { stiffness = 1 }", 24,
                    "here and in 'parameters'"},
        FileMistake{"matrix", "stiffness = 1e5", "stiffness = [1, 2, 3, 4]", 19, "not symmetric"}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

}  // namespace
}  // namespace ergon::test

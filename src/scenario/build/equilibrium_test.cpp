// [initialization] mode = "static": equilibria with known solutions, and what can be wrong with them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ergon/coupling/engine.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

/// Two masses on springs, coupled by a third; a force pushes at the second. The line numbers are part of the tests.
const std::string pushed = R"([simulation]
stop_time = 0.2
step_size = 1e-3

[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { m = 1.0, k = 10.0, kc = 100.0 }

[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { m = 2.0, k = 1000.0 }
initial = { external_force = 50.0 }

[[bond]]
name = "spring"
a = { effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }

[initialization]
mode = "static"
free = ["left.x", "right.x"]
hold = ["right.external_force"]
)";

/// A scenario, opened and initialised.
class Started {
 public:
  explicit Started(const std::string& text) : opened_(open_text(text)) {
    if (!opened_.built) return;
    engine_ =
        Engine::make(*opened_.built->system, opened_.built->grid, opened_.built->coupling, opened_.problems);
    if (!opened_.problems.has_errors()) engine_->initialize(opened_.problems);
  }
  [[nodiscard]] std::string all() const { return opened_.all(); }
  [[nodiscard]] bool good() const { return engine_ && !opened_.problems.has_errors(); }
  [[nodiscard]] double output(const std::string& name) const {
    return engine_->record().output(opened_.built->system->find_output(name).value());
  }
  [[nodiscard]] double input(const std::string& name) const {
    return engine_->record().applied_input(opened_.built->system->find_input(name).value());
  }
  Engine& engine() { return *engine_; }

 private:
  Opened opened_;
  std::unique_ptr<Engine> engine_;
};

// 110 x₁ − 100 x₂ = 0,  1100 x₂ − 100 x₁ = 50
TEST(StaticEquilibrium, CoupledSpringsRestWhereForcesBalance) {
  Started run(pushed);
  ASSERT_TRUE(run.good()) << run.all();
  const double x2 = 50.0 / (1100.0 - 1e4 / 110.0);
  EXPECT_NEAR(run.output("right.position"), x2, 1e-14);
  EXPECT_NEAR(run.output("left.position"), x2 / 1.1, 1e-14);
  EXPECT_NE(run.all().find("note: Static equilibrium: left.x = "), std::string::npos) << run.all();
  while (!run.engine().done()) ASSERT_FALSE(run.engine().advance());
  EXPECT_NEAR(run.output("right.position"), x2, 1e-13) << "at rest";
}

// The other way round: which force holds the second mass at 0.1 m?
TEST(StaticEquilibrium, AnInputMayBeFree) {
  std::string text =
      with(pushed, "free = [\"left.x\", \"right.x\"]", "free = [\"left.x\", \"right.external_force\"]");
  text = with(text, "hold = [\"right.external_force\"]", "hold = [\"right.x\"]");
  Started run(with(text, "external_force = 50.0", "x = 0.1"));
  ASSERT_TRUE(run.good()) << run.all();
  EXPECT_NEAR(run.input("right.external_force"), 0.1 * (1100.0 - 1e4 / 110.0), 1e-11);
  while (!run.engine().done()) ASSERT_FALSE(run.engine().advance());
  EXPECT_NEAR(run.output("right.position"), 0.1, 1e-13) << "the force stays";
}

// Nonlinear: F = k √|x| sgn x, so x = (50/1000)².
TEST(StaticEquilibrium, NonlinearSpringsToo) {
  Started run(R"(simulation = { stop_time = 0.01, step_size = 1e-3 }
initialization = { mode = "static", free = "right.x" }
[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { k = 1000.0, spring = "square-root" }
initial = { x = 0.1, external_force = 50.0 }
)");
  ASSERT_TRUE(run.good()) << run.all();
  EXPECT_NEAR(run.output("right.position"), 0.0025, 1e-12);
}

// A link hung at a torsional spring by joints: bodies, elements and four unknowns, of which two angles are known:
// the lower link hangs straight down, and c (φ − φ₀) = −(m₁/2 + m₂) g l cos φ for the upper one.
TEST(StaticEquilibrium, JointsAndBodies) {
  Started run(R"(simulation = { stop_time = 0.01, step_size = 1e-4 }
[[subsystem]]
name = "upper"
model = "multibody.planar_link"
parameters = { pinned = true, gravity = [0, -9.81], c = 50, phi0 = 0.3 }
initial = { phi = 0.1 }
[[subsystem]]
name = "lower"
model = "multibody.planar_link"
parameters = { gravity = [0, -9.81] }
initial = { phi = -1.4, position = [1.1, -0.4] }
[[element]]
name = "elbow"
joint = "revolute"
i = "upper.end"
j = "lower.start"
stiffness = 1e5
damping = 100
[initialization]
mode = "static"
free = ["upper.phi", "lower.phi", "lower.position[0]", "lower.position[1]"]
)");
  ASSERT_TRUE(run.good()) << run.all();
  const double phi = run.output("upper.angle");
  EXPECT_NEAR(50.0 * (phi - 0.3), -1.5 * 9.81 * std::cos(phi), 1e-9);
  EXPECT_NEAR(run.output("lower.angle"), -std::acos(-1.0) / 2.0, 1e-9);
  // The joint's spring gives by the weight of the lower link.
  EXPECT_NEAR(run.output("lower.position[1]"), std::sin(phi) - 0.5 - 9.81 / 1e5, 1e-9);
}

// Points with constraints between them: all four coordinates are found, with the links as long as they are. Link 2 hangs straight
// down, and the moments about the base of link 1 balance. What is held off the constraints is not an equilibrium.
class ConstrainedEquilibrium : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::string crane(const std::string& free) const {
    return fmt::format(R"(simulation = {{ stop_time = 0.01, step_size = 1e-3 }}
[[subsystem]]
name = "crane"
model = "multibody.natural_crane"
integrator = {{ method = "{}" }}
parameters = {{ l1 = 1.0, l2 = 0.5, m1 = 20.0, m2 = 10.0, m3 = 5.0, base = [0.5, -0.5], attachment = 0.5, gravity = 9.81 }}
initial = {{ theta1 = 0.8, theta2 = -1.4, force = 400.0 }}
[initialization]
mode = "static"
free = {}
)",
                       GetParam(), free);
  }
};

TEST_P(ConstrainedEquilibrium, MeetsTheConstraints) {
  Started run(crane(R"(["crane.joint[0]", "crane.joint[1]", "crane.tip[0]", "crane.tip[1]"])"));
  ASSERT_TRUE(run.good()) << run.all();
  const double x = run.output("crane.joint[0]"), y = run.output("crane.joint[1]");
  EXPECT_NEAR(std::hypot(x, y), 1.0, 1e-9);
  EXPECT_NEAR(run.output("crane.tip[0]"), x, 1e-9);
  EXPECT_NEAR(run.output("crane.tip[1]"), y - 0.5, 1e-9);
  const double px = 0.5 * x - 0.5,
               py = 0.5 * y + 0.5;  // of the actuator, from its base to the middle of link 1
  const double moment = 400.0 * (0.5 * x * py - 0.5 * y * px) / std::hypot(px, py);
  EXPECT_NEAR(moment, (0.5 * 20.0 + 10.0 + 5.0) * 9.81 * x, 1e-5);
}

TEST_P(ConstrainedEquilibrium, IsNotFoundOffTheConstraints) {
  const Started run(crane(R"(["crane.joint[0]", "crane.tip[0]"])"));
  EXPECT_FALSE(run.good());
  EXPECT_NE(run.all().find("not a static equilibrium"), std::string::npos) << run.all();
}

INSTANTIATE_TEST_SUITE_P(Formulations, ConstrainedEquilibrium,
                         testing::Values("semi-implicit-euler", "newmark"), [](const auto& test) {
                           return std::string(test.param).substr(0, 4) == "semi" ? "acceleration" : "index3";
                         });

TEST(StaticEquilibrium, MayBeAtZero) {
  Started run(R"(simulation = { stop_time = 0.01, step_size = 1e-3 }
[[subsystem]]
name = "mass"
model = "oscillator.mass"
parameters = { m = 2.0, k = 700.0 }
initial = { x = 0.1, external_force = 0.0 }
[initialization]
mode = "static"
free = "mass.x"
)");
  ASSERT_TRUE(run.good()) << run.all();
  EXPECT_NEAR(run.output("mass.position"), 0.0, 1e-9);
}

TEST(StaticEquilibrium, IsPartOfTheResolvedScenario) {
  const Opened opened = open_text(pushed);
  const std::string text = resolved_toml(opened.scenario, "0");
  EXPECT_NE(
      text.find("free = [ \"left.x\", \"right.x\" ]\nhold = [ \"right.external_force\" ]\nmode = \"static\""),
      std::string::npos)
      << text;
}

// ── What can be wrong ───────────────────────────────────────────────────────────────────────────────────────

struct Wrong {
  std::string name, from, to, message;
};
void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongEquilibrium : public testing::TestWithParam<Wrong> {};

TEST_P(WrongEquilibrium, IsRefusedWithLineAndRemedy) {
  const Started run(with(pushed, GetParam().from, GetParam().to));
  EXPECT_FALSE(run.good());
  EXPECT_NE(run.all().find(GetParam().message), std::string::npos) << run.all();
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongEquilibrium,
    testing::Values(Wrong{"MisspeltState", "\"right.x\"", "\"right.y\"",
                          ":23:19: error: [initialization] names 'right.y'"},
                    Wrong{"NearestName", "\"right.x\"", "\"rigth.x\"", "'right.x'"},
                    Wrong{"ConnectedInput", "\"right.x\"", "\"right.force\"",
                          "an input that something is connected to"},
                    Wrong{"Twice", "hold = [\"right.external_force\"]", "hold = [\"right.x\"]",
                          ":24:9: error: [initialization] names 'right.x' twice"},
                    Wrong{"TooManyFree", "free = [\"left.x\", \"right.x\"]",
                          "free = [\"left.x\", \"right.x\", \"left.external_force\"]",
                          "3 free quantities, 'left.x', 'right.x', 'left.external_force', but only 2 "
                          "independent equations"},
                    Wrong{"TooFewFree", "free = [\"left.x\", \"right.x\"]", "free = [\"left.x\"]",
                          "whatever the free quantities are: right.v changes by 25 per second"},
                    Wrong{"NothingFree", "free = [\"left.x\", \"right.x\"]", "free = []",
                          "is not a static equilibrium: right.v"},
                    Wrong{"MovingStart", "initial = { external_force = 50.0 }",
                          "initial = { external_force = 50.0, v = 1.0 }", "right.x changes by 1 per second"},
                    Wrong{"NoFree", "free = [\"left.x\", \"right.x\"]\n", "", "'free'"},
                    Wrong{"NoMode", "mode = \"static\"\n", "", "'mode'"},
                    Wrong{"OtherMode", "mode = \"static\"", "mode = \"given\"",
                          ":23:8: error: 'free' in [initialization] means nothing with mode = \"given\""},
                    Wrong{"UnknownMode", "mode = \"static\"", "mode = \"statik\"", ":22:8: error: "},
                    Wrong{"UnknownKey", "hold =", "held =", ":24:1: error: "},
                    Wrong{"WrongType", "free = [\"left.x\", \"right.x\"]", "free = 3", ":23:8: error: "}),
    [](const auto& test) { return test.param.name; });

// A piston that moves faster than its valve can fill: no pressure keeps still.
TEST(StaticEquilibrium, SaysWhenThereIsNone) {
  const Started run(R"(simulation = { stop_time = 0.01, step_size = 1e-4 }
[[subsystem]]
name = "cylinder"
model = "hydraulics.cylinder"
initial = { velocity_in = 2.0, p1 = 3e6, p2 = 3e6 }
[initialization]
mode = "static"
free = ["cylinder.p1", "cylinder.p2"]
)");
  EXPECT_FALSE(run.good());
  EXPECT_NE(run.all().find(":7:8: error: No static equilibrium was found after"), std::string::npos)
      << run.all();
  EXPECT_NE(run.all().find("Last: cylinder.p1 = "), std::string::npos) << run.all();
}

}  // namespace
}  // namespace ergon::test

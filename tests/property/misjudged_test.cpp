// Runs that were once misjudged, each by its name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/judged_runs.hpp"

namespace ergon::bench {
namespace {

// "within 0.11 %", and off by more than twice the motion.
TEST(Misjudged, APreloadedPair) {
  Network n = pair();
  n.masses[0].rest = 1e5 / n.masses[0].k;
  n.springs[0].rest = -1e5 / n.springs[0].k;
  n.masses[1].rest = -1e5 / n.masses[1].k;
  const Summary s = judged(scenario_text(n, steps(0.03, 600)));
  EXPECT_EQ(s.verdict->energy, VerdictValue::unreliable);
  EXPECT_EQ(s.verdict->value, VerdictValue::unreliable);
}

TEST(Misjudged, TwoCartsAtThirtyMetresPerSecond) {
  Network n = pair();
  for (Network::Mass& m : n.masses) {
    m.k = 0.0;
    m.v += 30.0;
  }
  const Summary s = judged(scenario_text(n, steps(0.02, 600)));
  EXPECT_EQ(s.verdict->energy, VerdictValue::unreliable);
  EXPECT_EQ(s.verdict->value, VerdictValue::unreliable);
}

// It is the light one that gets the late force: −k_c·H = −0.002 N s/m on 1 g, and its motion grows e-fold in a second. The heavy one has
// all of the energy, and hides that from the books.
TEST(Misjudged, ALightMassOnAHeavyOne) {
  Network n = pair();
  n.masses[0] = {1e3, 4e4, 0.0, 0.0, 0.0, 0.0, 1.0};
  n.masses[1] = {1e-3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5};
  n.springs[0].k = 1.0;
  const NetworkSetup s = steps(2e-3, 1500);
  EXPECT_EQ(judged(scenario_text(n, s)).verdict->value, VerdictValue::unreliable);
  EXPECT_EQ(judged(scenario_text(n, s), MotionCheck::off).verdict->value, VerdictValue::consistent);
}

// "10000 J at the start, 2.5e13 J at the end, 0 J dissipated", and reliable.
TEST(Misjudged, ElementsAtTheReceiverWithExplicitEuler) {
  NetworkSetup s = steps(0.01, 1000);
  s.arrangement = Arrangement::element_at_receiver;
  s.integrator = "explicit-euler";
  const Summary off = judged(scenario_text(pair(), s), MotionCheck::off);
  EXPECT_EQ(off.verdict->value, VerdictValue::unreliable);
}

TEST(Misjudged, PowerThroughPlainConnections) {
  Network n = pair();
  n.masses.push_back({1.0, 30.0, 0.0, 0.0, 0.0, 0.0, 0.0});
  n.springs.push_back({200.0, 0.0, 0.0});
  for (const double H_s : {1e-3, 0.03}) {
    NetworkSetup s = steps(H_s, 600, "refresh");
    s.arrangement = Arrangement::partly_bonded;
    const Summary off = judged(scenario_text(n, s), MotionCheck::off);
    EXPECT_GE(severity(off.verdict->value), severity(VerdictValue::doubtful)) << H_s;
    EXPECT_NE(find(*off.verdict, ReasonKind::unwatched_input), nullptr);
    EXPECT_EQ(judged(scenario_text(n, s)).verdict->value,
              H_s < 0.01 ? VerdictValue::reliable : VerdictValue::unreliable);
  }
}

const char* const driven_mass = R"(
simulation = { stop_time = 5.0, step_size = 1e-3 }
subsystem = [
  { name = "drive", model = "source.sine", parameters = { amplitude = 20.0, frequency_Hz = 0.5, unit = "N" } },
  { name = "cart", model = "oscillator.force_output", parameters = { m = 2.0, kc = 400.0, cc = 2.0 } },
  { name = "load", model = "oscillator.mass", step_size = 2e-4, parameters = { m = 0.5, k = 100.0, c = 0.5 } } ]
connection = [ { from = "drive.value", to = "cart.external_force" } ]
[[bond]]
name = "spring"
a = { effort = "cart.force", flow = "cart.velocity_in", displacement = "cart.position_in" }
b = { effort = "load.force", flow = "load.velocity", displacement = "load.position" }
)";

TEST(Misjudged, ASourceThatIsSampledTwiceInASecond) {
  EXPECT_EQ(judged(driven_mass).verdict->value, VerdictValue::reliable);
  const std::vector<std::string> rare = {"drive.step_size=0.5"};
  const Summary off = judged(driven_mass, MotionCheck::off, rare);
  EXPECT_EQ(off.verdict->value, VerdictValue::doubtful);
  const VerdictReason* reason = find(*off.verdict, ReasonKind::source_sampling);
  ASSERT_NE(reason, nullptr);
  EXPECT_EQ(reason->subsystems, std::vector<std::string>{"drive"});
  EXPECT_EQ(judged(driven_mass, MotionCheck::automatic, rare).verdict->value, VerdictValue::unreliable);
}

// Without a step of its own it has that of who listens, whatever the default is.
TEST(Sources, AreSampledForTheirReceivers) {
  const Text file(driven_mass);
  const auto step_of = [&](const std::vector<std::string>& settings) {
    Simulation simulation(file.path(), settings);
    for (const Node& node : simulation.system().nodes) {
      if (node.name == "drive") return node.step_s.value();
    }
    return 0.0;
  };
  EXPECT_EQ(step_of({}), 1e-3);
  EXPECT_EQ(step_of({"cart.step_size=1e-4"}), 1e-4);
  EXPECT_EQ(step_of({"cart.step_size=1e-4", "drive.step_size=5e-3"}), 5e-3);
}

// A spring whose forces act the wrong way round.
TEST(Misjudged, AnElementThatGivesEnergy) {
  const std::string text = R"(
simulation = { stop_time = 2.0, step_size = 1e-3 }
subsystem = [
  { name = "left", model = "oscillator.mass", parameters = { m = 1.0, k = 400.0 }, initial = { x = 0.1 } },
  { name = "right", model = "oscillator.mass", parameters = { m = 1.0, k = 400.0 } } ]
[[element]]
name = "damper"
law = "spring-damper"
parameters = { c = 2.0 }
[[bond]]
name = "i"
a = { effort = "damper.force_j", flow = "damper.velocity_i", displacement = "damper.position_i" }
b = { effort = "left.force", flow = "left.velocity", displacement = "left.position" }
[[bond]]
name = "j"
a = { effort = "damper.force_i", flow = "damper.velocity_j", displacement = "damper.position_j" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }
)";
  const Summary s = judged(text);
  EXPECT_NE(find(*s.verdict, ReasonKind::element_gives), nullptr);
  EXPECT_EQ(s.verdict->value, VerdictValue::unreliable);
}

// A motor whose bond pushes where it should brake. Its motion converges, to what no machine does: an energy that is as wrong at half
// the step size is no matter of steps.
TEST(Misjudged, AGyratorWithTheWrongSign) {
  const auto motor = [](int sign) {
    return judged(fmt::format(R"(
simulation = {{ stop_time = 0.5, step_size = 2.5e-4 }}
coupling = {{ extrapolation = "linear" }}
[[subsystem]]
name = "coil"
model = "electric.rlc_series"
integrator = {{ method = "rk4" }}
parameters = {{ L = 0.05, R = 0.5, C = 0.02 }}
initial = {{ current = 1.0 }}
[[subsystem]]
name = "mass"
model = "oscillator.mass"
integrator = {{ method = "rk4" }}
parameters = {{ m = 0.5, k = 200.0, c = 1.0 }}
[[bond]]
name = "motor"
kind = "gyrator"
ratio = "3 N/A"
a = {{ effort = "coil.voltage", flow = "coil.current" }}
b = {{ effort = "mass.force", flow = "mass.velocity" }}
effort_sign = {}
)",
                              sign));
  };
  const Summary right = motor(-1);
  EXPECT_EQ(right.verdict->value, VerdictValue::reliable) << right.verdict->reasons.front().what;
  const Summary wrong = motor(1);
  EXPECT_EQ(wrong.motion.value, VerdictValue::reliable) << "it converges";
  EXPECT_GE(severity(wrong.verdict->value), severity(VerdictValue::doubtful));
  EXPECT_NE(wrong.verdict->advice.find("sign"), std::string::npos) << wrong.verdict->advice;
}

// The bond creates the energy, and integration takes some of it away until the end.
TEST(Misjudged, TheCulpritIsWhoeverDidItThen) {
  const Summary s = judged(scenario_text(pair(), steps(0.02, 600)), MotionCheck::off);
  const VerdictReason* reason = find(*s.verdict, ReasonKind::energy_balance);
  ASSERT_NE(reason, nullptr);
  EXPECT_EQ(reason->bond, "bond0") << reason->what;
}

TEST(Misjudged, AnOverdampedPairIsNoAlarm) {
  Network n = pair();
  for (Network::Mass& m : n.masses) {
    m.c = 200.0;
    m.v = 0.0;
  }
  n.springs[0].c = 50.0;
  const Summary off = judged(scenario_text(n, steps(1e-3, 2000, "refresh")), MotionCheck::off);
  EXPECT_EQ(off.verdict->value, VerdictValue::consistent) << off.verdict->reasons.front().what;
}

// A correction that does a good part of the work puts the energy right, not the motion.
TEST(Misjudged, ACorrectionThatWorksHardIsNotConsistent) {
  NetworkSetup s = steps(0.02, 600);
  s.correction = "{ method = \"passivity\" }";
  const Summary off = judged(scenario_text(pair(), s), MotionCheck::off);
  EXPECT_GE(severity(off.verdict->value), severity(VerdictValue::doubtful));
}

// ── The origin of potential energy ──

/// Two links with a flexible joint that fall freely, thrown into a turn: one and the same motion at any height.
std::string falling(double height_m, double H_s) {
  return fmt::format(R"(simulation = {{ stop_time = 0.6, step_size = {0} }}
[[subsystem]]
name = "upper"
model = "multibody.planar_link"
parameters = {{ m = 1.0, J = 0.0833, length = 1.0, gravity = [0.0, -9.81] }}
initial = {{ phi = 0.0, position = [0.5, {1}], omega = 3.0 }}
[[subsystem]]
name = "lower"
model = "multibody.planar_link"
parameters = {{ m = 2.0, J = 0.1667, length = 1.0, gravity = [0.0, -9.81] }}
initial = {{ phi = 0.0, position = [1.5, {1}] }}
[[element]]
name = "elbow"
joint = "revolute"
i = "upper.end"
j = "lower.start"
stiffness = 500.0
damping = 1.0
)",
                     H_s, height_m);
}

TEST(Misjudged, AFallFromAnyHeight) {
  for (const double H_s : {1e-3, 2e-2}) {
    const Summary low = judged(falling(0.0, H_s));
    const Summary high = judged(falling(10.0, H_s));
    EXPECT_EQ(low.verdict->value, high.verdict->value) << H_s;
    EXPECT_EQ(low.verdict->energy, high.verdict->energy) << H_s;
    EXPECT_NEAR(low.motion.ratio, high.motion.ratio, 1e-3 * low.motion.ratio);
  }
  EXPECT_EQ(judged(falling(10.0, 1e-3)).verdict->value, VerdictValue::reliable);
}

// ── Sources ──

std::string circuit(double frequency_Hz, double phase_rad, const char* step_size) {
  return fmt::format(R"(simulation = {{ stop_time = 6.0, step_size = 1e-3 }}
subsystem = [
  {{ name = "wave", model = "source.sine", {}parameters = {{ amplitude = 10.0, frequency_Hz = {}, phase_rad = {}, unit = "V" }} }},
  {{ name = "line", model = "electric.rlc_series", integrator = {{ method = "rk4" }}, parameters = {{ R = 0.5, L = 0.2, C = 0.1 }} }},
  {{ name = "load", model = "electric.rlc_parallel", integrator = {{ method = "rk4" }}, parameters = {{ R = 10.0, L = 1.0, C = 0.02 }} }} ]
connection = [ {{ from = "wave.value", to = "line.external_voltage" }} ]
[[bond]]
name = "terminals"
a = {{ effort = "load.voltage", flow = "load.current" }}
b = {{ effort = "line.voltage", flow = "line.current" }}
)",
                     step_size, frequency_Hz, phase_rad);
}

TEST(Misjudged, ASourceThatIsSampledOnceASecondInACircuit) {
  EXPECT_EQ(judged(circuit(0.9, 0.0, "")).verdict->value, VerdictValue::reliable);
  EXPECT_EQ(judged(circuit(0.9, 0.0, "step_size = 1.0, "), MotionCheck::off).verdict->value,
            VerdictValue::doubtful);
  EXPECT_EQ(judged(circuit(0.9, 0.0, "step_size = 1.0, ")).verdict->value, VerdictValue::unreliable);
}

// Two periods between its samples: the same constant at half, once and twice the steps, so that no companion sees it.
TEST(Misjudged, ASourceThatLooksConstantAtAllSteps) {
  const Summary s = judged(circuit(2.0, 0.5 * std::numbers::pi, "step_size = 1.0, "));
  EXPECT_EQ(s.motion.value, VerdictValue::reliable) << "they agree";
  EXPECT_EQ(s.verdict->value, VerdictValue::doubtful);
  EXPECT_NE(s.verdict->advice.find("--set wave.step_size="), std::string::npos) << s.verdict->advice;
}

// ── Damping, sampling ──

// It swings up as it should, and what the coupling adds swings up with it.
TEST(Misjudged, NegativeDamping) {
  Network n = pair();
  for (Network::Mass& m : n.masses) m.c = -0.3;
  EXPECT_EQ(judged(scenario_text(n, steps(1e-3, 4000, "refresh"))).verdict->value, VerdictValue::reliable);
  EXPECT_EQ(judged(scenario_text(n, steps(1e-3, 4000, "refresh")), MotionCheck::off).verdict->value,
            VerdictValue::consistent);
  const Summary late = judged(scenario_text(n, steps(0.02, 200)), MotionCheck::off);
  EXPECT_EQ(late.verdict->value, VerdictValue::unreliable);
}

// Leapfrog has the energy of a neighbouring problem right at any stable step; at six samples a period the frequency is off by 5 %.
TEST(Misjudged, FewSamplesInAPeriod) {
  Network n = pair();
  const double H_s = rounded(2.0 * std::numbers::pi / n.fastest() / 6.0);
  const Summary off = judged(scenario_text(n, steps(H_s, 400, "refresh")), MotionCheck::off);
  EXPECT_GE(severity(off.verdict->value), severity(VerdictValue::doubtful));
  EXPECT_NE(find(*off.verdict, ReasonKind::too_few_samples), nullptr);
  EXPECT_GE(severity(judged(scenario_text(n, steps(H_s, 400, "refresh"))).verdict->value),
            severity(VerdictValue::doubtful));
}

// ── False alarms ──

// All its energy is what it falls by: none at the start.
TEST(Misjudged, ACableHangingFromRestIsNoAlarm) {
  const std::string text = R"(simulation = { stop_time = 1.0, step_size = 1e-3 }
subsystem = [
  { name = "body", model = "multibody.rigid_body", parameters = { m = 20.0, J = [2.0, 2.0, 2.0], gravity = [0.0, -9.81, 0.0] } },
  { name = "cable", model = "cable.ancf", integrator = { method = "semi-implicit-euler", step = 2.5e-4 }, parameters = { a = [0.0, 0.0, 0.0], b = [6.0, 0.0, 0.0], radius = 0.01, density = 2000.0, E = 2e7, elements = 2 } } ]
[[bond]]
name = "hook"
a = { effort = "cable.a_force", displacement = "cable.a_position" }
b = { effort = "body.force", flow = "body.velocity", displacement = "body.position" }
)";
  EXPECT_EQ(judged(text, MotionCheck::off).verdict->value, VerdictValue::consistent);
  EXPECT_EQ(judged(text).verdict->value, VerdictValue::reliable);
}

// Both ends hold the spring, and both have its energy in their books.
TEST(Misjudged, ABondThatIsObservedOnlyIsNoAlarm) {
  const std::string text = R"(simulation = { stop_time = 3.0, step_size = 1e-3 }
subsystem = [
  { name = "left", model = "oscillator.force_output", parameters = { m = 1.0, k = 10.0, kc = 100.0 }, initial = { v = 1.0 } },
  { name = "right", model = "oscillator.displacement_driven", parameters = { m = 1.0, k = 300.0, kc = 100.0 }, initial = { v = -1.0 } } ]
connection = [ { from = "left.position", to = "right.position_in" }, { from = "left.velocity", to = "right.velocity_in" } ]
[[bond]]
name = "spring"
a = { effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }
b = { flow = "right.velocity", displacement = "right.position" }
)";
  EXPECT_EQ(judged(text).verdict->value, VerdictValue::reliable);
  const Summary off = judged(text, MotionCheck::off);
  const VerdictReason* reason = find(*off.verdict, ReasonKind::not_monitored);
  ASSERT_NE(reason, nullptr);
  EXPECT_NE(reason->what.find("observed only"), std::string::npos) << reason->what;
  EXPECT_EQ(find(*off.verdict, ReasonKind::energy_balance), nullptr);
}

/// A motion of 1 m, and a second one that is held: 5 µm that depend on the step in all their digits.
class Holder final : public Subsystem {
 public:
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {{"nothing", Unit::of("m"), 1, "", 0.0, true}};
    d.outputs = {{"moved", Unit::of("m"), 1, ""}, {"held", Unit::of("m"), 1, ""}};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double t, double h, const InputView& /*u*/) override {
    held_ = 0.01 * h * std::sin(300.0 * t / h);
    return {};
  }
  void outputs(double t, const double* /*u*/, double* y) override {
    y[0] = std::sin(t);
    y[1] = held_;
  }

 private:
  double held_ = 0.0;
};

TEST(Misjudged, AVariableThatIsHeldBesideAMotionIsNoAlarm) {
  SimulationOptions options;
  options.stop_time_s = Rational(7, 1);
  options.check = MotionCheck::automatic;
  Simulation simulation(
      [] {
        SystemGraph graph;
        graph.add("arm", std::make_unique<Holder>(), Rational(1, 1000));
        return graph;
      },
      options);
  simulation.run();
  EXPECT_EQ(simulation.motion().value, VerdictValue::reliable) << motion_sentence(simulation.motion());
  for (const VariableMotion& v : simulation.motion().variables) {
    if (v.name == "arm.held") {
      EXPECT_GT(v.largest_error, 1e-6);
      EXPECT_NEAR(v.half_range, 0.01, 1e-4);
    }
  }
}

// ── Advice ──

// Explicit Euler makes the energy, at a bond that is so soft that it makes none: refreshing it would mend nothing.
TEST(Advice, DoesNotMendIntegrationByRefreshing) {
  Network n = pair();
  n.springs[0].k = 0.01;
  NetworkSetup s = steps(0.01, 600);
  s.integrator = "explicit-euler";
  const Summary wrong = judged(scenario_text(n, s));
  EXPECT_EQ(wrong.verdict->value, VerdictValue::unreliable);
  const VerdictReason* balance = find(*wrong.verdict, ReasonKind::energy_balance);
  ASSERT_NE(balance, nullptr);
  EXPECT_TRUE(balance->by_integration) << balance->what;
  EXPECT_EQ(wrong.verdict->advice.find("refresh"), std::string::npos) << wrong.verdict->advice;
  EXPECT_NE(wrong.verdict->advice.find("smaller steps"), std::string::npos) << wrong.verdict->advice;
}

// ── Step control, confirmed by a run at ten times its tolerance ──

std::string controlled(const char* method, double rtol) {
  NetworkSetup s = steps(0.005, 400, "");
  s.integrator = "rk4";
  if (std::string(method) == "milne") s.scheme = "semi-implicit";
  s.step_control = fmt::format("method = \"{}\"\nrtol = {}\nmax_step = 0.1", method, rtol);
  return scenario_text(pair(), s);
}

TEST(StepControl, IsReliableWhereTenTimesTheToleranceConfirmsIt) {
  for (const char* method : {"milne", "richardson"}) {
    const Summary fine = judged(controlled(method, 1e-4));
    EXPECT_EQ(fine.verdict->value, VerdictValue::reliable) << method << ": " << motion_sentence(fine.motion);
    EXPECT_NE(motion_sentence(fine.motion).find("ten times the tolerance"), std::string::npos);
    EXPECT_EQ(judged(controlled(method, 1e-4), MotionCheck::off).verdict->value, VerdictValue::consistent);
    const Summary coarse = judged(controlled(method, 0.3));
    EXPECT_GE(severity(coarse.verdict->value), severity(VerdictValue::doubtful)) << method;
  }
}

}  // namespace
}  // namespace ergon::bench

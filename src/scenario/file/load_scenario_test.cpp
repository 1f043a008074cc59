#include <gtest/gtest.h>

#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

TEST(LoadScenario, ReadsEveryKey) {
  const Opened o = open_text(R"([simulation]
start_time = 1
stop_time = "121/60"
step_size = "1/60"
threads = 2
on_unreliable = "stop"

[[subsystem]]
name = "m1"
model = "oscillator.mass"
integrator = { method = "cvode-bdf", step = 1e-2, rtol = 1e-8, atol = 1e-10 }
parameters = { m = 3, force_ports = 2, spring = "square-root" }
initial = { x = 0.5, v = -1.0 }
initial_history = { position = [0.4, 0.3] }

[[subsystem]]
name = "m2"
model = "oscillator.mass"
step_size = 0.01
integrator = { method = "rk4", step = "communication" }
initial = { external_force = 2.0 }

[[subsystem]]
name = "wave"
model = "source.sine"
parameters = { unit = "N" }

[[element]]
name = "kc"
law = "spring-damper"
ends = ["m1:force2", "m2"]
parameters = { k = 100.0, c = 0.0 }
form = "force/force"
evaluate = "receiver"

[[connection]]
from = ["wave.value"]
to = "m1.force1"
gain = 2.0
offset = 0.5
extrapolation = "cubic"

[initialization]
mode = "given"

[coupling]
scheme = "gauss-seidel"
order = ["m2", "m1", "wave"]
extrapolation = "quadratic"
feedthrough = "predict"
starter = "repeat"

[output]
variables = ["m?.position", "*"]
interval = 0.02
)");
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.problems.all().size(), 0U) << o.all();
  const CoupledSystem& system = *o.built->system;
  EXPECT_EQ(o.built->grid.time_s(o.built->grid.end()), 121.0 / 60.0);
  EXPECT_EQ(system.nodes[*system.find_node("m1")].step_s, Rational(1, 60));
  EXPECT_EQ(system.nodes[*system.find_node("m2")].step_s, Rational(1, 100));
  EXPECT_EQ(system.nodes[*system.find_node("kc")].evaluate, EvaluateAt::receiver);
  EXPECT_EQ(o.scenario.subsystems[0].integrator.method, "cvode-bdf");
  EXPECT_EQ(o.scenario.subsystems[0].integrator.step_s, 1e-2);
  EXPECT_EQ(o.scenario.subsystems[0].integrator.rtol, 1e-8);
  EXPECT_FALSE(o.scenario.subsystems[1].integrator.step_s);

  const CouplingOptions& c = o.built->coupling;
  EXPECT_EQ(c.scheme, "gauss-seidel");
  EXPECT_EQ(c.order, (std::vector<std::string>{"m2", "m1", "wave"}));
  EXPECT_EQ(c.degree, 2);
  EXPECT_EQ(c.feedthrough, FeedthroughMode::predict);
  EXPECT_EQ(c.starter, Starter::repeat);
  EXPECT_EQ(c.threads, 2U);
  EXPECT_EQ(o.scenario.simulation.on_unreliable, OnUnreliable::stop);
  EXPECT_EQ(c.initial_history.at("m1.position"), (std::vector<double>{0.4, 0.3}));

  const Link& wave = *system.links[*system.find_input("m1.force1")];
  EXPECT_EQ(wave.degree, 3);
  EXPECT_EQ(wave.terms.at(0).gain, 2.0);
  EXPECT_EQ(wave.terms.at(0).offset, 0.5);
  EXPECT_EQ(system.input_start[*system.find_input("m2.external_force")], 2.0);
  EXPECT_EQ(o.built->output_interval_s, Rational(1, 50));
  EXPECT_EQ(system.outputs[o.built->recorded[0]].text, "m1.position");
  EXPECT_EQ(system.outputs[o.built->recorded[1]].text, "m2.position");
  EXPECT_EQ(o.built->recorded.size(), system.outputs.size());
}

TEST(LoadScenario, AnElementBetweenTwoEndsIsTwoBonds) {
  const Opened o = open_text(R"(simulation = { stop_time = 1, step_size = 0.01 }
[[subsystem]]
name = "m1"
model = "oscillator.mass"
[[subsystem]]
name = "m2"
model = "oscillator.mass"
[[element]]
name = "kc"
law = "spring-damper"
ends = ["m1", "m2"]
parameters = { k = 100.0 }
)");
  ASSERT_TRUE(o.built) << o.all();
  const CoupledSystem& system = *o.built->system;
  ASSERT_EQ(system.bonds.size(), 2U);
  EXPECT_EQ(system.bonds[0].name, "kc.i");
  EXPECT_EQ(system.bonds[1].name, "kc.j");
  EXPECT_EQ(system.nodes[system.bonds[1].effort_node].name, "kc");
  EXPECT_EQ(system.nodes[system.bonds[1].flow_node].name, "m2");
  EXPECT_EQ(system.bonds[1].sign_into_b, 1.0);
}

TEST(LoadScenario, AnElementMayEndAtAComponentOfAVectorPort) {
  const Opened o = open_text(R"(simulation = { stop_time = 1, step_size = 0.01 }
[[subsystem]]
name = "row"
model = "oscillator.chain"
parameters = { m = [1.0, 2.0] }
[[subsystem]]
name = "m"
model = "oscillator.mass"
[[element]]
name = "kc"
law = "spring-damper"
ends = ["row:external_force[1]", "m"]
)");
  ASSERT_TRUE(o.built) << o.all();
  const PowerBond& bond = o.built->system->bonds.at(0);
  EXPECT_EQ(o.built->system->outputs[bond.components.at(0).flow_output].text, "row.velocity[1]");
}

struct Mistake {
  const char* what;
  std::string from, to;
  int line;
  std::string message;  ///< a part of the one message
};
std::ostream& operator<<(std::ostream& stream, const Mistake& m) {
  return stream << m.what;
}

class UserMistake : public testing::TestWithParam<Mistake> {};

TEST_P(UserMistake, GetsOneMessageWithItsLineAndARemedy) {
  const Mistake& m = GetParam();
  const Opened o = open_text(with(two_masses, m.from, m.to));
  EXPECT_FALSE(o.built);
  ASSERT_EQ(o.problems.all().size(), 1U) << o.all();
  const Problem& p = o.problems.all()[0];
  EXPECT_EQ(p.severity, Severity::error);
  EXPECT_EQ(p.where.line, m.line) << to_string(p);
  EXPECT_TRUE(p.where.file.ends_with("scenario.toml"));
  EXPECT_NE(to_string(p).find(m.message), std::string::npos) << to_string(p);
  EXPECT_FALSE(p.remedy.empty());
}

std::string connection(const std::string& from) {
  return "[[connection]]\nfrom = \"" + from + "\"\nto = \"right.external_force\"\n";
}

INSTANTIATE_TEST_SUITE_P(
    Each, UserMistake,
    testing::Values(
        Mistake{"syntax", "stop_time = 10.0", "stop_time = = 10.0", 2,
                "scenario.toml:2:13: error: TOML syntax"},
        Mistake{"unknown model", "oscillator.mass", "oscillator.mas", 13, "Did you mean 'oscillator.mass'?"},
        Mistake{"unknown port", "left.velocity_in", "left.velocty_in", 20, "Did you mean 'velocity_in'?"},
        Mistake{"unknown instance", "effort = \"right.force", "effort = \"rihgt.force", 21,
                "Did you mean 'right'?"},
        Mistake{
            "unknown end",
            "b = { effort = \"right.force\", flow = \"right.velocity\", displacement = \"right.position\" }",
            "b = { effort = \"righ.force\", flow = \"righ.velocity\" }", 21, "Did you mean 'right'?"},
        Mistake{"no port", "\"left.force\"", "\"left\"", 20, "does not name a port"},
        Mistake{"zero step", "step_size = 1e-4", "step_size = 0", 14,
                "[[subsystem]] 'right' is not positive"},
        Mistake{"negative step", "step_size = 1e-3", "step_size = -1e-3", 3,
                "-0.001 in [simulation] is not positive"},
        Mistake{"NaN step", "step_size = 1e-3", "step_size = nan", 3, "is not finite"},
        Mistake{"infinite step", "step_size = 1e-4", "step_size = inf", 14, "is not finite"},
        Mistake{"long step", "step_size = 1e-4", "step_size = 10.5", 14,
                "larger than the duration of the run, 10 s"},
        Mistake{"long default step", "step_size = 1e-3", "step_size = 11", 3, "in [simulation] is larger"},
        Mistake{"step of no number", "step_size = 1e-4", "step_size = \"fast\"", 14,
                "is not a time in seconds"},
        Mistake{"step beyond 64 bits", "step_size = 1e-4", "step_size = 1e-40", 14, "exact fraction"},
        Mistake{"no duration", "stop_time = 10.0", "stop_time = 0", 2, "not after start_time = 0"},
        Mistake{"missing stop time", "stop_time = 10.0", "", 1, "[simulation] has no 'stop_time'"},
        Mistake{"misspelt stop time", "stop_time", "stop_tme", 2, "Did you mean 'stop_time'?"},
        Mistake{"missing step", "step_size = 1e-3", "", 5, "There is no step_size for 'left'"},
        Mistake{"misspelt default step", "step_size = 1e-3", "stepsize = 1e-3", 3,
                "Did you mean 'step_size'?"},
        Mistake{"unknown key", "step_size = 1e-4", "stepsize = 1e-4", 14,
                "Unknown key 'stepsize' in [[subsystem]]"},
        Mistake{"unknown key in coupling", "scheme = ", "schema = ", 24, "Did you mean 'scheme'?"},
        Mistake{"unknown key in an end", "a = { effort", "a = { efort", 20, "Did you mean 'effort'?"},
        Mistake{"unknown table", "[output]", "[outputs]", 27, "Did you mean 'output'?"},
        Mistake{"one bracket", "[[bond]]", "[bond]", 18, "Write [[bond]], with two brackets"},
        Mistake{"misspelt heading", "[simulation]", "[simulatoin]", 1, "Did you mean 'simulation'?"},
        Mistake{"unknown parameter", "kc = 100.0", "kd = 100.0", 8, "has no 'kd'"},
        Mistake{"unknown initial value", "{ v = 100.0 }", "{ vv = 100.0 }", 9,
                "no initial value or input 'vv'"},
        Mistake{"wrong type", "scheme = \"jacobi\"", "scheme = 1", 24,
                "must be a string, but is the number 1"},
        Mistake{"wrong type of a flag", "name = \"spring\"", "name = \"spring\"\nreaction = 1", 20,
                "must be true or false, but is the number 1"},
        Mistake{"wrong type of a table", "{ m = 1.0, k = 10.0, kc = 100.0 }", "3", 8, "must be a table"},
        Mistake{"wrong type of a parameter", "k = 1000.0", "k = \"stiff\"", 15, "Give a number"},
        Mistake{"wrong type of a list", "[\"right.position\", \"left.*\"]", "[1, 2]", 28,
                "a list of strings"},
        Mistake{"value out of range", "{ m = 1.0, k = 1000.0 }", "{ m = 0.0 }", 15, "must be greater than 0"},
        Mistake{"unknown scheme", "\"jacobi\"", "\"jacobbi\"", 24, "Did you mean 'jacobi'?"},
        Mistake{"unknown extrapolation", "\"linear\"", "\"liner\"", 25, "Did you mean 'linear'?"},
        Mistake{"interface model of a signal", "[output]",
                "[[connection]]\nfrom = \"left.force\"\nto = \"right.external_force\"\n"
                "extrapolation = \"interface-model\"\n[output]",
                30, "Unknown extrapolation 'interface-model'"},
        Mistake{"unknown integrator", "step_size = 1e-4", "integrator = { method = \"rk5\" }", 14,
                "mean 'rk4'?"},
        Mistake{"bad tolerance", "step_size = 1e-4", "integrator = { method = \"arkode\", rtol = 0 }", 14,
                "rtol > 0"},
        Mistake{"unknown output", "left.*", "leftt.*", 28, "fits no output"},
        Mistake{"unknown bond", "[output]", "[output]\nbonds = [\"sprig\"]", 28, "Did you mean 'spring'?"},
        Mistake{"an input as output", "left.*", "left.velocity_in", 28, "is an input"},
        Mistake{"two of a name", "name = \"right\"", "name = \"left\"", 12, "the first is in line 6"},
        Mistake{"bad name", "name = \"spring\"", "name = \"a.spring\"", 19, "'a.spring' cannot be a name"},
        Mistake{"missing name", "name = \"left\"\n", "\n", 5, "[[subsystem]] no. 1 has no 'name'"},
        Mistake{"missing model", "model = \"oscillator.mass\"", "", 11, "'right' has no 'model'"},
        Mistake{"two connections into one input", "[output]",
                connection("left.force") + connection("left.force") + "[output]", 30,
                "Two connections end at 'right.external_force'"},
        Mistake{"unit clash", "[output]", connection("left.velocity") + "[output]", 27,
                "[m/s] feeds 'right.external_force' [N]"},
        Mistake{"step control", "[output]", "[step_control]\nmethod = \"milnes\"\n[output]", 28,
                "Did you mean 'milne'?"},
        Mistake{"unit clash in a bond", "flow = \"right.velocity\"", "flow = \"right.position\"", 18,
                "[m]"}));

INSTANTIATE_TEST_SUITE_P(
    OfAFeatureThatIsNotThere, UserMistake,
    testing::Values(
        Mistake{"fmu", "model = \"oscillator.mass\"", "fmu = \"right.fmu\"", 13, "The FMU cannot be read"},
        Mistake{"description of a model that takes none", "step_size = 1e-4", "description = \"a.toml\"", 14,
                "has no 'description'"},
        Mistake{"consistent start", "[output]", "[initialization]\nmode = \"consistent\"\n[output]", 28,
                "is not available"},
        Mistake{"form", "[output]",
                "[[element]]\nname = \"e\"\nlaw = \"gain\"\nform = \"force/displacement\"\n[output]", 30,
                "not available in this version"}));

TEST(LoadScenario, MissingFileNamesItsNeighbour) {
  const TemporaryFolder folder;
  folder.write("crane.toml", "");
  const Opened o = open_file(folder.file("cran.toml"));
  ASSERT_EQ(o.problems.all().size(), 1U) << o.all();
  EXPECT_NE(o.all().find("There is no such file. Did you mean 'crane.toml'?"), std::string::npos) << o.all();
  EXPECT_EQ(open_file(folder.file("")).problems.all().size(), 1U);
}

TEST(LoadScenario, FindsAllMistakesAtOnceInOrderOfLines) {
  std::string text = two_masses;
  text = with(text, "\"linear\"", "\"liner\"");
  text = with(text, "step_size = 1e-4", "step_size = 0");
  text = with(text, "left.velocity_in", "left.speed");
  text = with(text, "kc = 100.0", "kc = true");
  text = with(text, "left.*", "lef.*");
  text = with(text, "stop_time", "stop");
  text = with(text, "name = \"spring\"", "name = \"a.spring\"");
  const Opened o = open_text(text);
  std::vector<int> lines;
  for (const Problem& p : o.problems.all()) lines.push_back(p.where.line);
  EXPECT_EQ(lines, (std::vector<int>{2, 8, 14, 19, 20, 25, 28})) << o.all();
}

TEST(LoadScenario, UnconnectedInputIsAWarning) {
  const Opened o = open_text(
      "simulation = { stop_time = 1, step_size = 0.1 }\n[[subsystem]]\nname = \"m\"\nmodel = "
      "\"oscillator.mass\"\n");
  ASSERT_TRUE(o.built) << o.all();
  ASSERT_EQ(o.problems.all().size(), 1U);
  EXPECT_EQ(o.problems.all()[0].severity, Severity::warning);
  EXPECT_EQ(o.problems.all()[0].where.line, 2);
}

TEST(LoadScenario, AnEmptyFileLacksSimulationAndSubsystem) {
  const Opened o = open_text("");
  EXPECT_EQ(o.problems.all().size(), 2U) << o.all();
  EXPECT_FALSE(o.built);
}

}  // namespace
}  // namespace ergon::test

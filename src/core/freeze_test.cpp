#include "core/freeze.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/stub_subsystem.hpp"
#include "core/system_graph.hpp"

namespace ergon {
namespace {

using testing::port;
using testing::stub;

const Rational step(1, 1000);

/// A spring-like side that takes a motion and gives a force, and a mass that does the opposite.
void add_pair(SystemGraph& graph) {
  graph.add(
      "left",
      stub({port("position_in", "m"), port("velocity_in", "m/s")}, {port("force", "N")}, {{0, 0}, {0, 1}}),
      step);
  graph.add("right", stub({port("force_in", "N")}, {port("position", "m"), port("velocity", "m/s")}), step);
}

BondSpec good_bond() {
  BondSpec spec;
  spec.name = "coupling";
  spec.a = {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}};
  spec.b = {{"right.force_in"}, {"right.velocity"}, {"right.position"}};
  return spec;
}

std::vector<Problem> of_severity(const ProblemList& problems, Severity severity) {
  std::vector<Problem> found;
  for (const Problem& p : problems.all()) {
    if (p.severity == severity) found.push_back(p);
  }
  return found;
}

/// Expects exactly one error, which says `what` and proposes `remedy`.
void expect_single_error(SystemGraph graph, const std::string& what, const std::string& remedy) {
  ProblemList problems;
  EXPECT_EQ(graph.freeze(problems), nullptr);
  const auto errors = of_severity(problems, Severity::error);
  ASSERT_EQ(errors.size(), 1U) << InputError(problems).what();
  EXPECT_NE(errors[0].what.find(what), std::string::npos) << errors[0].what;
  EXPECT_NE(errors[0].remedy.find(remedy), std::string::npos) << errors[0].remedy;
}

std::unique_ptr<CoupledSystem> freeze(SystemGraph graph) {
  ProblemList problems;
  auto system = graph.freeze(problems);
  EXPECT_NE(system, nullptr) << InputError(problems).what();
  return system;
}

/// a.y, b.y → c.u, in newtons; c also has a vector input and d a vector output.
SystemGraph small_graph() {
  SystemGraph graph;
  graph.add("a", stub({}, {port("y", "N")}), step);
  graph.add("b", stub({}, {port("y", "kN")}), step);
  graph.add("c", stub({port("u", "N"), port("w", "N", 3)}, {}), step);
  graph.add("d", stub({}, {port("z", "N", 3), port("speed", "m/s")}), step);
  return graph;
}

ConnectionSpec connection(std::vector<std::string> from, std::string to, double gain = 1.0,
                          double offset = 0.0) {
  ConnectionSpec spec;
  spec.from = std::move(from);
  spec.to = std::move(to);
  spec.gain = gain;
  spec.offset = offset;
  return spec;
}

SystemGraph small_graph_with(ConnectionSpec spec) {
  SystemGraph graph = small_graph();
  graph.connect(std::move(spec));
  return graph;
}

TEST(FreezeErrors, UnknownSubsystemWithTheNearestName) {
  SystemGraph graph;
  graph.add("left", stub({}, {port("y")}), step);
  graph.add("right", stub({port("u")}, {}), step);
  graph.connect(connection({"lefft.y"}, "right.u"));
  expect_single_error(std::move(graph), "no subsystem 'lefft'", "Did you mean 'left'?");
}

TEST(FreezeErrors, UnknownPortWithTheNearestName) {
  expect_single_error(small_graph_with(connection({"d.sped"}, "c.u")), "'d' has no port 'sped'",
                      "Did you mean 'speed'?");
}

TEST(FreezeErrors, ReferenceWithoutAPort) {
  expect_single_error(small_graph_with(connection({"a"}, "c.u")), "does not name a port", "subsystem.port");
}

TEST(FreezeErrors, WrongDirectionNamesWhatThereIs) {
  expect_single_error(small_graph_with(connection({"a.y"}, "d.speed")), "'d.speed' is an output", "offers");
  expect_single_error(small_graph_with(connection({"c.u"}, "c.w[0]")), "'c.u' is an input", "offers");
}

TEST(FreezeErrors, SizesThatDoNotFit) {
  expect_single_error(small_graph_with(connection({"d.z"}, "c.u")), "'d.z' (size 3) feeds 'c.u' (size 1)",
                      "slice");
}

TEST(FreezeErrors, UnitsThatDoNotFit) {
  expect_single_error(small_graph_with(connection({"d.speed"}, "c.u")), "'d.speed' [m/s] feeds 'c.u' [N]",
                      "different quantities");
}

TEST(FreezeErrors, TwoConnectionsIntoOneInput) {
  SystemGraph graph = small_graph();
  graph.connect(connection({"a.y"}, "c.u"));
  graph.connect(connection({"b.y"}, "c.u"));
  expect_single_error(std::move(graph), "Two connections end at 'c.u': from 'a.y' and from 'b.y'",
                      R"(from = ["a.y", "b.y"])");
}

// The second connection starts at a free component and runs into a taken one.
TEST(FreezeErrors, TwoConnectionsThatOverlapInTheMiddleOfAVector) {
  SystemGraph graph = small_graph();
  graph.connect(connection({"a.y"}, "c.w[1]"));
  graph.connect(connection({"d.z[0:2]"}, "c.w[0:2]"));
  expect_single_error(std::move(graph), "Two connections end at 'c.w[0:2]': from 'a.y'", "from = [");
}

TEST(FreezeErrors, BadSlices) {
  for (const char* slice : {"d.z[3]", "d.z[0:4]", "d.z[2:1]", "d.z[x]", "d.z[1", "d.z[]", "d.z[-1]",
                            "d.z[18446744073709551615]"}) {
    expect_single_error(small_graph_with(connection({slice}, "c.u")), "is no slice of a port of size 3",
                        "counting from 0");
  }
}

TEST(FreezeErrors, ConnectionWithoutSource) {
  expect_single_error(small_graph_with(connection({}, "c.u")), "without a source", "'from'");
}

TEST(FreezeErrors, GainThatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_single_error(small_graph_with(connection({"a.y"}, "c.u", nan)), "not finite", "finite");
  expect_single_error(small_graph_with(connection({"a.y"}, "c.u", 1.0, nan)), "not finite", "finite");
}

TEST(FreezeErrors, NamesAndSteps) {
  SystemGraph empty;
  expect_single_error(std::move(empty), "no subsystem", "Add at least one");

  SystemGraph twice = small_graph();
  twice.add("a", stub({}, {}), step);
  expect_single_error(std::move(twice), "Two subsystems are called 'a'", "Rename");

  SystemGraph dotted = small_graph();
  dotted.add("a.b", stub({}, {}), step);
  expect_single_error(std::move(dotted), "'a.b' is no name", "letters");

  SystemGraph still = small_graph();
  still.add("e", stub({}, {}), Rational());
  expect_single_error(std::move(still), "step size of 'e' is not positive", "step_size > 0");
}

TEST(FreezeErrors, StartValues) {
  SystemGraph count = small_graph();
  count.set_input_start("c.w", {1.0});
  expect_single_error(std::move(count), "'c.w' has 3 values, but 1 are given", "per component");

  SystemGraph infinite = small_graph();
  infinite.set_input_start("c.u", {std::numeric_limits<double>::infinity()});
  expect_single_error(std::move(infinite), "start value inf of 'c.u' is not finite", "finite");
}

TEST(FreezeErrors, AllMistakesOfAFileAtOnce) {
  SystemGraph graph = small_graph();
  graph.add("e", stub({}, {}), Rational(-1, 2));
  graph.connect(connection({"a.q"}, "c.u"));
  graph.connect(connection({"d.speed"}, "c.w[0]"));
  graph.connect(connection({"nobody.y"}, "nowhere.u"));
  graph.set_input_start("c.w[2]", {1.0, 2.0});
  ProblemList problems;
  EXPECT_EQ(graph.freeze(problems), nullptr);
  EXPECT_EQ(of_severity(problems, Severity::error).size(), 6U) << InputError(problems).what();
  // An input whose connection is wrong is not "unconnected" on top of that.
  for (const Problem& p : of_severity(problems, Severity::warning)) {
    EXPECT_EQ(p.what.find("'c.u'"), std::string::npos) << p.what;
  }
}

// ── Bonds ──

TEST(FreezeBondErrors, ProductIsNoPower) {
  SystemGraph graph;
  add_pair(graph);
  BondSpec spec = good_bond();
  spec.a = {{"left.force"}, {}, {"left.position_in"}};
  spec.b = {{"right.force_in"}, {"right.position"}, {"right.position"}};
  graph.bond(spec);
  expect_single_error(std::move(graph), "'left.force' [N] times 'right.position' [m] is not a power",
                      "'scale'");
}

TEST(FreezeBondErrors, RateOfDisplacementTimesEffortIsNoPower) {
  SystemGraph graph;
  graph.add("left", stub({port("angle_in", "rad")}, {port("force", "N")}, {{0, 0}}), step);
  graph.add("right", stub({port("force_in", "N")}, {port("angle", "rad")}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{"left.force"}, {}, {"left.angle_in"}};
  spec.b = {{"right.force_in"}, {}, {"right.angle"}};
  graph.bond(spec);
  expect_single_error(std::move(graph), "'left.force' [N] times 'right.angle' [rad/s] is not a power",
                      "'scale'");
}

TEST(FreezeBondErrors, BothEndsGiveTheSameQuantity) {
  SystemGraph graph;
  add_pair(graph);
  graph.add("other", stub({}, {port("force", "N")}), step);
  BondSpec spec = good_bond();
  spec.b.effort = {"other.force"};
  graph.bond(spec);
  expect_single_error(std::move(graph), "effort ports 'left.force' and 'other.force' are both outputs",
                      "[[element]]");
}

// Two masses that both send their motion: nothing exchanged is an effort, so there is no bond to keep books of.
TEST(FreezeBondErrors, DisplacementDisplacementHasNoBond) {
  SystemGraph graph;
  graph.add("left", stub({port("x_in", "m")}, {port("x", "m")}), step);
  graph.add("right", stub({port("x_in", "m")}, {port("x", "m")}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{}, {}, {"left.x"}};
  spec.b = {{}, {}, {"right.x_in"}};
  graph.bond(spec);
  expect_single_error(std::move(graph), "Bond 'b' exchanges no effort", "[[connection]]");
}

TEST(FreezeBondErrors, ListsOfUnequalLength) {
  SystemGraph graph;
  add_pair(graph);
  BondSpec spec = good_bond();
  spec.a.effort.push_back("left.force");
  graph.bond(spec);
  expect_single_error(std::move(graph), "side a lists 2 effort ports, side b 1", "same order");
}

TEST(FreezeBondErrors, NeitherFlowNorDisplacement) {
  SystemGraph graph;
  add_pair(graph);
  BondSpec spec = good_bond();
  spec.a = {{"left.force"}, {}, {}};
  spec.b = {{"right.force_in"}, {}, {}};
  graph.bond(spec);
  expect_single_error(std::move(graph), "neither flow nor displacement", "flow port");
}

TEST(FreezeBondErrors, DisplacementGoesTheWayOfTheEffort) {
  SystemGraph graph;
  graph.add("left", stub({port("v_in", "m/s")}, {port("force", "N"), port("x", "m")}, {{0, 0}}), step);
  graph.add("right", stub({port("force_in", "N"), port("x_in", "m")}, {port("v", "m/s")}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{"left.force"}, {"left.v_in"}, {"left.x"}};
  spec.b = {{"right.force_in"}, {"right.v"}, {"right.x_in"}};
  graph.bond(spec);
  expect_single_error(std::move(graph), "efforts must go one way, flows and displacements the other",
                      "Split");
}

TEST(FreezeBondErrors, TwoBondsOfOneName) {
  SystemGraph graph;
  add_pair(graph);
  graph.add("third", stub({port("position_in", "m"), port("velocity_in", "m/s")}, {port("force", "N")}),
            step);
  BondSpec second = good_bond();
  second.a = {{"third.force"}, {"third.velocity_in"}, {"third.position_in"}};
  graph.bond(good_bond());
  graph.bond(second);
  expect_single_error(std::move(graph), "Two bonds are called 'coupling'", "Rename");
}

TEST(FreezeBondErrors, InputThatAlreadyHasAConnection) {
  SystemGraph graph;
  add_pair(graph);
  graph.add("other", stub({}, {port("force", "N")}), step);
  graph.connect(connection({"other.force"}, "right.force_in"));
  graph.bond(good_bond());
  expect_single_error(std::move(graph), "already gets 'other.force'", "Remove the connection");
}

// The first of two components is right and the second is not: nothing of a bond may be left half made.
TEST(FreezeBondErrors, SecondComponentIsWrong) {
  SystemGraph graph;
  graph.add("left", stub({port("v_in", "m/s", 2)}, {port("f1", "N"), port("f2", "V")}, {{0, 0}, {1, 0}}),
            step);
  graph.add("right", stub({port("g1", "N"), port("g2", "V")}, {port("v", "m/s", 2)}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{"left.f1", "left.f2"}, {"left.v_in[0]", "left.v_in[1]"}, {}};
  spec.b = {{"right.g1", "right.g2"}, {"right.v[0]", "right.v[1]"}, {}};
  graph.bond(spec);
  expect_single_error(std::move(graph), "'left.f2' [V] times 'right.v' [m/s] is not a power", "watts");
}

TEST(FreezeBondErrors, VectorEffortWithScalarDisplacement) {
  SystemGraph graph;
  graph.add("left", stub({port("x_in", "m")}, {port("f", "N", 2)}, {{0, 0}}), step);
  graph.add("right", stub({port("g", "N", 2)}, {port("x", "m")}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{"left.f"}, {}, {"left.x_in"}};
  spec.b = {{"right.g"}, {}, {"right.x"}};
  graph.bond(spec);
  expect_single_error(std::move(graph), "effort 'left.f' has 2 components, flow 'right.x' has 1",
                      "component");
}

TEST(FreezeBondErrors, FlowInputThatIsNotTheRate) {
  SystemGraph graph;
  graph.add("left",
            stub({port("x_in", "m"), port("v_in", "m", 1), port("v3_in", "m/s", 3)}, {port("f", "N")}), step);
  graph.add("right", stub({port("g", "N")}, {port("x", "m")}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{"left.f"}, {"left.v_in"}, {"left.x_in"}};
  spec.b = {{"right.g"}, {}, {"right.x"}};
  SystemGraph wrong_size;
  wrong_size.add("left", stub({port("x_in", "m"), port("v3_in", "m/s", 3)}, {port("f", "N")}), step);
  wrong_size.add("right", stub({port("g", "N")}, {port("x", "m")}), step);
  graph.bond(spec);
  expect_single_error(std::move(graph), "'left.v_in' [m] is not the rate of 'right.x' [m]", "flow port");
  spec.a.flow = {"left.v3_in"};
  wrong_size.bond(spec);
  expect_single_error(std::move(wrong_size), "'left.v3_in' (size 3) is not the rate of 'right.x' (size 1)",
                      "slice");
}

TEST(FreezeBondErrors, ScaleZero) {
  SystemGraph graph;
  add_pair(graph);
  BondSpec spec = good_bond();
  spec.scale = 0.0;
  graph.bond(spec);
  expect_single_error(std::move(graph), "scale must be a finite number other than 0", "factor");
}

// ── What a right file becomes ──

TEST(Freeze, SumsAreInOrderOfNamesWhateverTheFileSays) {
  auto system = freeze(small_graph_with(connection({"b.y", "a.y"}, "c.u")));
  const Link& link = *system->links[*system->find_input("c.u")];
  ASSERT_EQ(link.terms.size(), 2U);
  EXPECT_EQ(link.terms[0].output, *system->find_output("a.y"));
  EXPECT_EQ(link.terms[1].output, *system->find_output("b.y"));
}

// to = offset + gain·Σ from, each source first converted to the receiver's unit: b.y is in kN, c.u in N.
TEST(Freeze, GainOffsetAndUnitConversion) {
  auto system = freeze(small_graph_with(connection({"b.y", "a.y"}, "c.u", 2.0, 5.0)));
  const Link& link = *system->links[*system->find_input("c.u")];
  EXPECT_EQ(link.terms[0].gain, 2.0);
  EXPECT_EQ(link.terms[1].gain, 2000.0);
  EXPECT_EQ(link.terms[0].offset + link.terms[1].offset, 5.0);
}

// 20 °C is 293.15 K; with gain 2 the receiver gets 2·293.15 + 1.
TEST(Freeze, TemperatureOffsetIsScaledByTheGain) {
  SystemGraph graph;
  graph.add("a", stub({}, {port("y", "degC")}), step);
  graph.add("c", stub({port("u", "K")}, {}), step);
  graph.connect(connection({"a.y"}, "c.u", 2.0, 1.0));
  auto system = freeze(std::move(graph));
  const LinkTerm& term = system->links[0]->terms[0];
  EXPECT_DOUBLE_EQ(term.gain * 20.0 + term.offset, 2.0 * 293.15 + 1.0);
}

TEST(Freeze, SlicesConnectComponents) {
  auto system = freeze(small_graph_with(connection({"d.z[1:3]"}, "c.w[0:2]")));
  EXPECT_EQ(system->links[*system->find_input("c.w[0]")]->terms[0].output, *system->find_output("d.z[1]"));
  EXPECT_EQ(system->links[*system->find_input("c.w[1]")]->terms[0].output, *system->find_output("d.z[2]"));
  EXPECT_FALSE(system->links[*system->find_input("c.w[2]")]);
}

TEST(Freeze, NodesAreSortedByNameAndFound) {
  SystemGraph graph;
  for (const char* name : {"n10", "n2", "b", "a", "z"}) graph.add(name, stub({}, {port("y")}), step);
  auto system = freeze(std::move(graph));
  for (Index i = 1; i < system->nodes.size(); ++i)
    EXPECT_LT(system->nodes[i - 1].name, system->nodes[i].name);
  for (Index i = 0; i < system->nodes.size(); ++i) EXPECT_EQ(system->find_node(system->nodes[i].name), i);
  EXPECT_FALSE(system->find_node("n3"));
  EXPECT_FALSE(system->find_node("zz"));
}

TEST(Freeze, WarnsOfUnconnectedInputsButNotOfOptionalOrStatedOnes) {
  SystemGraph graph;
  Port optional = port("load", "N");
  optional.optional = true;
  Port forgotten = port("u", "N");
  forgotten.start = 1.5;
  graph.add("a", stub({forgotten, optional, port("stated", "N"), port("half", "N", 2)}, {}), step);
  graph.set_input_start("a.stated", {7.0});
  graph.set_input_start("a.half[0]", {7.0});
  ProblemList problems;
  auto system = graph.freeze(problems);
  ASSERT_NE(system, nullptr);
  const auto warnings = of_severity(problems, Severity::warning);
  ASSERT_EQ(warnings.size(), 2U) << InputError(problems).what();
  EXPECT_EQ(warnings[0].what, "Input 'a.u' is not connected: it keeps its start value 1.5 N.");
  EXPECT_NE(warnings[1].what.find("'a.half'"), std::string::npos);
  EXPECT_EQ(system->input_start[*system->find_input("a.stated")], 7.0);
  EXPECT_EQ(system->input_start[*system->find_input("a.u")], 1.5);
}

// Side a gives the effort: it acts on b, so effort × flow is power into b. Seen from the other side the sign turns.
TEST(FreezeBonds, CausalityAndSignComeFromThePorts) {
  for (const bool swapped : {false, true}) {
    SystemGraph graph;
    add_pair(graph);
    BondSpec spec = good_bond();
    if (swapped) std::swap(spec.a, spec.b);
    graph.bond(spec);
    auto system = freeze(std::move(graph));
    ASSERT_EQ(system->bonds.size(), 1U);
    const PowerBond& bond = system->bonds[0];
    EXPECT_EQ(system->nodes[bond.effort_node].name, "left");
    EXPECT_EQ(system->nodes[bond.flow_node].name, "right");
    EXPECT_EQ(bond.sign_into_b, swapped ? -1.0 : 1.0);
    ASSERT_EQ(bond.components.size(), 1U);
    EXPECT_EQ(bond.components[0].effort_output, *system->find_output("left.force"));
    EXPECT_EQ(bond.components[0].effort_input, *system->find_input("right.force_in"));
    EXPECT_EQ(bond.components[0].flow_output, *system->find_output("right.velocity"));
    EXPECT_EQ(bond.components[0].flow_input, *system->find_input("left.velocity_in"));
    EXPECT_FALSE(bond.components[0].flow_differentiated);
    EXPECT_FALSE(bond.components[0].effort_input_shared);
    const Link& position = *system->links[*system->find_input("left.position_in")];
    EXPECT_EQ(position.terms[0].output, *system->find_output("right.position"));
    EXPECT_EQ(position.kinematic_partner, *system->find_input("left.velocity_in"));
    EXPECT_EQ(bond.effort_node_inputs.size(), 2U);
    EXPECT_EQ(bond.flow_node_inputs.size(), 1U);
  }
}

TEST(FreezeBonds, FlowByDifferentiationConvertsUnits) {
  SystemGraph graph;
  graph.add("left", stub({port("x_in", "m"), port("v_in", "m/s")}, {port("f", "N")}, {{0, 0}}), step);
  graph.add("right", stub({port("g", "N")}, {port("x", "mm")}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{"left.f"}, {"left.v_in"}, {"left.x_in"}};
  spec.b = {{"right.g"}, {}, {"right.x"}};
  graph.bond(spec);
  auto system = freeze(std::move(graph));
  const Link& rate = *system->links[*system->find_input("left.v_in")];
  EXPECT_TRUE(rate.terms[0].differentiate);
  EXPECT_DOUBLE_EQ(rate.terms[0].gain, 1e-3);
  const BondComponent& c = system->bonds[0].components[0];
  EXPECT_TRUE(c.flow_differentiated);
  EXPECT_TRUE(c.has_flow_input);
  EXPECT_EQ(c.flow_input, *system->find_input("left.v_in"));
  EXPECT_DOUBLE_EQ(c.flow_output_to_SI, 1e-3);
}

TEST(FreezeBonds, ScaleStandsInWhereUnitsAreNoPower) {
  SystemGraph graph;
  graph.add("left", stub({port("n_in", "1/s")}, {port("force", "N")}, {{0, 0}}), step);
  graph.add("right", stub({port("force_in", "N")}, {port("n", "1/s")}), step);
  BondSpec spec;
  spec.name = "b";
  spec.a = {{"left.force"}, {"left.n_in"}, {}};
  spec.b = {{"right.force_in"}, {"right.n"}, {}};
  spec.scale = 0.3;
  graph.bond(spec);
  EXPECT_EQ(freeze(std::move(graph))->bonds[0].scale, 0.3);
}

// kN out into N: the power is in watts whichever side it is read at. A side that says no unit has the other's.
TEST(FreezeBonds, EffortsAndFlowsAreBookedInSI) {
  for (const char* unit_out : {"kN", ""}) {
    SystemGraph graph;
    graph.add("left", stub({port("v_in", "mm/s")}, {port("force", unit_out)}, {{0, 0}}), step);
    graph.add("right", stub({port("force_in", "kN")}, {port("v", "m/s")}), step);
    BondSpec spec;
    spec.name = "b";
    spec.a = {{"left.force"}, {"left.v_in"}, {}};
    spec.b = {{"right.force_in"}, {"right.v"}, {}};
    graph.bond(spec);
    const BondComponent c = freeze(std::move(graph))->bonds[0].components[0];
    EXPECT_DOUBLE_EQ(c.effort_output_to_SI, 1000.0);
    EXPECT_DOUBLE_EQ(c.effort_input_to_SI, 1000.0);
    EXPECT_DOUBLE_EQ(c.flow_output_to_SI, 1.0);
    EXPECT_DOUBLE_EQ(c.flow_input_to_SI, 1e-3);
  }
}

// A mass between two springs: both push at one input, and each bond knows which term is its own.
TEST(FreezeBonds, BondsShareAnEffortInput) {
  SystemGraph graph;
  for (const char* name : {"zeta", "alpha"}) {
    graph.add(name, stub({port("v_in", "m/s")}, {port("f", "N")}, {{0, 0}}), step);
  }
  graph.add("mass", stub({port("force", "N")}, {port("v", "m/s")}), step);
  for (const char* name : {"zeta", "alpha"}) {
    BondSpec spec;
    spec.name = name;
    spec.a = {{std::string(name) + ".f"}, {std::string(name) + ".v_in"}, {}};
    spec.b = {{"mass.force"}, {"mass.v"}, {}};
    graph.bond(spec);
  }
  auto system = freeze(std::move(graph));
  const Link& link = *system->links[*system->find_input("mass.force")];
  ASSERT_EQ(link.terms.size(), 2U);
  for (const PowerBond& bond : system->bonds) {
    const BondComponent& c = bond.components[0];
    EXPECT_TRUE(c.effort_input_shared);
    EXPECT_EQ(link.terms[c.effort_term].output, c.effort_output);
  }
  EXPECT_NE(system->bonds[0].components[0].effort_term, system->bonds[1].components[0].effort_term);
}

}  // namespace
}  // namespace ergon

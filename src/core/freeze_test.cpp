#include "support/freezing.hpp"

namespace ergon {
namespace {

using namespace freeze_testing;

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
    expect_single_error(small_graph_with(connection({slice}, "c.u")), "is not a slice of a port of size 3",
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
  expect_single_error(std::move(dotted), "'a.b' is not a name", "letters");

  SystemGraph still = small_graph();
  still.add("e", stub({}, {}), Rational());
  expect_single_error(std::move(still), "step size of 'e' is not positive", "step_size > 0");
}

TEST(FreezeErrors, StartValues) {
  SystemGraph count = small_graph();
  count.set_input_start("c.w", {1.0, 2.0});
  expect_single_error(std::move(count), "'c.w' has 3 values, but 2 are given", "one value for all");

  SystemGraph infinite = small_graph();
  infinite.set_input_start("c.u", {std::numeric_limits<double>::infinity()});
  expect_single_error(std::move(infinite), "start value inf of 'c.u' is not finite", "finite");
}

TEST(Freeze, OneStartValueHoldsForAllComponents) {
  SystemGraph graph;
  graph.add("a", stub({port("w", "N", 3)}, {}), step);
  graph.set_input_start("a.w", {4.0});
  ProblemList problems;
  auto system = graph.freeze(problems);
  ASSERT_NE(system, nullptr) << InputError(problems).what();
  EXPECT_EQ(system->input_start, (std::vector<double>{4.0, 4.0, 4.0}));
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
  EXPECT_NE(warnings[1].what.find("'a.half[1]'"), std::string::npos) << "only this component is open";
  EXPECT_EQ(system->input_start[*system->find_input("a.stated")], 7.0);
  EXPECT_EQ(system->input_start[*system->find_input("a.u")], 1.5);
}

}  // namespace
}  // namespace ergon

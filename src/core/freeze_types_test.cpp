// Which types go where.

#include <gtest/gtest.h>

#include <set>

#include "ergon/core/system_graph.hpp"
#include "support/stub_subsystem.hpp"

namespace ergon {
namespace {

Port typed(const char* name, PortType type, const char* unit = "") {
  Port port{name, Unit::of(unit), 1, "", 0.0, true};
  port.type = type;
  if (type == PortType::enumeration) port.items = {{"low", 0}, {"high", 5}};
  return port;
}

/// A stub that says to have discrete ports.
class Typed final : public testing::StubSubsystem, public DiscretePorts {
 public:
  using StubSubsystem::StubSubsystem;
  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& /*u*/) override {}
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& /*y*/) override {}
};

std::unique_ptr<Subsystem> giver(std::vector<Port> outputs) {
  Description description;
  description.outputs = std::move(outputs);
  return std::make_unique<Typed>(description);
}
std::unique_ptr<Subsystem> taker(std::vector<Port> inputs) {
  Description description;
  description.inputs = std::move(inputs);
  return std::make_unique<Typed>(description);
}

std::string texts(const ProblemList& problems) {
  std::string text;
  for (const Problem& problem : problems.all()) text += to_string(problem) + "\n";
  return text;
}

/// What is said about this connection; empty where it is fine.
std::string said(PortType from, PortType to, double gain = 1.0, int sources = 1, double offset = 0.0) {
  SystemGraph graph;
  graph.add("g", giver({typed("y", from), typed("z", from)}), Rational(1, 10));
  graph.add("t", taker({typed("u", to)}), Rational(1, 10));
  ConnectionSpec spec;
  spec.from = {"g.y"};
  if (sources > 1) spec.from.emplace_back("g.z");
  spec.to = "t.u";
  spec.gain = gain;
  spec.offset = offset;
  graph.connect(spec);
  ProblemList problems;
  graph.freeze(problems);
  return texts(problems);
}

TEST(PortTypes, GoWhereTheyMeanSomething) {
  using enum PortType;
  const std::vector<PortType> all = {real, integer, boolean, enumeration, text, binary};
  const std::set<std::pair<PortType, PortType>> allowed = {
      {integer, real}, {boolean, real}, {boolean, integer}, {enumeration, integer}, {integer, enumeration}};
  for (const PortType from : all) {
    for (const PortType to : all) {
      const bool fine = from == to || allowed.contains({from, to});
      EXPECT_EQ(said(from, to).empty(), fine) << name_of(from) << " to " << name_of(to);
    }
  }
  EXPECT_NE(said(real, integer).find("\"round\""), std::string::npos);
  EXPECT_NE(said(real, boolean).find("\"compare\""), std::string::npos);
}

TEST(PortTypes, GainsAndSumsOnlyOfNumbers) {
  using enum PortType;
  EXPECT_EQ(said(integer, integer, 3.0, 2, -4.0), "");
  EXPECT_EQ(said(boolean, integer, -1.0, 2), "");
  EXPECT_EQ(said(boolean, real, 0.5, 2, 0.1), "");
  EXPECT_NE(said(integer, integer, 0.5), "");
  EXPECT_NE(said(integer, integer, 1.0, 1, 0.5), "");
  for (const PortType type : {boolean, enumeration, text, binary}) {
    EXPECT_NE(said(type, type, 2.0), "") << name_of(type);
    EXPECT_NE(said(type, type, 1.0, 2), "") << name_of(type);
    EXPECT_NE(said(type, type, 1.0, 1, 1.0), "") << name_of(type);
  }
}

TEST(PortTypes, EnumerationsMustHaveTheSameItems) {
  for (const bool same : {true, false}) {
    SystemGraph graph;
    Port other = typed("u", PortType::enumeration);
    if (!same) other.items.push_back({"medium", 3});
    graph.add("g", giver({typed("y", PortType::enumeration)}), Rational(1, 10));
    graph.add("t", taker({other}), Rational(1, 10));
    ConnectionSpec spec;
    spec.from = {"g.y"};
    spec.to = "t.u";
    graph.connect(spec);
    ProblemList problems;
    EXPECT_EQ(graph.freeze(problems) != nullptr, same);
  }
}

TEST(PortTypes, OnlyRealsAreConverted) {
  SystemGraph graph;
  graph.add("g", giver({typed("y", PortType::integer, "mm"), typed("z", PortType::integer, "mm")}),
            Rational(1, 10));
  graph.add("t", taker({typed("u", PortType::integer, "m"), typed("r", PortType::real, "m")}),
            Rational(1, 10));
  ConnectionSpec whole;
  whole.from = {"g.y"};
  whole.to = "t.u";
  graph.connect(whole);
  ConnectionSpec real;
  real.from = {"g.z"};
  real.to = "t.r";
  graph.connect(real);
  ProblemList problems;
  EXPECT_EQ(graph.freeze(problems), nullptr);
  EXPECT_EQ(problems.all().size(), 1U) << texts(problems);
  EXPECT_NE(texts(problems).find("give both the same unit"), std::string::npos);
}

TEST(PortTypes, BondsAreOfReals) {
  SystemGraph graph;
  graph.add("a", giver({typed("force", PortType::integer, "N")}), Rational(1, 10));
  graph.add("b", taker({typed("force", PortType::integer, "N")}), Rational(1, 10));
  BondSpec bond;
  bond.name = "bond";
  bond.a.effort = {"a.force"};
  bond.b.effort = {"b.force"};
  graph.bond(bond);
  ProblemList problems;
  EXPECT_EQ(graph.freeze(problems), nullptr);
  EXPECT_NE(texts(problems).find("'a.force' is of type integer"), std::string::npos) << texts(problems);
}

TEST(PortTypes, RealsComeFirstInTheFlatOrder) {
  SystemGraph graph;
  Port vector = typed("v", PortType::real);
  vector.size = 2;
  Description description;
  description.outputs = {typed("name", PortType::text), typed("n", PortType::integer), vector,
                         typed("on", PortType::boolean), typed("x", PortType::real)};
  description.inputs = {typed("u", PortType::real)};
  description.feedthrough = {{3, 0}};  // on depends on u
  graph.add("s", std::make_unique<Typed>(description), Rational(1, 10));
  ProblemList problems;
  const auto system = graph.freeze(problems);
  ASSERT_NE(system, nullptr) << texts(problems);
  std::vector<std::string> names;
  for (const SignalName& signal : system->outputs) names.push_back(signal.text);
  EXPECT_EQ(names, (std::vector<std::string>{"s.v[0]", "s.v[1]", "s.x", "s.n", "s.on", "s.name"}));
  EXPECT_EQ(system->nodes[0].port_outputs, (std::vector<Index>{5, 3, 0, 4, 2}));
  EXPECT_EQ(system->output_level, (std::vector<int>{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(system->nodes[0].output_counts.reals, 3U);
  EXPECT_EQ(system->nodes[0].output_counts.integers, 2U);
  EXPECT_EQ(system->nodes[0].output_counts.texts, 1U);
}

TEST(PortTypes, StartValuesHaveTheTypeOfTheirPort) {
  const auto stated = [](PortType type, TypedValue value) {
    SystemGraph graph;
    graph.add("t", taker({typed("u", type)}), Rational(1, 10));
    graph.set_input_start("t.u", {std::move(value)});
    ProblemList problems;
    auto system = graph.freeze(problems);
    return std::pair(std::move(system), texts(problems));
  };
  using enum PortType;
  EXPECT_EQ(stated(integer, 3.0).first->integer_start[0], 3);
  EXPECT_EQ(stated(integer, std::int64_t{9007199254740993}).first->integer_start[0], 9007199254740993);
  EXPECT_EQ(stated(boolean, true).first->integer_start[0], 1);
  EXPECT_EQ(stated(enumeration, std::string("high")).first->integer_start[0], 5);
  EXPECT_EQ(stated(text, std::string("so")).first->text_start[0], "so");
  EXPECT_NE(stated(integer, 3.5).second.find("not a whole number"), std::string::npos);
  EXPECT_NE(stated(boolean, 1.0).second.find("neither true nor false"), std::string::npos);
  EXPECT_NE(stated(enumeration, std::string("middle")).second.find("low, high"), std::string::npos);
  EXPECT_NE(stated(real, std::string("one")).second.find("not a number"), std::string::npos);
}

TEST(PortTypes, WhoHasThemMustTakeThem) {
  SystemGraph graph;
  Description description;
  description.inputs = {typed("u", PortType::text)};
  graph.add("s", std::make_unique<testing::StubSubsystem>(description), Rational(1, 10));
  ProblemList problems;
  EXPECT_EQ(graph.freeze(problems), nullptr);
  EXPECT_NE(texts(problems).find("DiscretePorts"), std::string::npos);
}

}  // namespace
}  // namespace ergon

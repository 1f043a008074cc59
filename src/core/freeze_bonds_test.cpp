#include <numbers>

#include "support/freezing.hpp"

namespace ergon {
namespace {

using namespace freeze_testing;

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
  expect_single_error(std::move(graph), "Bond 'b' names no effort", "[[connection]]");
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

// A reaction: the effort that is sent arrives as its opposite, for the receiver and for the books.
TEST(FreezeBond, AGainOfTheEffortIsInTheLinkAndInTheBooks) {
  SystemGraph graph;
  add_pair(graph);
  BondSpec spec = good_bond();
  spec.effort_gain = {-1.0};
  graph.bond(spec);
  const auto system = freeze(std::move(graph));
  ASSERT_NE(system, nullptr);
  const BondComponent& component = system->bonds.front().components.front();
  EXPECT_EQ(component.effort_output_to_SI, -1.0);
  EXPECT_EQ(component.effort_input_to_SI, 1.0);
  EXPECT_EQ(system->links[*system->find_input("right.force_in")]->terms.front().gain, -1.0);
  EXPECT_EQ(system->links[*system->find_input("left.velocity_in")]->terms.front().gain, 1.0);
}

/// A piston: pressure and volume flow at side a, force and velocity at side b.
BondSpec piston(SystemGraph& graph) {
  graph.add("chamber", stub({port("flow_in", "l/min")}, {port("pressure", "bar")}, {{0, 0}}), step);
  graph.add("rod", stub({port("force_in", "kN")}, {port("velocity", "mm/s")}), step);
  BondSpec spec;
  spec.name = "piston";
  spec.a = {{"chamber.pressure"}, {"chamber.flow_in"}, {}};
  spec.b = {{"rod.force_in"}, {"rod.velocity"}, {}};
  spec.ratio = BondRatio::parse("30 cm2");
  return spec;
}

// F = A p, Q = A v: 1 bar on 30 cm² is 300 N, and 1 mm/s of it 3 cm³/s = 0.18 l/min.
TEST(FreezeBondRatio, JoinsDomainsInTheUnitsOfTheirPorts) {
  SystemGraph graph;
  graph.bond(piston(graph));
  const auto system = freeze(std::move(graph));
  ASSERT_NE(system, nullptr);
  EXPECT_NEAR(system->links[*system->find_input("rod.force_in")]->terms.front().gain, 0.3, 1e-15);
  EXPECT_NEAR(system->links[*system->find_input("chamber.flow_in")]->terms.front().gain, 0.18, 1e-15);
  const BondComponent& c = system->bonds.front().components.front();
  // 1 bar and 1 l/min of side a, as force and velocity at side b: their product is the power.
  EXPECT_NEAR(c.effort_output_to_SI, 300.0, 1e-10);
  EXPECT_NEAR(c.flow_input_to_SI, 1e-3 / 60.0 / 30e-4, 1e-15);
  EXPECT_NEAR(c.effort_output_to_SI * c.flow_input_to_SI, 1e5 * 1e-3 / 60.0, 1e-12);
  EXPECT_EQ(c.effort_input_to_SI, 1e3);
  EXPECT_EQ(c.flow_output_to_SI, 1e-3);
}

// What has no unit is in SI units: 1 Pa on 30 cm² is 3e-6 kN, and 1 mm/s of it 3e-6 m³/s.
TEST(FreezeBondRatio, TakesPortsWithoutUnitsAsThoseOfSI) {
  SystemGraph graph;
  graph.add("chamber", stub({port("flow_in", "")}, {port("pressure", "")}, {{0, 0}}), step);
  graph.add("rod", stub({port("force_in", "kN")}, {port("velocity", "mm/s")}), step);
  BondSpec spec;
  spec.name = "piston";
  spec.a = {{"chamber.pressure"}, {"chamber.flow_in"}, {}};
  spec.b = {{"rod.force_in"}, {"rod.velocity"}, {}};
  spec.ratio = BondRatio::parse("30 cm2");
  graph.bond(spec);
  const auto system = freeze(std::move(graph));
  ASSERT_NE(system, nullptr);
  EXPECT_NEAR(system->links[*system->find_input("rod.force_in")]->terms.front().gain, 3e-6, 1e-20);
  EXPECT_NEAR(system->links[*system->find_input("chamber.flow_in")]->terms.front().gain, 3e-6, 1e-20);
}

TEST(FreezeBondRatio, IsTheSameWithItsEndsExchanged) {
  SystemGraph graph;
  BondSpec spec = piston(graph);
  std::swap(spec.a, spec.b);
  spec.ratio = BondRatio::parse("333.3333333333333 1/m2");
  graph.bond(spec);
  const auto system = freeze(std::move(graph));
  ASSERT_NE(system, nullptr);
  EXPECT_NEAR(system->links[*system->find_input("rod.force_in")]->terms.front().gain, 0.3, 1e-14);
  EXPECT_NEAR(system->links[*system->find_input("chamber.flow_in")]->terms.front().gain, 0.18, 1e-14);
  EXPECT_EQ(system->bonds.front().sign_into_b, -1.0);
}

TEST(FreezeBondRatio, GyratorExchangesEffortAndFlow) {
  SystemGraph graph;
  graph.add("coil", stub({port("voltage", "V")}, {port("current", "A")}), step);
  graph.add("rotor", stub({port("torque", "N.m")}, {port("speed", "rpm")}), step);
  BondSpec spec;
  spec.name = "motor";
  spec.a = {{"coil.voltage"}, {"coil.current"}, {}};
  spec.b = {{"rotor.torque"}, {"rotor.speed"}, {}};
  spec.kind = BondKind::gyrator;
  spec.ratio = BondRatio::parse("0.05 V.s/rad");
  spec.effort_of_a_opposite = true;
  graph.bond(spec);
  const auto system = freeze(std::move(graph));
  ASSERT_NE(system, nullptr);
  const double rpm = std::numbers::pi / 30.0;
  EXPECT_NEAR(system->links[*system->find_input("rotor.torque")]->terms.front().gain, 0.05, 1e-17);
  EXPECT_NEAR(system->links[*system->find_input("coil.voltage")]->terms.front().gain, -0.05 * rpm, 1e-17);
  const BondComponent& c = system->bonds.front().components.front();
  EXPECT_NEAR(c.effort_output_to_SI * c.flow_input_to_SI, -1.0,
              1e-15);  // 1 A at 1 V: power that the coil takes in
}

TEST(FreezeBondRatio, WhatDoesNotFitIsSaid) {
  struct Case {
    const char* ratio;
    const char* says;
    const char* remedy;
  };
  for (const Case& c :
       {Case{"3", "'ratio' is a plain number between 'chamber.pressure' [bar] and 'rod.force_in' [kN]",
             "a unit"},
        Case{"3 m", "ratio [m] times 'chamber.pressure' [bar] is not 'rod.force_in' [kN]",
             "flow of a over flow of b"},
        Case{"0 cm2", "'ratio' is 0", "other than 0"}}) {
    SystemGraph graph;
    BondSpec spec = piston(graph);
    spec.ratio = BondRatio::parse(c.ratio);
    graph.bond(spec);
    expect_single_error(std::move(graph), c.says, c.remedy);
  }
  SystemGraph scaled;
  BondSpec spec = piston(scaled);
  spec.scale = 2.0;
  scaled.bond(spec);
  expect_single_error(std::move(scaled), "a 'ratio' and a 'scale'", "into the ratio");
  SystemGraph bare;
  spec = piston(bare);
  spec.kind = BondKind::gyrator;
  spec.ratio.reset();
  bare.bond(spec);
  expect_single_error(std::move(bare), "a gyrator without a ratio", "V.s/rad");
}

TEST(FreezeBondRatio, IsReadWithItsUnitOrNotAtAll) {
  EXPECT_EQ(BondRatio::parse("10")->value, 10.0);
  EXPECT_FALSE(BondRatio::parse("") || BondRatio::parse("m2") || BondRatio::parse("3m2") ||
               BondRatio::parse("3 parsecs") || BondRatio::parse("3 "));
  EXPECT_NEAR(BondRatio::parse("-2.5 cm2")->in_SI(), -2.5e-4, 1e-19);
}

// A gear of two gains, one per direction, is no end of a bond: the message says so and what to write instead, at whichever end and for
// outputs as for inputs.
TEST(FreezeBondErrors, EndsScatteredOverTwoElements) {
  for (const bool effort_from_gain : {false, true}) {
    SystemGraph graph;
    add_pair(graph);
    graph.add("torque_gain", stub({port("in", "")}, {port("out", "")}), step);
    graph.add("speed_gain", stub({port("in", "")}, {port("out", "")}), step);
    BondSpec spec = good_bond();
    if (effort_from_gain) {
      spec.a = {{"torque_gain.out"}, {"left.velocity_in"}, {"left.position_in"}};
    } else {
      spec.b = {{"torque_gain.in"}, {"speed_gain.out"}, {}};
      spec.a.displacement.clear();
    }
    graph.bond(spec);
    expect_single_error(
        std::move(graph),
        effort_from_gain
            ? "end a has ports of two subsystems or elements, 'torque_gain.out' and 'left.velocity_in'"
            : "end b has ports of two subsystems or elements, 'torque_gain.in' and 'speed_gain.out'",
        "'ratio'");
  }
}

TEST(FreezeBond, AConnectionMayBeMarkedAsGeometry) {
  SystemGraph graph;
  graph.add("left", stub({port("x_in", "m")}, {port("x", "m")}), step);
  graph.add("right", stub({port("x_in", "m")}, {port("x", "m")}), step);
  ConnectionSpec spec;
  spec.from = {"right.x"};
  spec.to = "left.x_in";
  graph.connect(spec);
  spec.from = {"left.x"};
  spec.to = "right.x_in";
  spec.geometry = true;
  graph.connect(spec);
  const auto system = freeze(std::move(graph));
  ASSERT_NE(system, nullptr);
  EXPECT_TRUE(system->links[*system->find_input("right.x_in")]->geometry);
  EXPECT_FALSE(system->links[*system->find_input("left.x_in")]->geometry);
}

}  // namespace
}  // namespace ergon

#include "ergon/coupling/plan/bond_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "ergon/coupling/plan/energy_groups.hpp"
#include "support/accounted_body.hpp"
#include "support/stub_subsystem.hpp"

namespace ergon {
namespace {

using namespace testing;

/// one ─ two ─ three, and a pair apart; the effort of the second bond is declared from its far side.
std::unique_ptr<CoupledSystem> two_groups() {
  SystemGraph graph;
  const auto body = [](double kc) { return std::make_unique<Body>(BodyParameters{.kc_N_m = kc}); };
  graph.add("one", body(80.0), milliseconds(1));
  graph.add("two", body(60.0), milliseconds(2));
  graph.add("three", body(0.0), milliseconds(1));
  graph.add("left", body(10.0), milliseconds(1));
  graph.add("right", body(0.0), milliseconds(1));
  graph.bond(spring_bond("one-two", "one", "two"));
  BondSpec turned = spring_bond("two-three", "two", "three");
  std::swap(turned.a, turned.b);
  turned.scale = 3.0;
  graph.bond(turned);
  graph.bond(spring_bond("apart", "left", "right"));
  ProblemList problems;
  auto system = graph.freeze(problems);
  if (!system) throw InputError(problems);
  return system;
}

Index node_named(const CoupledSystem& system, const std::string& name) {
  return system.find_node(name).value();
}

TEST(BondTable, KnowsSenderReceiverSignAndPortsOfEachBond) {
  const auto system = two_groups();
  const BondTable table(*system);
  ASSERT_EQ(table.size(), 3U);
  const auto number = std::find_if(system->bonds.begin(), system->bonds.end(),
                                   [](const PowerBond& b) { return b.name == "two-three"; }) -
                      system->bonds.begin();
  const BondRow& row = table.row(static_cast<Index>(number));
  EXPECT_EQ(row.sender, node_named(*system, "two"));
  EXPECT_EQ(row.receiver, node_named(*system, "three"));
  EXPECT_EQ(row.sign_into_b, -1.0);
  EXPECT_TRUE(row.receiver_samples_start);
  EXPECT_FALSE(row.sender_is_element);
  ASSERT_EQ(row.components.size(), 1U);
  const BondComponentRow& c = row.components.front();
  EXPECT_EQ(c.effort.index, system->find_output("two.force").value());
  EXPECT_EQ(c.effort_input.index, system->find_input("three.force_in").value());
  EXPECT_EQ(c.flow.index, system->find_output("three.velocity").value());
  EXPECT_EQ(c.flow_input.index, system->find_input("two.velocity_in").value());
  EXPECT_EQ(c.displacement.index, system->find_output("three.position").value());
  EXPECT_EQ(c.displacement_input.index, system->find_input("two.position_in").value());
  EXPECT_EQ(c.effort_to_power, 3.0);
  std::size_t components = 0;
  for (const BondRow& each : table.rows()) {
    EXPECT_EQ(each.first_component, components);
    components += each.components.size();
  }
  EXPECT_EQ(table.component_count(), components);
}

// An input without a unit gets the millimetres of the output as they are: 1 of them is 1 mm.
TEST(BondTable, ADisplacementInputWithoutUnitHasTheUnitOfItsOutput) {
  const auto displacement_input_to_SI = [](const std::string& unit) {
    SystemGraph graph;
    graph.add("left", stub({port("x_in", unit), port("v_in", "m/s")}, {port("f", "N")}), milliseconds(1));
    graph.add("right", stub({port("f_in", "N")}, {port("x", "mm"), port("v", "m/s")}), milliseconds(1));
    BondSpec bond;
    bond.name = "b";
    bond.a = {{"left.f"}, {"left.v_in"}, {"left.x_in"}};
    bond.b = {{"right.f_in"}, {"right.v"}, {"right.x"}};
    graph.bond(bond);
    ProblemList problems;
    const auto system = graph.freeze(problems);
    if (!system) throw InputError(problems);
    return BondTable(*system).row(0).components.front().displacement_input.to_SI;
  };
  EXPECT_DOUBLE_EQ(displacement_input_to_SI(""), 1e-3);
  EXPECT_DOUBLE_EQ(displacement_input_to_SI("m"), 1.0);
  EXPECT_DOUBLE_EQ(displacement_input_to_SI("cm"), 1e-2);
}

TEST(EnergyGroups, BondsThatShareANodeAreOneGroup) {
  const auto system = two_groups();
  const std::vector<BondGroup> groups = bond_groups(*system);
  ASSERT_EQ(groups.size(), 2U);
  std::vector<std::size_t> sizes;
  for (const BondGroup& group : groups) {
    sizes.push_back(group.members.size());
    EXPECT_EQ(group.members.size(), group.bonds.size() + 1) << "a chain";
  }
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 3}));
}

// Of the three bodies of the chain only the external forces come from outside; for the pair one–two alone, what arrives at `two`
// through the other bond does, too.
TEST(EnergyGroups, WhatABondOutsideOfTheGroupFeedsComesFromOutside) {
  const auto system = two_groups();
  const auto outside_of = [&](const std::string& name, std::span<const Index> bonds) {
    const Index n = node_named(*system, name);
    std::vector<std::string> names;
    for (const std::uint32_t i : outside_inputs(*system, n, inputs_fed_by(*system, bonds)))
      names.push_back(system->inputs[system->nodes[n].first_input + i].text);
    return names;
  };
  std::vector<Index> all(system->bonds.size());
  std::iota(all.begin(), all.end(), Index{0});
  const auto one_two =
      std::find_if(all.begin(), all.end(), [&](Index b) { return system->bonds[b].name == "one-two"; });
  EXPECT_EQ(outside_of("two", all), (std::vector<std::string>{"two.external"}));
  EXPECT_EQ(outside_of("two", std::span(&*one_two, 1)),
            (std::vector<std::string>{"two.position_in", "two.velocity_in", "two.external"}));
}

TEST(EnergyGroups, GeometryBringsNoWorkAndAConstantForceDoes) {
  const auto system = two_groups();
  const Index input = system->find_input("three.external").value();
  const Index n = node_named(*system, "three");
  const auto fed = inputs_fed_by(*system, std::vector<Index>{0, 1, 2});
  const auto relative = static_cast<std::uint32_t>(input - system->nodes[n].first_input);
  system->input_start[input] = 5.0;
  EXPECT_EQ(outside_inputs(*system, n, fed), std::vector<std::uint32_t>{relative});
  system->links[input].emplace();
  system->links[input]->geometry = true;
  EXPECT_TRUE(outside_inputs(*system, n, fed).empty());
}

// 7 J stored, 2 J dissipated, 1 J supplied inside, 4 and 5 J received: 7 + 2 − 1 − 5 of which 5 came from outside.
TEST(EnergyGroups, TheBalanceTakesOffWhatCameFromOutside) {
  std::array<double, 2> received = {4.0, 5.0};
  AccountSample account;
  account.stored_J = 7.0;
  account.synchronised_J = 70.0;
  account.dissipated_J = 2.0;
  account.supplied_J = 1.0;
  account.received_J = received;
  const std::vector<std::uint32_t> outside = {1};
  EnergyBalance balance;
  balance.add(account, outside, StoredEnergy::sampled);
  EXPECT_EQ(balance.total_J(), 3.0);
  balance.add(account, outside, StoredEnergy::synchronised);
  EXPECT_EQ(balance.total_J(), 69.0);
  EXPECT_EQ(balance.outside_J, 10.0);
}

}  // namespace
}  // namespace ergon

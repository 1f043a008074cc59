#include "ergon/fmi/subsystem/bond_proposals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace ergon::fmi {
namespace {

Variable port_of(const std::string& name, Causality causality, const std::string& unit) {
  Variable v;
  v.name = name;
  v.causality = causality;
  v.unit = unit;
  return v;
}

struct Named {
  std::string flow;
  std::string displacement;
};

std::map<std::string, Named> proposed(std::vector<Variable> variables) {
  ModelDescription model;
  model.variables = std::move(variables);
  std::map<std::string, Named> by_effort;
  for (const BondProposal& p : propose_bonds(model)) by_effort[p.effort] = {p.flow, p.displacement};
  return by_effort;
}

// Wherever the variables stand in the description: forces of two joints go with the motion of their own joint.
TEST(BondProposals, AreMadeAmongRelatedNamesInAnyOrder) {
  const std::vector<Variable> variables = {
      port_of("boom.force", Causality::input, "N"),      port_of("boom.velocity", Causality::output, "m/s"),
      port_of("boom.position", Causality::output, "m"),  port_of("arm.force", Causality::input, "N"),
      port_of("arm.velocity", Causality::output, "m/s"), port_of("arm.position", Causality::output, "m")};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5};
  do {
    std::vector<Variable> shuffled;
    for (const std::size_t i : order) shuffled.push_back(variables[i]);
    const auto proposals = proposed(shuffled);
    ASSERT_EQ(proposals.size(), 2U);
    EXPECT_EQ(proposals.at("boom.force").flow, "boom.velocity");
    EXPECT_EQ(proposals.at("boom.force").displacement, "boom.position");
    EXPECT_EQ(proposals.at("arm.force").flow, "arm.velocity");
    EXPECT_EQ(proposals.at("arm.force").displacement, "arm.position");
  } while (std::next_permutation(order.begin(), order.end()));
}

// Names have parts: what two words begin with alike is not kinship, what comes before a dot or an underscore is.
TEST(BondProposals, KinshipEndsWhereAPartOfTheNameEnds) {
  const auto proposals = proposed(
      {port_of("x_force1", Causality::input, "N"), port_of("x_foreign_velocity", Causality::output, "m/s"),
       port_of("x_force1_velocity", Causality::output, "m/s"), port_of("y_force", Causality::input, "N"),
       port_of("y_velocity", Causality::output, "m/s")});
  // x_f… is as near to both: the first that is described. Neither belongs to y.
  EXPECT_EQ(proposals.at("x_force1").flow, "x_foreign_velocity");
  EXPECT_EQ(proposals.at("y_force").flow, "y_velocity");

  const auto deeper = proposed({port_of("crane.boom.force", Causality::input, "N"),
                                port_of("crane.boat.velocity", Causality::output, "m/s"),
                                port_of("crane.boom.velocity", Causality::output, "m/s")});
  EXPECT_EQ(deeper.at("crane.boom.force").flow, "crane.boom.velocity");
}

TEST(BondProposals, AForceThatComesOutIsAnEffortOut) {
  ModelDescription model;
  model.variables = {port_of("pin.velocity", Causality::input, "m/s"),
                     port_of("pin.position", Causality::input, "m"),
                     port_of("pin.force", Causality::output, "N")};
  const auto proposals = propose_bonds(model);
  ASSERT_EQ(proposals.size(), 1U);
  EXPECT_FALSE(proposals[0].effort_is_input);
  EXPECT_EQ(proposals[0].effort, "pin.force");
  EXPECT_EQ(proposals[0].displacement, "pin.position");
  // Units that make no power, or are not said, make no bond.
  EXPECT_TRUE(proposed({port_of("a", Causality::input, "N"), port_of("b", Causality::output, "m")}).empty());
  EXPECT_TRUE(proposed({port_of("a", Causality::input, "N"), port_of("b", Causality::output, "")}).empty());
}

}  // namespace
}  // namespace ergon::fmi

#include "ergon/coupling/plan/energy_groups.hpp"

#include <map>
#include <numeric>

#include "ergon/core/disjoint_sets.hpp"

namespace ergon {

std::vector<bool> inputs_fed_by(const CoupledSystem& system, std::span<const Index> bonds) {
  std::vector<bool> fed(system.inputs.size(), false);
  for (const Index b : bonds) {
    for (const Index input : system.bonds[b].effort_node_inputs) fed[input] = true;
    for (const Index input : system.bonds[b].flow_node_inputs) fed[input] = true;
  }
  return fed;
}

std::vector<std::uint32_t> outside_inputs(const CoupledSystem& system, Index node_index,
                                          const std::vector<bool>& fed_by_group) {
  const Node& node = system.nodes[node_index];
  std::vector<std::uint32_t> outside;
  for (Index i = 0; i < node.input_counts.reals; ++i) {
    const Index input = node.first_input + i;
    const bool is_geometry = system.links[input] && system.links[input]->geometry;
    if (!fed_by_group[input] && !is_geometry) outside.push_back(static_cast<std::uint32_t>(i));
  }
  return outside;
}

std::vector<BondGroup> bond_groups(const CoupledSystem& system, std::span<const Index> bonds) {
  DisjointSets joined(system.nodes.size());
  for (const Index b : bonds) joined.join(system.bonds[b].effort_node, system.bonds[b].flow_node);
  const std::vector<bool> fed = inputs_fed_by(system, bonds);
  std::map<Index, std::size_t> group_of_set;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place_of_node(system.nodes.size(), none);  // in its group
  std::vector<BondGroup> groups;
  for (const Index b : bonds) {
    const PowerBond& bond = system.bonds[b];
    const auto [found, is_new] = group_of_set.emplace(joined.find(bond.flow_node), groups.size());
    if (is_new) groups.emplace_back();
    BondGroup& group = groups[found->second];
    group.bonds.push_back(b);
    for (const Index n : {bond.effort_node, bond.flow_node}) {
      if (place_of_node[n] != none) continue;
      place_of_node[n] = group.members.size();
      BondGroup::Member& member = group.members.emplace_back();
      member.node = n;
      member.algebraic = system.nodes[n].description->algebraic;
      if (!member.algebraic) member.outside = outside_inputs(system, n, fed);
    }
    for (const Index input : bond.flow_node_inputs) {
      group.members[place_of_node[bond.flow_node]].efforts.push_back(
          static_cast<std::uint32_t>(input - system.nodes[bond.flow_node].first_input));
    }
  }
  return groups;
}

std::vector<BondGroup> bond_groups(const CoupledSystem& system) {
  std::vector<Index> all(system.bonds.size());
  std::iota(all.begin(), all.end(), Index{0});
  return bond_groups(system, all);
}

}  // namespace ergon

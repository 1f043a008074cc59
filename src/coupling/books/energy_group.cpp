#include "ergon/coupling/books/energy_group.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "ergon/coupling/books/joined_nodes.hpp"

namespace ergon {

EnergyGroup::EnergyGroup(const CoupledSystem& system, std::vector<Index> bonds,
                         const std::vector<bool>& fed_by_bond)
    : system_(&system), bonds_(std::move(bonds)) {
  for (const Index b : bonds_) {
    add_member(system, system.bonds[b].effort_node, fed_by_bond);
    add_member(system, system.bonds[b].flow_node, fed_by_bond);
    add_element_ports(system, b);
  }
}

void EnergyGroup::add_member(const CoupledSystem& system, Index node_index,
                             const std::vector<bool>& fed_by_bond) {
  if (std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.node == node_index; }))
    return;
  const Node& node = system.nodes[node_index];
  Member member;
  member.node = node_index;
  if (node.description->algebraic) {
    // Sampled at its receivers it works with guesses of its sources: its efforts and their displacements do not belong
    // together.
    complete_ = complete_ && node.evaluate == EvaluateAt::sources;
    members_.push_back(std::move(member));
    return;
  }
  names_.push_back(node.name);
  complete_ = complete_ && node.subsystem != nullptr && node.subsystem->energy_account() != nullptr;
  for (Index i = 0; i < node.input_lanes.reals; ++i) {
    const Index input = node.first_input + i;
    const bool silent = !system.links[input] && system.input_start[input] == 0.0;
    const bool is_geometry = system.links[input] && system.links[input]->geometry;
    if (fed_by_bond[input] || silent || is_geometry) continue;
    member.outside.push_back(i);
    if (!system.links[input]) continue;
    const auto keeps_books = [&](const LinkTerm& term) {
      const Node& source = system.nodes[system.outputs[term.output].node];
      return source.subsystem != nullptr && source.subsystem->energy_account() != nullptr;
    };
    const auto& terms = system.links[input]->terms;
    if (std::any_of(terms.begin(), terms.end(), keeps_books)) unwatched_.push_back(system.inputs[input].text);
  }
  members_.push_back(std::move(member));
}

void EnergyGroup::add_element_ports(const CoupledSystem& system, Index bond_index) {
  const PowerBond& bond = system.bonds[bond_index];
  // Both ends hold the coupling law, and unless they know of each other its energy is in both of their books.
  complete_ = complete_ && (!bond.observed_only || bond.law_booked_once);
  if (!system.nodes[bond.effort_node].description->algebraic) {
    // An element that takes an effort (a lever, say) passes power on, and none of its books show it.
    complete_ = complete_ && !system.nodes[bond.flow_node].description->algebraic;
    return;
  }
  for (const BondComponent& c : bond.components) {
    ElementPort port;
    port.bond = bond_index;
    port.effort_output = c.effort_output;
    port.effort_to_SI = bond.scale * c.effort_output_to_SI;
    if (c.displacement_output) {
      port.displacement_output = *c.displacement_output;
      port.displacement_to_SI = c.displacement_output_to_SI;
    } else if (c.flow_differentiated) {
      port.displacement_output = c.flow_output;
      port.displacement_to_SI = c.flow_output_to_SI;
    } else {
      complete_ = false;
      return;
    }
    element_ports_.push_back(port);
  }
}

void EnergyGroup::learn(const StepRecord& record) {
  const std::span<const BondRecord> bonds = record.bonds();
  for (ElementPort& port : element_ports_) {
    if (started_ && bonds[port.bond].last_point != record.tick()) continue;
    const double effort = record.output(port.effort_output) * port.effort_to_SI;
    const double displacement = record.output(port.displacement_output) * port.displacement_to_SI;
    if (started_) element_work_J_ += 0.5 * (port.effort + effort) * (displacement - port.displacement);
    port.effort = effort;
    port.displacement = displacement;
  }
  started_ = true;
}

bool EnergyGroup::may_sample(const StepRecord& record) const {
  const std::span<const BondRecord> bonds = record.bonds();
  return std::all_of(bonds_.begin(), bonds_.end(),
                     [&](Index b) { return bonds[b].last_point == record.tick(); });
}

bool EnergyGroup::sample(const StepRecord& record, std::size_t window) {
  double stored_J = 0.0;
  double element_stored_J = 0.0;
  double dissipated_J = 0.0;
  double outside_J = 0.0;
  for (const Member& member : members_) {
    const EnergyRecord& energy = record.energy(member.node);
    if (!energy.at_point) return false;
    stored_J += energy.synchronised_J;
    dissipated_J += energy.dissipated_J;
    if (system_->nodes[member.node].description->algebraic) element_stored_J += energy.synchronised_J;
    double work_J = 0.0;
    for (const Index i : member.outside) work_J += energy.received_J[i];
    outside_J += work_J;
  }
  if (spurious_.samples() == 0) {
    start_J_ = stored_J + dissipated_J - outside_J;
    element_start_J_ = element_stored_J;
  }
  if (!element_ports_.empty()) dissipated_J += -element_work_J_ - (element_stored_J - element_start_J_);
  spurious_.sample(stored_J, dissipated_J, stored_J + dissipated_J - outside_J - start_J_, window);
  return true;
}

void EnergyGroup::archive(Archive& archive) {
  for (ElementPort& port : element_ports_) {
    archive(port.effort);
    archive(port.displacement);
  }
  archive(started_);
  archive(element_work_J_);
  archive(start_J_);
  archive(element_start_J_);
  archive(spurious_);
}

std::vector<EnergyGroup> energy_groups(const CoupledSystem& system) {
  std::vector<Index> all(system.bonds.size());
  std::iota(all.begin(), all.end(), Index{0});
  const std::vector<Index> group_of_node = joined_nodes(system, all);
  std::map<Index, std::size_t> number;
  std::vector<std::vector<Index>> members;
  for (Index b = 0; b < system.bonds.size(); ++b) {
    const auto [place, is_new] = number.emplace(group_of_node[system.bonds[b].flow_node], members.size());
    if (is_new) members.emplace_back();
    members[place->second].push_back(b);
  }
  std::vector<bool> fed_by_bond(system.inputs.size(), false);
  for (const PowerBond& b : system.bonds) {
    for (const Index input : b.effort_node_inputs) fed_by_bond[input] = true;
    for (const Index input : b.flow_node_inputs) fed_by_bond[input] = true;
  }
  std::vector<EnergyGroup> groups;
  for (std::vector<Index>& bonds : members) groups.emplace_back(system, std::move(bonds), fed_by_bond);
  return groups;
}

}  // namespace ergon

#include "ergon/coupling/books/energy_group.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "ergon/coupling/books/joined_nodes.hpp"

namespace ergon {

EnergyGroup::EnergyGroup(const CoupledSystem& system, std::vector<Index> bonds,
                         const std::vector<bool>& fed_by_bond)
    : bonds_(std::move(bonds)) {
  std::unordered_set<Index> known;
  for (const Index b : bonds_) {
    for (const Index node : {system.bonds[b].effort_node, system.bonds[b].flow_node}) {
      if (known.insert(node).second) add_member(system, node, fed_by_bond);
    }
    add_element_ports(system, b);
  }
}

void EnergyGroup::add_member(const CoupledSystem& system, Index node_index,
                             const std::vector<bool>& fed_by_bond) {
  const Node& node = system.nodes[node_index];
  Member member;
  member.node = node_index;
  member.algebraic = node.description->algebraic;
  if (member.algebraic) {
    sampled_at_receivers_ = sampled_at_receivers_ || node.evaluate == EvaluateAt::receiver;
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
  const BondFigures& bonds = record.bond_figures();
  for (ElementPort& port : element_ports_) {
    if (started_ && bonds.last_point(port.bond) != record.tick()) continue;
    const double effort = record.output(port.effort_output) * port.effort_to_SI;
    const double displacement = record.output(port.displacement_output) * port.displacement_to_SI;
    if (started_) element_work_J_ += 0.5 * (port.effort + effort) * (displacement - port.displacement);
    port.effort = effort;
    port.displacement = displacement;
  }
  started_ = true;
}

/// ½Σm(v − V)², V the mean velocity of the centre of mass so far: zero for what is held, and that of a vehicle for its parts.
double EnergyGroup::kinetic_J(double kinetic_J, const Momentum& sum) {
  if (!has_momentum_ || !(sum.mass_kg > 0.0)) return kinetic_J;
  const auto n = static_cast<double>(spurious_.samples() + 1);
  double beside_J = kinetic_J;
  for (std::size_t i = 0; i < mean_velocity_m_s_.size(); ++i) {
    double& mean = mean_velocity_m_s_[i];
    mean += (sum.momentum_kg_m_s[i] / sum.mass_kg - mean) / n;
    beside_J += mean * (0.5 * sum.mass_kg * mean - sum.momentum_kg_m_s[i]);
  }
  // The mean of a vibration is not yet zero in its first period.
  return std::clamp(beside_J, 0.0, kinetic_J);
}

bool EnergyGroup::may_sample(const StepRecord& record) const {
  const BondFigures& bonds = record.bond_figures();
  return std::all_of(bonds_.begin(), bonds_.end(),
                     [&](Index b) { return bonds.last_point(b) == record.tick(); });
}

bool EnergyGroup::sample(const StepRecord& record, std::size_t window) {
  const auto is_there = [&](const Member& member) { return record.is_at_point(member.node); };
  if (!std::all_of(members_.begin(), members_.end(), is_there)) return false;
  EnergySample now;
  Momentum momentum;
  double element_stored_J = 0.0;
  double law_taken_J = 0.0;
  double kinetic = 0.0;
  for (const Member& member : members_) {
    const EnergyRecord& energy = record.energy(member.node);
    now.stored_J += energy.synchronised_J;
    kinetic += energy.kinetic_J;
    if (member.algebraic) {
      element_stored_J += energy.synchronised_J;
      law_taken_J += energy.non_conservative_J();
      continue;
    }
    now.dissipated_J += energy.non_conservative_J();
    has_momentum_ = has_momentum_ && energy.has_momentum;
    momentum.mass_kg += energy.momentum.mass_kg;
    for (std::size_t i = 0; i < momentum.momentum_kg_m_s.size(); ++i)
      momentum.momentum_kg_m_s[i] += energy.momentum.momentum_kg_m_s[i];
    double work_J = 0.0;
    for (const Index i : member.outside) work_J += energy.received_J[i];
    now.outside_J += work_J;
  }
  if (spurious_.samples() == 0) {
    start_J_ = now.stored_J + now.dissipated_J - now.outside_J;
    element_start_J_ = element_stored_J;
  }
  if (!element_ports_.empty()) {
    const double taken_J = -element_work_J_ - (element_stored_J - element_start_J_);
    now.dissipated_J += sampled_at_receivers_ ? law_taken_J : taken_J;
    most_given_J_ = std::max(most_given_J_, law_taken_J - taken_J);
  }
  now.kinetic_J = kinetic_J(kinetic, momentum);
  now.created_J = now.stored_J + now.dissipated_J - now.outside_J - start_J_;
  spurious_.sample(now, window);
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
  archive(most_given_J_);
  archive(mean_velocity_m_s_);
  archive(has_momentum_);
  archive(spurious_);
}

namespace {

std::vector<bool> inputs_of_bonds(const CoupledSystem& system) {
  std::vector<bool> fed_by_bond(system.inputs.size(), false);
  for (const PowerBond& b : system.bonds) {
    for (const Index input : b.effort_node_inputs) fed_by_bond[input] = true;
    for (const Index input : b.flow_node_inputs) fed_by_bond[input] = true;
  }
  return fed_by_bond;
}

/// Whether what arrives at an input comes from a subsystem that others act on. `seen`: elements on the way.
bool comes_from_others(const CoupledSystem& system, Index input, std::vector<bool>& seen) {
  if (!system.links[input]) return false;
  for (const LinkTerm& term : system.links[input]->terms) {
    const Index source = system.outputs[term.output].node;
    const Node& node = system.nodes[source];
    if (!node.description->algebraic) {
      if (node.input_count > 0) return true;
      continue;
    }
    if (seen[source]) continue;
    seen[source] = true;
    for (Index i = 0; i < node.input_count; ++i) {
      if (comes_from_others(system, node.first_input + i, seen)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> unwatched_inputs(const CoupledSystem& system) {
  const std::vector<bool> fed_by_bond = inputs_of_bonds(system);
  std::vector<std::string> found;
  for (Index input = 0; input < system.inputs.size(); ++input) {
    const auto& link = system.links[input];
    if (fed_by_bond[input] || !link || link->geometry) continue;
    if (system.nodes[system.inputs[input].node].description->algebraic) continue;
    std::vector<bool> seen(system.nodes.size(), false);
    if (comes_from_others(system, input, seen)) found.push_back(system.inputs[input].text);
  }
  return found;
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
  const std::vector<bool> fed_by_bond = inputs_of_bonds(system);
  std::vector<EnergyGroup> groups;
  for (std::vector<Index>& bonds : members) groups.emplace_back(system, std::move(bonds), fed_by_bond);
  return groups;
}

}  // namespace ergon

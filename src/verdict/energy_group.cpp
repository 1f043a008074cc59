#include "ergon/verdict/energy_group.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ergon/core/accounted_law.hpp"

namespace ergon {

EnergyGroup::EnergyGroup(const CoupledSystem& system, BondGroup group) : group_(std::move(group)) {
  for (const BondGroup::Member& member : group_.members) {
    const Node& node = system.nodes[member.node];
    if (member.algebraic) {
      sampled_at_receivers_ = sampled_at_receivers_ || node.evaluate == EvaluateAt::receiver;
    } else {
      names_.push_back(node.name);
      complete_ = complete_ && node.subsystem != nullptr && node.subsystem->energy_account() != nullptr;
    }
  }
  for (const Index b : group_.bonds) {
    const PowerBond& bond = system.bonds[b];
    const auto* law = dynamic_cast<const AccountedLaw*>(system.nodes[bond.effort_node].subsystem.get());
    if (law == nullptr || is_balanced_by_law(bond.effort_node)) continue;
    const auto rows = bond_component_rows(system, bond);
    if (std::any_of(rows.begin(), rows.end(), [](const BondComponentRow& c) { return !c.has_displacement; }))
      balanced_by_law_.push_back(bond.effort_node);
  }
  for (const Index b : group_.bonds) add_element_ports(system, b);
}

bool EnergyGroup::is_balanced_by_law(Index node) const {
  return std::find(balanced_by_law_.begin(), balanced_by_law_.end(), node) != balanced_by_law_.end();
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
  if (is_balanced_by_law(bond.effort_node)) return;
  for (const BondComponentRow& c : bond_component_rows(system, bond)) {
    if (!c.has_displacement) {
      complete_ = false;
      return;
    }
    element_ports_.push_back({bond_index, c});
  }
}

void EnergyGroup::observe(const StepRecord& record) {
  const BondFigures& bonds = record.bond_figures();
  for (ElementPort& port : element_ports_) {
    if (started_ && bonds.last_point(port.bond) != record.tick()) continue;
    const double effort = record.output(port.of.effort.index) * port.of.effort_to_power;
    const double displacement = record.output(port.of.displacement.index) * port.of.displacement.to_SI;
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
  return std::all_of(group_.bonds.begin(), group_.bonds.end(),
                     [&](Index b) { return bonds.last_point(b) == record.tick(); });
}

bool EnergyGroup::sample(const StepRecord& record, std::size_t window) {
  const auto is_there = [&](const BondGroup::Member& member) { return record.is_at_point(member.node); };
  if (!std::all_of(group_.members.begin(), group_.members.end(), is_there)) return false;
  EnergyBalance balance;
  Momentum momentum;
  double element_stored_J = 0.0;
  double law_taken_J = 0.0;
  double kinetic = 0.0;
  double magnitude = 0.0;
  for (const BondGroup::Member& member : group_.members) {
    const EnergyRecord& energy = record.energy(member.node);
    magnitude +=
        std::abs(energy.synchronised_J) + std::abs(energy.dissipated_J) + std::abs(energy.supplied_J);
    kinetic += energy.kinetic_J;
    if (member.algebraic) {
      balance.stored_J += energy.synchronised_J;
      if (is_balanced_by_law(member.node)) {
        balance.dissipated_J += energy.non_conservative_J();
        continue;
      }
      element_stored_J += energy.synchronised_J;
      law_taken_J += energy.non_conservative_J();
      continue;
    }
    balance.add(energy, member.outside, StoredEnergy::synchronised);
    has_momentum_ = has_momentum_ && energy.has_momentum;
    momentum.mass_kg += energy.momentum.mass_kg;
    for (std::size_t i = 0; i < momentum.momentum_kg_m_s.size(); ++i)
      momentum.momentum_kg_m_s[i] += energy.momentum.momentum_kg_m_s[i];
  }
  if (spurious_.samples() == 0) {
    start_J_ = balance.total_J();
    element_start_J_ = element_stored_J;
  }
  if (!element_ports_.empty()) {
    const double taken_J = -element_work_J_ - (element_stored_J - element_start_J_);
    balance.dissipated_J += sampled_at_receivers_ ? law_taken_J : taken_J;
    most_given_J_ = std::max(most_given_J_, law_taken_J - taken_J);
  }
  EnergySample now;
  now.stored_J = balance.stored_J;
  now.dissipated_J = balance.dissipated_J;
  now.outside_J = balance.outside_J;
  now.kinetic_J = kinetic_J(kinetic, momentum);
  now.created_J = balance.total_J() - start_J_;
  now.magnitude_J = magnitude + std::abs(balance.outside_J);
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
  std::vector<Index> all(system.bonds.size());
  std::iota(all.begin(), all.end(), Index{0});
  const std::vector<bool> fed_by_bond = inputs_fed_by(system, all);
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
  std::vector<EnergyGroup> groups;
  for (BondGroup& group : bond_groups(system)) groups.emplace_back(system, std::move(group));
  return groups;
}

}  // namespace ergon

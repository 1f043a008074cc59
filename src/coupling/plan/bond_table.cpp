#include "ergon/coupling/plan/bond_table.hpp"

#include <algorithm>

#include "ergon/coupling/plan/coupling_plan.hpp"

namespace ergon {
namespace {

BondNumber number_of(Index index, double to_SI) {
  return {{}, static_cast<std::uint32_t>(index), to_SI};
}

/// The input of the sender that gets the displacement of a component and nothing else. One without a unit gets the numbers of the
/// output as they are, in the unit of that.
void find_displacement_input(const CoupledSystem& system, const PowerBond& bond, double transfer,
                             BondComponentRow& row) {
  const auto gets_it = [&](Index input) {
    const auto& link = system.links[input];
    return link && link->terms.size() == 1 && link->terms.front().output == row.displacement.index &&
           !link->terms.front().differentiate;
  };
  const auto found = std::find_if(bond.effort_node_inputs.begin(), bond.effort_node_inputs.end(), gets_it);
  if (found == bond.effort_node_inputs.end()) return;
  const Unit& unit = system.input_port(*found).unit;
  row.has_displacement_input = true;
  row.displacement_input =
      number_of(*found, (unit.is_unspecified() ? row.displacement.to_SI : unit.to_SI()) / transfer);
}

void add_addresses(const CouplingPlan& plan, const PowerBond& bond, std::span<BondComponentRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BondComponentRow& row = rows[i];
    row.effort.at = plan.output(row.effort.index);
    row.flow.at = plan.output(row.flow.index);
    if (!bond.observed_only) {
      row.effort_input.at = plan.input(row.effort_input.index);
      row.effort_slot = row.effort_input_shared
                            ? plan.term(row.effort_input.index, bond.components[i].effort_term)
                            : row.effort_input.at;
      row.effort_slot_is_term = row.effort_slot.offset != row.effort_input.at.offset;
    }
    if (row.has_flow_input) row.flow_input.at = plan.input(row.flow_input.index);
    if (row.has_displacement) row.displacement.at = plan.output(row.displacement.index);
    if (row.has_displacement_input) row.displacement_input.at = plan.input(row.displacement_input.index);
  }
}

}  // namespace

std::vector<BondComponentRow> bond_component_rows(const CoupledSystem& system, const PowerBond& bond) {
  std::vector<BondComponentRow> rows;
  for (const BondComponent& c : bond.components) {
    BondComponentRow& row = rows.emplace_back();
    row.effort = number_of(c.effort_output, c.effort_output_to_SI);
    row.effort_input = number_of(c.effort_input, c.effort_input_to_SI);
    row.effort_to_power = bond.scale * c.effort_output_to_SI;
    row.effort_input_shared = c.effort_input_shared;
    row.flow = number_of(c.flow_output, c.flow_output_to_SI);
    row.flow_differentiated = c.flow_differentiated;
    row.has_flow_input = c.has_flow_input;
    if (c.has_flow_input) row.flow_input = number_of(c.flow_input, c.flow_input_to_SI);
    if (c.flow_differentiated) {
      row.displacement = row.flow;
    } else if (c.displacement_output) {
      row.displacement = number_of(*c.displacement_output, c.displacement_output_to_SI);
    }
    row.has_displacement = c.flow_differentiated || c.displacement_output.has_value();
    if (row.has_displacement) find_displacement_input(system, bond, c.transfer, row);
  }
  return rows;
}

BondTable::BondTable(const CoupledSystem& system, const CouplingPlan* plan) {
  std::size_t count = 0;
  for (const PowerBond& bond : system.bonds) count += bond.components.size();
  components_.reserve(count);  // rows point into it
  for (Index b = 0; b < system.bonds.size(); ++b) {
    const PowerBond& bond = system.bonds[b];
    const Description& receiver = *system.nodes[bond.flow_node].description;
    BondRow& row = rows_.emplace_back();
    row.number = b;
    row.sender = bond.effort_node;
    row.receiver = bond.flow_node;
    row.first_component = components_.size();
    const std::vector<BondComponentRow> own = bond_component_rows(system, bond);
    components_.insert(components_.end(), own.begin(), own.end());
    const auto placed = std::span(components_).last(own.size());
    row.components = placed;
    row.sender_inputs = bond.effort_node_inputs;
    row.receiver_inputs = bond.flow_node_inputs;
    row.scale = bond.scale;
    row.sign_into_b = bond.sign_into_b;
    row.observed_only = bond.observed_only;
    row.sender_is_element = system.nodes[bond.effort_node].description->algebraic;
    row.receiver_samples_start = receiver.samples_input == InputSampling::start && !receiver.algebraic;
    if (plan == nullptr) continue;
    add_addresses(*plan, bond, placed);
    row.sender_stage = placed.front().effort.at.stage;
    row.receiver_stage = placed.front().flow.at.stage;
    // An element is sampled at points of its own, which are points of the subsystem that it acts on.
    const bool sender_is_slower =
        plan->stage(row.sender_stage).period > plan->stage(row.receiver_stage).period;
    row.rate_group = row.sender_is_element || sender_is_slower ? row.sender_stage : row.receiver_stage;
  }
}

}  // namespace ergon

#include "ergon/coupling/start/probe_bonds.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/coupling/plan/bond_table.hpp"
#include "ergon/coupling/start/direct_gains.hpp"

namespace ergon {
namespace {

/// Number of an output of a node among its reals.
Index real_output(const CoupledSystem& system, const Node& node, Index output) {
  Index number = 0;
  for (Index o = node.first_output; o < output; ++o) number += system.outputs[o].type == PortType::real;
  return number;
}

/// Whose effort is the only one at its input: the verdict knows what it does there.
bool acts_alone(const BondComponentRow& c) {
  return !c.effort_input_shared;
}
bool has_all_variables(const BondComponentRow& c) {
  return !c.flow_differentiated && c.has_displacement_input;
}

std::optional<BondGains> probe_bond(const CoupledSystem& system, const PowerBond& bond,
                                    const StepRecord& start, TrialSteps steps) {
  const Node& sender = system.nodes[bond.effort_node];
  if (bond.observed_only || sender.description->algebraic || !sender.subsystem ||
      sender.input_counts.reals != sender.input_count)
    return std::nullopt;
  const std::vector<BondComponentRow> components = bond_component_rows(system, bond);
  if (!std::all_of(components.begin(), components.end(), has_all_variables)) return std::nullopt;
  const std::size_t n = components.size();
  std::vector<Index> outputs;
  std::vector<Index> inputs;
  for (const BondComponentRow& c : components) {
    outputs.push_back(real_output(system, sender, c.effort.index));
    inputs.push_back(c.displacement_input.index - sender.first_input);
  }
  for (const BondComponentRow& c : components) {
    if (c.has_flow_input) inputs.push_back(c.flow_input.index - sender.first_input);
  }
  std::vector<double> u(sender.input_count);
  for (Index i = 0; i < sender.input_count; ++i) u[i] = start.evaluated_input(sender.first_input + i);
  const auto gains = probe_direct_gains(sender, outputs, inputs, start.time_s(), u, steps);
  if (!gains) return std::nullopt;

  BondGains found{std::vector<double>(n * n, 0.0), std::vector<double>(n * n, 0.0), 0.0};
  for (std::size_t o = 0; o < n; ++o) {
    const double effort = components[o].effort_to_power;
    std::size_t flow = n;
    for (std::size_t i = 0; i < n; ++i) {
      const double to_SI = effort / components[i].displacement_input.to_SI;
      found.stiffness[o * n + i] = -gains->gain[o * inputs.size() + i] * to_SI;
      found.spread = std::max(found.spread, std::abs(gains->spread[o * inputs.size() + i] * to_SI));
      if (components[i].has_flow_input)
        found.damping[o * n + i] =
            -gains->gain[o * inputs.size() + flow++] * effort / components[i].flow_input.to_SI;
    }
  }
  return found;
}

}  // namespace

std::optional<BondGains> probe_bond(const CoupledSystem& system, Index bond, const StepRecord& present) {
  return probe_bond(system, system.bonds[bond], present, TrialSteps::none);
}

std::vector<std::optional<BondGains>> probe_bonds(const CoupledSystem& system, const StepRecord& start,
                                                  bool sequential) {
  std::vector<std::optional<BondGains>> gains(system.bonds.size());
  const std::span<const BondRecord> records = start.bonds();
  for (Index b = 0; b < gains.size(); ++b) {
    const std::vector<BondComponentRow> components = bond_component_rows(system, system.bonds[b]);
    if (!std::all_of(components.begin(), components.end(), acts_alone)) continue;
    const bool unknown = !records[b].has_imbalance && !sequential;
    gains[b] = probe_bond(system, system.bonds[b], start, unknown ? TrialSteps::allowed : TrialSteps::none);
  }
  return gains;
}

}  // namespace ergon

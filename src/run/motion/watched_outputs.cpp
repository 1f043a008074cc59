#include "ergon/run/motion/watched_outputs.hpp"

#include <algorithm>

#include "ergon/core/disjoint_sets.hpp"
#include "ergon/core/displacement.hpp"

namespace ergon {
namespace {

/// Gives units to some of its ports: what has none there is a number.
bool knows_units(const Description& description) {
  const auto has_unit = [](const Port& port) { return !port.unit.is_unspecified(); };
  return std::any_of(description.inputs.begin(), description.inputs.end(), has_unit) ||
         std::any_of(description.outputs.begin(), description.outputs.end(), has_unit);
}

/// Numbers of the groups of nodes that links join, elements included; sources join nobody.
std::vector<std::size_t> groups_of_nodes(const CoupledSystem& system) {
  DisjointSets joined(system.nodes.size());
  for (const auto& link : system.links) {
    if (!link) continue;
    for (const LinkTerm& term : link->terms) {
      const Index source = system.outputs[term.output].node;
      if (system.nodes[source].input_count == 0) continue;
      joined.join(source, system.inputs[link->input].node);
    }
  }
  std::vector<std::size_t> groups(system.nodes.size());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = joined.find(i);
  return groups;
}

/// Judged whether it is recorded or not: what the verdict is about where nothing else is looked at.
bool is_judged_unrecorded(const Description& description, const Port& port) {
  // A source has no motion of its own, a law none at all.
  if (description.algebraic || description.inputs.empty()) return false;
  if (port.unit.is_unspecified()) return !knows_units(description);
  return is_displacement(port.unit) || is_voltage(port.unit);
}

}  // namespace

bool is_voltage(const Unit& unit) {
  static const Unit voltage = Unit::of("V");
  return !unit.is_unspecified() && !unit.names_angle && unit.same_dimension(voltage);
}

WatchedOutputs watched_outputs(const CoupledSystem& system, const std::vector<Index>& recorded,
                               const std::vector<Accuracy>& accuracies) {
  const std::size_t all = system.outputs.size();
  const auto accuracy_of = [&](Index o) { return accuracies.empty() ? Accuracy{} : accuracies[o]; };
  std::vector<bool> is_recorded(all, false);
  for (const Index output : recorded) is_recorded[output] = system.outputs[output].type == PortType::real;
  std::vector<bool> is_judged(all, false);
  bool any = false;
  for (Index o = 0; o < all; ++o) {
    const Description& description = *system.nodes[system.outputs[o].node].description;
    const Port& port = system.output_port(o);
    if (system.outputs[o].type != PortType::real || port.role == PortRole::diagnostic) continue;
    if (description.is_signal || accuracy_of(o).kind == Accuracy::Kind::any) continue;
    is_judged[o] = is_recorded[o] || is_judged_unrecorded(description, port);
    any = any || is_judged[o];
  }
  for (Index o = 0; !any && o < all; ++o) {
    is_judged[o] = !system.nodes[system.outputs[o].node].description->algebraic &&
                   system.outputs[o].type == PortType::real && accuracy_of(o).kind != Accuracy::Kind::any;
  }
  const std::vector<std::size_t> groups = groups_of_nodes(system);
  WatchedOutputs watched;
  for (Index o = 0; o < all; ++o) {
    if (!is_recorded[o] && !is_judged[o]) continue;
    watched.outputs.push_back(o);
    watched.recorded.push_back(is_recorded[o]);
    watched.judged.push_back(is_judged[o]);
    watched.accuracy.push_back(accuracy_of(o));
    watched.group.push_back(groups[system.outputs[o].node]);
  }
  return watched;
}

}  // namespace ergon

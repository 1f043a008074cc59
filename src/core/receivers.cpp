#include "ergon/core/receivers.hpp"

#include <algorithm>
#include <vector>

#include "ergon/core/live_subsystem.hpp"

namespace ergon {
namespace {

/// `seen`: elements on the way.
std::optional<Rational> shortest_step(const CoupledSystem& system, Index output, std::vector<bool>& seen) {
  std::optional<Rational> shortest;
  const auto consider = [&](const std::optional<Rational>& step_s) {
    if (step_s && step_s->is_positive() && (!shortest || *step_s < *shortest)) shortest = step_s;
  };
  for (const auto& link : system.links) {
    if (!link || std::none_of(link->terms.begin(), link->terms.end(),
                              [&](const LinkTerm& term) { return term.output == output; }))
      continue;
    const Index receiver = system.inputs[link->input].node;
    const Node& node = system.nodes[receiver];
    if (!node.description->algebraic) {
      consider(node.step_s);
      continue;
    }
    if (seen[receiver]) continue;
    seen[receiver] = true;
    for (Index o = 0; o < node.output_count; ++o)
      consider(shortest_step(system, node.first_output + o, seen));
  }
  return shortest;
}

}  // namespace

bool is_source(const Node& node) {
  if (node.description->algebraic || node.input_count > 0 || node.output_count == 0 ||
      node.output_counts.reals != node.output_count || !node.subsystem)
    return false;
  if (node.description->is_signal) return true;
  StateDerivative* states = live(node)->state_derivative();
  return states != nullptr && states->state_names().empty();
}

std::optional<Rational> shortest_step_of_receivers(const CoupledSystem& system, Index output) {
  std::vector<bool> seen(system.nodes.size(), false);
  return shortest_step(system, output, seen);
}

}  // namespace ergon

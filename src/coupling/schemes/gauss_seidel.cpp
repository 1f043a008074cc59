#include <fmt/format.h>

#include <algorithm>

#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {

/// One stage per subsystem, in the user's order (those not named follow, in order of names).
/// Multi-rate: a subsystem that comes after a faster one waits until that one has reached the end of the slow step,
/// so it executes its step at the end; otherwise at the start, and who comes later interpolates its result.
std::vector<StagePlan> plan_gauss_seidel(const SchemeRequest& request, ProblemList& problems) {
  const CoupledSystem& system = request.system;
  std::vector<Index> order;
  std::vector<std::string> names;
  for (const Node& node : system.nodes) {
    if (!node.description.algebraic) names.push_back(node.name);
  }
  for (const std::string& name : request.order) {
    const auto node = system.find_node(name);
    if (!node || system.nodes[*node].description.algebraic) {
      problems.error({}, fmt::format("'order' names '{}', which is no subsystem.", name),
                     did_you_mean(name, names));
    } else if (std::find(order.begin(), order.end(), *node) != order.end()) {
      problems.error({}, fmt::format("'order' names '{}' twice.", name), "Name each subsystem once.");
    } else {
      order.push_back(*node);
    }
  }
  for (Index n = 0; n < system.nodes.size(); ++n) {
    const bool named = std::find(order.begin(), order.end(), n) != order.end();
    if (!named && !system.nodes[n].description.algebraic) order.push_back(n);
  }
  std::vector<StagePlan> plans;
  Tick fastest_so_far = 0;
  for (const Index n : order) {
    StagePlan plan;
    plan.nodes = {n};
    plan.period = request.periods[n];
    plan.executes_at_end = fastest_so_far != 0 && fastest_so_far < plan.period;
    fastest_so_far = fastest_so_far == 0 ? plan.period : std::min(fastest_so_far, plan.period);
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace ergon

#include <map>

#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {

/// One stage per communication step size: everything that starts together is visible together.
std::vector<StagePlan> plan_jacobi(const SchemeRequest& request, ProblemList& /*problems*/) {
  std::map<Tick, StagePlan> by_period;
  for (Index n = 0; n < request.system.nodes.size(); ++n) {
    if (request.system.nodes[n].description.algebraic) continue;
    StagePlan& plan = by_period[request.periods[n]];
    plan.period = request.periods[n];
    plan.nodes.push_back(n);
  }
  std::vector<StagePlan> plans;
  for (auto& [period, plan] : by_period) plans.push_back(std::move(plan));
  return plans;
}

}  // namespace ergon

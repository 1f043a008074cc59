#pragma once

#include "ergon/coupling/state/coupling_state.hpp"

namespace ergon {

/// Moves the free states and unconnected inputs to a static equilibrium, or reports why there is none.
void solve_equilibrium(const CouplingPlan& plan, CouplingState& state, const EquilibriumRequest& request,
                       ProblemList& problems);

}  // namespace ergon

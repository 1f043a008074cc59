#pragma once

#include "ergon/coupling/plan/coupling_plan.hpp"

namespace ergon {

/// Reports steps that a subsystem says it cannot take.
void check_foreign_limits(const CouplingPlan& plan, ProblemList& problems);

}  // namespace ergon

#pragma once

#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// What spans several tables: names said twice, missing steps, steps longer than the run.
void check_scenario(Scenario& scenario, ProblemList& problems);

}  // namespace ergon

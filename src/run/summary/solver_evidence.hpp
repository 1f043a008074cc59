#pragma once

#include "ergon/run/summary/summary.hpp"

namespace ergon {

/// Where a subsystem did not solve its steps to its own tolerance: a warning that names it, and a verdict of *doubtful* at best.
void judge_solvers(Summary& summary);

}  // namespace ergon

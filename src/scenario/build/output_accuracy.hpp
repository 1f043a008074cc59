#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// What is asked of each output: by the pattern with the most characters besides * and ? among those that fit it, else `standard`.
/// An absolute accuracy is returned in the unit of the output. A pattern that fits no output, or outputs of another dimension, is an
/// error.
std::vector<Accuracy> accuracies_of(const CoupledSystem& system, const Accuracy& standard,
                                    const std::vector<std::pair<Said<std::string>, Accuracy>>& rules,
                                    ProblemList& problems);

}  // namespace ergon

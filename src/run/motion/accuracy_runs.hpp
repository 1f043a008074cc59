#pragma once

#include <optional>

#include "ergon/core/api.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon {

/// A run for whose accuracy somebody has asked is made so many times at most, each with smaller steps.
inline constexpr int max_accuracy_runs = 4;

/// By what the steps of a run that is over are to be multiplied to meet the accuracy; empty where it is met, or where nothing would
/// help: the run did not finish, was not checked, or is chaotic.
[[nodiscard]] ERGON_API std::optional<Rational> wanted_step_factor(const Simulation& simulation);

/// The run once more with these steps; empty as above.
[[nodiscard]] ERGON_API std::optional<Simulation> more_accurate(const Simulation& simulation);

}  // namespace ergon

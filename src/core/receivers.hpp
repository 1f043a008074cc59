#pragma once

#include <optional>

#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// A signal of time: a subsystem without inputs and states, which can be asked for its value at any time.
[[nodiscard]] bool is_source(const Node& node);

/// The shortest communication step of the subsystems that an output arrives at, through elements, too; nothing where nobody
/// listens.
[[nodiscard]] std::optional<Rational> shortest_step_of_receivers(const CoupledSystem& system, Index output);

}  // namespace ergon

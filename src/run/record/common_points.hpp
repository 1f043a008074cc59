#pragma once

#include "ergon/coupling/engine.hpp"
#include "ergon/run/record/interval_gate.hpp"

namespace ergon {

/// The steps of all subsystems end together after so many ticks, or at the end of the run. With step control they always do.
[[nodiscard]] Tick common_ticks(const Engine& engine);

/// About `wanted` points spread evenly over the run, all of them common to all subsystems: energies and places of different
/// instants make no picture.
[[nodiscard]] IntervalGate evenly_spread_points(const Engine& engine, double wanted);

}  // namespace ergon

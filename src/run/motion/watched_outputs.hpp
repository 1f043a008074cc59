#pragma once

#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// Which outputs are compared: those that are recorded, and all that are judged.
struct WatchedOutputs {
  std::vector<Index> outputs;  ///< sorted
  std::vector<bool> recorded;
  std::vector<bool> judged;
  std::vector<Accuracy> accuracy;  ///< that is asked for
  std::vector<std::size_t> group;  ///< subsystems that bonds or elements join have one number
};

/// Judged are all recorded real outputs but those of sources, diagnostics, and those whose accuracy may be `any`; recorded or
/// not, positions, angles and voltages of subsystems that are stepped, and what has no unit at subsystems that give units to nothing.
/// `accuracies`: per output of the system; empty: the default.
[[nodiscard]] WatchedOutputs watched_outputs(const CoupledSystem& system, const std::vector<Index>& recorded,
                                             const std::vector<Accuracy>& accuracies);

[[nodiscard]] bool is_voltage(const Unit& unit);

}  // namespace ergon

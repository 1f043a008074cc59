#pragma once

#include <string>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"

namespace ergon {

/// Subsystems that start together and become visible together.
struct StageGroup {
  std::vector<Index> nodes;
  Tick period = 0;
  bool executes_at_end = false;
  bool is_overlapped = false;
};

/// How a scheme wants the system laid out: all that the plan must know of it.
struct SchemeLayout {
  std::string scheme;              ///< its name, for messages
  std::vector<StageGroup> groups;  ///< in order of execution
  /// A new output is visible to those behind it in the order, before the end of its step is reached.
  bool sequential = false;
  /// Coupling variables of the end of the step are known when inputs are made: all are interpolated with one degree, and
  /// feed-through outputs are always evaluated with what is known there. Else inputs are extrapolated from the past.
  bool knows_the_end = false;
  /// Displacements that arrive with their velocities follow cubics through both.
  bool pairs_rates = false;
};

}  // namespace ergon

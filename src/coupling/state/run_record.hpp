#pragma once

#include <cstddef>
#include <cstdint>

#include "ergon/core/api.hpp"

namespace ergon {

/// How step control got here.
struct StepControlRecord {
  double step_s = 0.0;         ///< length of the last window
  double error = 0.0;          ///< its error, as a multiple of the tolerance
  std::uint64_t accepted = 0;  ///< windows so far
  std::uint64_t rejected = 0;  ///< tries that were repeated with a smaller step
  std::uint64_t forced =
      0;  ///< accepted although too large: at the smallest step, or nothing can be set back
  double shortest_s = 0.0;
  double longest_s = 0.0;
};

/// Cost of one subsystem, estimated from every 64th step so that measuring costs nothing.
struct NodeCost {
  std::uint64_t steps = 0;      ///< all that were taken
  std::uint64_t discarded = 0;  ///< of those: set back, because their window was repeated
  double mean_step_s = 0.0;
};

/// How macro steps with an implicit scheme went.
struct ImplicitRecord {
  std::size_t unknowns = 0;        ///< coupling variables
  int iterations = 0;              ///< corrector integrations of the last step
  double residual = 0.0;           ///< of the last step, relative to the sizes of the coupling variables
  std::uint64_t steps = 0;         ///< that were kept or tried
  std::uint64_t integrations = 0;  ///< of single subsystems, over all steps
  int most_iterations = 0;
  double largest_residual = 0.0;
};

/// How steps were chosen and solved on the way to one communication point.
class ERGON_API ControlRecord {
 public:
  virtual ~ControlRecord() = default;
  /// Nothing where steps are fixed.
  [[nodiscard]] virtual const StepControlRecord* step_control() const { return nullptr; }
  /// Nothing for explicit schemes.
  [[nodiscard]] virtual const ImplicitRecord* implicit_steps() const { return nullptr; }
};

}  // namespace ergon

#pragma once

#include <cstdint>
#include <vector>

#include "ergon/coupling/plan/coupling_plan.hpp"

namespace ergon {

/// One coupling variable: an output that some subsystem reads.
struct InterfaceUnknown {
  Index output = 0;
  Index stage = 0;
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> readers;  ///< members of the stepping stage whose step depends on it
  std::vector<std::uint32_t> rows;     ///< coupling variables that change when those step otherwise
};

/// Which coupling variable can influence which, as the graph tells it: the pattern of ∂g/∂u.
struct InterfaceStructure {
  std::vector<InterfaceUnknown> unknowns;
  /// Columns that can be differenced together: no two share a reader or a row [curtis1974]. A chain of any length needs
  /// no more of them than one of a few links.
  std::vector<std::vector<std::uint32_t>> groups;
  /// Groups whose readers are integrated at the same time: no two share a reader. The two bodies at a joint read different
  /// forces, though each force depends on both.
  std::vector<std::vector<std::uint32_t>> batches;
};

/// Of a plan with one stepping stage; the others hold laws.
InterfaceStructure interface_structure(const CouplingPlan& plan);

}  // namespace ergon

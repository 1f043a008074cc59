#pragma once

#include <string>

#include "ergon/core/problem.hpp"
#include "ergon/core/time_grid.hpp"

namespace ergon {

struct StepControlOptions {
  std::string method = "interface-power";
  double rtol = 1e-3;
  double atol = 0.0;          ///< J of interface power; of outputs, in their own units
  Tick subdivisions = 1000;   ///< nominal steps / smallest steps: all of them shrink and grow together
  double max_factor = 100.0;  ///< largest / nominal
  SourceLocation where{};
};

}  // namespace ergon

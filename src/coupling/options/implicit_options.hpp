#pragma once

#include <string>

#include "ergon/core/problem.hpp"

namespace ergon {

/// How the interface residual g(u) = u − Y(z(u)) is brought to zero.
struct ImplicitOptions {
  std::string update = "finite-difference";  ///< a Jacobian or an acceleration, see update_rules()
  double tolerance = 1e-8;        ///< implicit: |g| ≤ tolerance · size of each coupling variable
  int max_iterations = 25;        ///< implicit
  bool final_evaluation = false;  ///< store Y(z) in place of u                    [schweizer2014, (88)]
  bool accept_unstable = false;   ///< degree 0 with displacements as coupling variables
  SourceLocation where{};
  bool hermite = false;  ///< cubic Hermite interpolation of every displacement that comes with its velocity
};

}  // namespace ergon

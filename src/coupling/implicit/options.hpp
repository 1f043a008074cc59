#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace ergon

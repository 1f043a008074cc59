#pragma once

#include <cstddef>
#include <string>

#include "ergon/numerics/function_ref.hpp"

namespace ergon::numerics {

struct NonlinearOptions {
  double tolerance = 1e-12;  ///< of the residual's max norm, in the unit of the residual
  long max_iterations = 200;
};

struct NonlinearResult {
  bool converged = false;
  long iterations = 0;
  double residual_norm = 0.0;  ///< max norm
  std::string reason;          ///< empty when converged
};

/// Solves residual(x) = 0 from the start x by Newton with line search and finite-difference Jacobian (KINSOL)
/// [hindmarsh2005]. Besides a residual within the tolerance, one at round-off level counts as converged:
/// |r_i| <= 64 eps sum_j |dr_i/dx_j| |x_j|, below which no double next to x does better. The residual gives
/// false where it is not evaluable, and must not throw: it is called from C. x is the last iterate in any
/// case. Sets up and frees its own memory: for initialisation and for reference solutions, not for a stepping
/// loop.
NonlinearResult solve_nonlinear(std::size_t n, FunctionRef<bool(const double* x, double* residual)> residual,
                                double* x, const NonlinearOptions& options = {});

}  // namespace ergon::numerics

#pragma once

#include <cstdint>

#include "ergon/core/api.hpp"

namespace ergon {

/// How well a subsystem has solved the equations of its steps since t₀. Steps that were taken back do not count.
struct SolverFigures {
  double tolerance = 0.0;  ///< that every step is solved to, relative
  double largest_residual = 0.0;
  std::uint64_t solves = 0;  ///< steps in which there was something to solve
  std::uint64_t missed = 0;  ///< … and the residual stayed above the tolerance
  double first_missed_s = 0.0;
  std::uint64_t iterations = 0;  ///< of all solves
  std::uint64_t max_iterations = 0;
};

/// A subsystem that solves equations to a tolerance in each step. Asked at the end of a run, for summary and verdict; found by
/// `dynamic_cast`, since nothing in the time loop asks for it.
class ERGON_API IterativeSolver {
 public:
  virtual ~IterativeSolver() = default;
  [[nodiscard]] virtual SolverFigures solver_figures() const = 0;
};

}  // namespace ergon

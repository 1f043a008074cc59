#pragma once

#include <string>

namespace ergon {

/// A subsystem that was built for certain inputs at t₀: a cable starts where its ends are. The engine asks once, with the inputs
/// that arrive at t₀. (A subsystem cannot see them in its first step: in a Gauss–Seidel sweep those are later ones.)
class StartCondition {
 public:
  virtual ~StartCondition() = default;
  /// What does not fit, as a sentence; empty where all is well.
  [[nodiscard]] virtual std::string misfit_at_start(const double* u) const = 0;
};

}  // namespace ergon

#pragma once

#include "ergon/core/subsystem.hpp"

namespace ergon {

/// Of a subsystem that knows its outputs at t₀ for certain only when initialization has ended (an FMU): until then they may be
/// provisional. Called once, with the inputs that start values and loops have led to; outputs are read again after it.
class EndsInitialization {
 public:
  virtual ~EndsInitialization() = default;
  virtual StepStatus end_initialization(double t, const double* u) = 0;
};

}  // namespace ergon

#pragma once

#include "ergon/core/subsystem.hpp"

namespace ergon {

/// Of a subsystem that knows its outputs at t₀ for certain only when initialization has ended (an FMU): until then they may be
/// provisional. Called once, with the inputs that start values and loops have led to; outputs are read again after it.
class EndsInitialization {
 public:
  virtual ~EndsInitialization() = default;
  virtual StepStatus end_initialization(double t, const double* u) = 0;
  /// Its first outputs initialize it, and with the inputs that come with them (FMI 1.0): it is asked only when these have arrived.
  [[nodiscard]] virtual bool needs_inputs_first() const { return false; }
};

}  // namespace ergon

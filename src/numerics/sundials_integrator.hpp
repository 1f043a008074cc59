#pragma once

#include <cstddef>
#include <memory>

#include "ergon/numerics/function_ref.hpp"
#include "ergon/numerics/integration_status.hpp"

namespace ergon::numerics {

enum class SundialsMethod {
  cvode_bdf,    ///< variable order 1..5 BDF with Newton, for stiff problems [hindmarsh2005]
  cvode_adams,  ///< variable order 1..12 Adams-Moulton with fixed-point iteration, for non-stiff problems
  arkode_dirk,  ///< ESDIRK4(3)I6L[2]SA, order 4, L-stable, stiffly accurate [kennedy2016]
};

struct SundialsOptions {
  SundialsMethod method = SundialsMethod::cvode_bdf;
  double rtol = 1e-6;
  double atol = 1e-9;       ///< in the unit of each state
  double max_step_s = 0.0;  ///< 0: unlimited
  long max_internal_steps = 100000;
};

/// Adaptive integration of dx/dt = f(t, x) across one communication step.
class SundialsIntegrator {
 public:
  /// Writes dx/dt; false says "not evaluable here", upon which a shorter internal step is tried, up to a
  /// hundred times per call. A derivative that is not finite counts as false. Must not throw: it is called
  /// from C.
  using Rhs = FunctionRef<bool(double t, const double* x, double* dxdt)>;

  SundialsIntegrator(std::size_t size, const SundialsOptions& options);
  ~SundialsIntegrator();
  SundialsIntegrator(SundialsIntegrator&&) noexcept;
  SundialsIntegrator& operator=(SundialsIntegrator&&) noexcept;

  /// Integrates x from t to exactly t + h; the right-hand side is never asked beyond t + h. Re-initialised on
  /// every call: nothing but x is carried over, so that saving x and restoring it repeats the step bit for
  /// bit. On failure x is the state at reached_time_s.
  IntegrationStatus advance(double t, double h, Rhs rhs, double* x);

  std::size_t size() const;
  /// Internal steps of the last call of advance.
  long internal_steps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergon::numerics

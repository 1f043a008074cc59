#pragma once

#include <cstddef>
#include <memory>

#include "ergon/numerics/function_ref.hpp"
#include "ergon/numerics/integration_status.hpp"

namespace ergon::numerics {

struct NewmarkOptions {
  double beta = 0.25;        ///< 1/4 with gamma 1/2: average acceleration, order 2, unconditionally stable
  double gamma = 0.5;        ///< above 1/2: numerical damping, order 1
  double tolerance = 1e-12;  ///< of the last Newton correction, relative to the acceleration
  int max_iterations = 25;
};

/// Implicit Newmark integration of a = acc(t, q, v) [newmark1959]:
///   q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1)
///   v1 = v0 + h ((1 - gamma) a0 + gamma a1)
///   a1 = acc(t + h, q1, v1), solved for a1 by Newton's method.
class NewmarkIntegrator {
 public:
  /// Writes the acceleration; false says "not evaluable here", which fails the step.
  using Acceleration = FunctionRef<bool(double t, const double* q, const double* v, double* a)>;

  explicit NewmarkIntegrator(std::size_t dof, const NewmarkOptions& options = {});
  ~NewmarkIntegrator();
  NewmarkIntegrator(NewmarkIntegrator&&) noexcept;
  NewmarkIntegrator& operator=(NewmarkIntegrator&&) noexcept;

  /// One step of size h from (q, v). The acceleration at the start is evaluated afresh, acc(t, q, v), so
  /// nothing is carried over between calls. On failure q and v are left as they were.
  IntegrationStatus step(double t, double h, Acceleration acc, double* q, double* v);

  std::size_t dof() const;
  /// Newton iterations of the last call of step.
  int iterations() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergon::numerics

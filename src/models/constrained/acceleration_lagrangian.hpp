#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "ergon/models/constrained/constrained_model.hpp"

namespace ergon {

struct AccelerationLagrangianOptions {
  double penalty = 1e4;  ///< α; the converged acceleration does not depend on it
  double omega_rad_s = 100.0;
  double xi = 1.0;
  double tolerance = 1e-10;  ///< of a correction, relative to max(1, |q̈|)
  int max_iterations = 20;

  /// Semi-implicit Euler keeps Φ bounded up to this step: the roots of z² − (2 − 2ξs − s²)z + 1 − 2ξs, s = ωh, leave the unit
  /// circle at z = −1, where s = 2(√(ξ² + 1) − ξ).
  [[nodiscard]] double largest_stable_step_s() const;
};

/// Accelerations of a constrained system by the augmented Lagrangian method [bayo1988; rodriguez2022, §4.3]:
///   (M + Φ_qᵀ α Φ_q) q̈ᵢ₊₁ = M q̈ᵢ − Φ_qᵀ α (Φ̇_q q̇ + 2ξω Φ̇ + ω² Φ),   M q̈₀ = Q
/// until |q̈ᵢ₊₁ − q̈ᵢ| ≤ tolerance · max(1, |q̈|). The corrections are computed as
///   q̈ᵢ₊₁ − q̈ᵢ = −M⁻¹Φ_qᵀ (Φ_q M⁻¹ Φ_qᵀ + 1/α)⁻¹ (Φ_q q̈ᵢ + Φ̇_q q̇ + 2ξω Φ̇ + ω² Φ)
/// which is the same (Woodbury), but loses no digits where the penalty is large. It converges to Φ̈ + 2ξω Φ̇ + ω² Φ = 0: the
/// constraints are held as by a spring and a damper, not met exactly; their violation is of the order of the integrator.
class AccelerationLagrangian {
 public:
  /// The model must outlive this.
  AccelerationLagrangian(const ConstrainedModel& model, const AccelerationLagrangianOptions& options);

  /// q̈ at (u, q, q̇). Returns why there is none, or null.
  const char* solve(const double* u, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& a);
  [[nodiscard]] int iterations() const { return iterations_; }

 private:
  const ConstrainedModel& model_;
  AccelerationLagrangianOptions options_;
  Eigen::LLT<Eigen::MatrixXd> mass_factors_;
  Eigen::LLT<Eigen::MatrixXd> schur_factors_;
  Eigen::MatrixXd J_, M_inverse_Jt_, schur_;
  Eigen::VectorXd phi_, terms_, violation_, correction_;
  int iterations_ = 0;
};

}  // namespace ergon

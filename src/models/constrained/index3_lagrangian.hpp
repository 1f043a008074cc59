#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include "ergon/models/constrained/constrained_model.hpp"

namespace ergon {

struct Index3LagrangianOptions {
  double penalty = 1e9;  ///< α; the converged solution does not depend on it
  /// Of the last correction, relative to the largest coordinate.
  double position_tolerance = 1e-12;
  /// Of Φ, relative to the square of the largest coordinate, at least 1. Below it, iterations go on while they help.
  double constraint_tolerance = 1e-12;
  int max_iterations = 30;
};

/// One step of Newmark's method (β = ¼, γ = ½) with the constraints as an index-3 augmented Lagrangian, and projections of
/// velocity and acceleration [dopico2014; gonzalez2019, §4.2]. The position q₁ is the unknown:
///   q̇₁ = 2/h (q₁ − q₀) − q̇₀,   q̈₁ = 4/h² (q₁ − q₀) − 4/h q̇₀ − q̈₀
///   g(q₁) = M q̈₁ + Φ_qᵀ(λ + αΦ) − Q(u₁, q₁, q̇₁) = 0,   λ ← λ + αΦ after each iteration
/// by Newton's method with the tangent 4/h² M + Φ_qᵀαΦ_q + Σ(λ + αΦ)_k ∂²Φ_k/∂q²; that of Q is left out, which slows down
/// convergence where springs are stiff against 4 M/h², and changes no result. Then, in the metric of the mass matrix,
///   q̇₁ is projected on Φ_q q̇ = 0,   q̈₁ on Φ_q q̈ + Φ̇_q q̇ = 0.
/// Constraints may depend on each other.
class Index3Lagrangian {
 public:
  /// The model must outlive this.
  Index3Lagrangian(const ConstrainedModel& model, const Index3LagrangianOptions& options);

  /// From (q, v, a) over h, with the inputs at its end. `lambda` is a first guess and becomes the multipliers at the end.
  /// Returns why it failed, or null; after a failure the arguments are of no use.
  const char* step(double h, const double* u_end, Eigen::VectorXd& q, Eigen::VectorXd& v, Eigen::VectorXd& a,
                   Eigen::VectorXd& lambda);
  /// The acceleration that the forces give at (u, q, v) with Φ̈ = 0.
  const char* consistent_acceleration(const double* u, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                      Eigen::VectorXd& a);
  /// The same where the constraints need not be met: with Φ̈ + 2ωΦ̇ + ω²Φ = 0, so that nothing that violates them is at rest.
  const char* returning_acceleration(const double* u, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                     Eigen::VectorXd& a);
  [[nodiscard]] int iterations() const { return iterations_; }

 private:
  const char* solve_positions(double h, const double* u_end, const Eigen::VectorXd& q0,
                              const Eigen::VectorXd& v0, const Eigen::VectorXd& a0, Eigen::VectorXd& lambda);
  /// With Φ_q a + rest_ = 0.
  const char* projected_acceleration(const double* u, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                     Eigen::VectorXd& a);
  /// Φ_q at q and the factors of Φ_q M⁻¹ Φ_qᵀ.
  void prepare_projection(const Eigen::VectorXd& q);
  /// x −= M⁻¹Φ_qᵀ (Φ_q M⁻¹ Φ_qᵀ)⁻¹ (Φ_q x + rest): the nearest x, in the metric of M, with Φ_q x + rest = 0.
  void project(const Eigen::VectorXd& rest, Eigen::VectorXd& x);

  const ConstrainedModel& model_;
  Index3LagrangianOptions options_;
  Eigen::LLT<Eigen::MatrixXd> mass_factors_;
  Eigen::LLT<Eigen::MatrixXd> schur_factors_;
  Eigen::PartialPivLU<Eigen::MatrixXd> tangent_factors_;
  Eigen::MatrixXd J_, tangent_, scaled_J_, M_inverse_Jt_, schur_;
  Eigen::VectorXd way_, q1_, v1_, a1_, phi_, penalty_, sigma_, residual_, correction_, rest_, rows_,
      zero_rows_;
  int iterations_ = 0;
};

}  // namespace ergon

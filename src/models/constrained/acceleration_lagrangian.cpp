#include "ergon/models/constrained/acceleration_lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {

double AccelerationLagrangianOptions::largest_stable_step_s() const {
  if (omega_rad_s == 0.0) return std::numeric_limits<double>::infinity();
  return 2.0 * (std::sqrt(xi * xi + 1.0) - xi) / omega_rad_s;
}

AccelerationLagrangian::AccelerationLagrangian(const ConstrainedModel& model,
                                               const AccelerationLagrangianOptions& options)
    : model_(model),
      options_(options),
      mass_factors_(model.mass()),
      schur_factors_(model.constraints().rows()),
      J_(model.constraints().rows(), model.coordinates()),
      M_inverse_Jt_(model.coordinates(), model.constraints().rows()),
      schur_(model.constraints().rows(), model.constraints().rows()),
      phi_(model.constraints().rows()),
      terms_(model.constraints().rows()),
      violation_(model.constraints().rows()),
      correction_(model.coordinates()) {}

const char* AccelerationLagrangian::solve(const double* u, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                          Eigen::VectorXd& a) {
  const ConstraintSet& constraints = model_.constraints();
  constraints.values(q, phi_);
  constraints.jacobian(q, J_);
  constraints.velocity_terms(v, terms_);
  terms_.noalias() += 2.0 * options_.xi * options_.omega_rad_s * (J_ * v);
  terms_ += options_.omega_rad_s * options_.omega_rad_s * phi_;
  M_inverse_Jt_ = J_.transpose();
  mass_factors_.solveInPlace(M_inverse_Jt_);
  schur_.noalias() = J_ * M_inverse_Jt_;
  // An iteration leaves about 1/(1 + α s) of a violation, s = Φ_q M⁻¹ Φ_qᵀ of its row. Of heavy masses and short rods that may
  // be nearly all: where it would be more than a hundredth, a larger penalty is taken.
  constexpr double left_over = 0.01;
  for (Eigen::Index i = 0; i < schur_.rows(); ++i) {
    const double s = schur_(i, i);
    const double given = 1.0 / options_.penalty;
    schur_(i, i) += s > 0.0 ? std::min(given, left_over * s) : given;
  }
  schur_factors_.compute(schur_);

  model_.forces(u, q.data(), v.data(), a.data());
  mass_factors_.solveInPlace(a);
  for (iterations_ = 1; iterations_ <= options_.max_iterations; ++iterations_) {
    violation_ = terms_;
    violation_.noalias() += J_ * a;
    schur_factors_.solveInPlace(violation_);
    correction_.noalias() = M_inverse_Jt_ * violation_;
    a -= correction_;
    const double corrected = correction_.lpNorm<Eigen::Infinity>();
    const double size = a.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(corrected + size)) return "the acceleration is not finite";
    if (corrected <= options_.tolerance * std::max(1.0, size)) return nullptr;
  }
  return "the augmented Lagrangian iteration for the acceleration did not converge";
}

}  // namespace ergon

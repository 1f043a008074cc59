#include "ergon/models/constrained/index3_lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {
namespace {

constexpr double beta = 0.25;  // Newmark: average acceleration, which damps nothing; γ = ½

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double max_norm(const Eigen::VectorXd& x) {
  return x.lpNorm<Eigen::Infinity>();
}

}  // namespace

Index3Lagrangian::Index3Lagrangian(const ConstrainedModel& model, const Index3LagrangianOptions& options)
    : model_(model), options_(options), mass_factors_(model.mass()) {
  const Eigen::Index n = model.coordinates();
  const Eigen::Index m = model.constraints().rows();
  // Of the right size, and of a matrix: a decomposition of nothing must not even be copied.
  schur_factors_.compute(Eigen::MatrixXd::Identity(m, m));
  tangent_factors_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
  J_ = scaled_J_ = Eigen::MatrixXd::Zero(m, n);
  tangent_ = Eigen::MatrixXd::Zero(n, n);
  M_inverse_Jt_ = Eigen::MatrixXd::Zero(n, m);
  schur_ = Eigen::MatrixXd::Zero(m, m);
  way_ = q1_ = v1_ = a1_ = residual_ = correction_ = Eigen::VectorXd::Zero(n);
  phi_ = penalty_ = sigma_ = rest_ = rows_ = zero_rows_ = Eigen::VectorXd::Zero(m);
}

const char* Index3Lagrangian::step(double h, const double* u_end, Eigen::VectorXd& q, Eigen::VectorXd& v,
                                   Eigen::VectorXd& a, Eigen::VectorXd& lambda) {
  if (const char* failure = solve_positions(h, u_end, q, v, a, lambda)) return failure;
  q = q1_;
  v = v1_;
  a = a1_;
  prepare_projection(q);
  project(zero_rows_, v);
  model_.constraints().velocity_terms(v, rest_);
  project(rest_, a);
  return q.allFinite() && v.allFinite() && a.allFinite() ? nullptr : "the state is not finite";
}

const char* Index3Lagrangian::solve_positions(double h, const double* u_end, const Eigen::VectorXd& q0,
                                              const Eigen::VectorXd& v0, const Eigen::VectorXd& a0,
                                              Eigen::VectorXd& lambda) {
  const ConstraintSet& constraints = model_.constraints();
  const double inertia = 1.0 / (beta * h * h);
  // One iteration leaves 1/(1 + αβh² Φ_q M⁻¹ Φ_qᵀ) of the violation. Where steps are so small that the given penalty would
  // leave more than a hundredth, a larger one is taken.
  prepare_projection(q0);
  constexpr double reduction = 100.0;
  for (Eigen::Index k = 0; k < penalty_.size(); ++k) {
    penalty_[k] = std::max(options_.penalty, reduction * inertia / schur_(k, k));
  }
  // The unknown is the way q₁ − q₀, not q₁: divided by h and h², the rounding of q₁ would be felt in small steps.
  way_ = h * v0 + 0.5 * h * h * a0;
  double violation_before = std::numeric_limits<double>::infinity();
  for (iterations_ = 1; iterations_ <= options_.max_iterations; ++iterations_) {
    q1_ = q0 + way_;
    v1_ = 2.0 / h * way_ - v0;
    a1_ = inertia * way_ - 4.0 / h * v0 - a0;
    constraints.values(q1_, phi_);
    constraints.jacobian(q1_, J_);
    sigma_ = lambda + penalty_.cwiseProduct(phi_);
    model_.forces(u_end, q1_.data(), v1_.data(), residual_.data());
    residual_.noalias() -= model_.mass() * a1_;
    residual_.noalias() -= J_.transpose() * sigma_;
    scaled_J_ = penalty_.asDiagonal() * J_;
    tangent_ = inertia * model_.mass();
    tangent_.noalias() += J_.transpose() * scaled_J_;
    constraints.add_curvature(sigma_, tangent_);
    tangent_factors_.compute(tangent_);
    correction_ = tangent_factors_.solve(residual_);
    if (!correction_.allFinite()) return "Newton's iteration met a value that is not finite";
    way_ += correction_;
    q1_ = q0 + way_;
    constraints.values(q1_, phi_);
    lambda += penalty_.cwiseProduct(phi_);
    const double size = max_norm(q1_);
    const double violation = max_norm(phi_);
    // A violation is height, so energy: it is brought down as long as that goes.
    const bool at_rounding = violation <= epsilon * size * size || violation >= 0.5 * violation_before;
    violation_before = violation;
    if (max_norm(correction_) <= options_.position_tolerance * size &&
        violation <= options_.constraint_tolerance * std::max(1.0, size * size) && at_rounding) {
      v1_ = 2.0 / h * way_ - v0;
      a1_ = inertia * way_ - 4.0 / h * v0 - a0;
      return nullptr;
    }
  }
  return "Newton's iteration for the constrained positions did not converge: a smaller step may help";
}

const char* Index3Lagrangian::consistent_acceleration(const double* u, const Eigen::VectorXd& q,
                                                      const Eigen::VectorXd& v, Eigen::VectorXd& a) {
  prepare_projection(q);
  model_.constraints().velocity_terms(v, rest_);
  return projected_acceleration(u, q, v, a);
}

const char* Index3Lagrangian::returning_acceleration(const double* u, const Eigen::VectorXd& q,
                                                     const Eigen::VectorXd& v, Eigen::VectorXd& a) {
  constexpr double omega_rad_s = 10.0;  // as fast as pendulums of some decimetres: no force drowns in it
  prepare_projection(q);
  model_.constraints().values(q, phi_);
  model_.constraints().velocity_terms(v, rest_);
  rest_.noalias() += 2.0 * omega_rad_s * (J_ * v);
  rest_ += omega_rad_s * omega_rad_s * phi_;
  return projected_acceleration(u, q, v, a);
}

const char* Index3Lagrangian::projected_acceleration(const double* u, const Eigen::VectorXd& q,
                                                     const Eigen::VectorXd& v, Eigen::VectorXd& a) {
  model_.forces(u, q.data(), v.data(), a.data());
  mass_factors_.solveInPlace(a);
  project(rest_, a);
  return a.allFinite() ? nullptr : "the acceleration is not finite";
}

void Index3Lagrangian::prepare_projection(const Eigen::VectorXd& q) {
  model_.constraints().jacobian(q, J_);
  M_inverse_Jt_ = J_.transpose();
  mass_factors_.solveInPlace(M_inverse_Jt_);
  schur_.noalias() = J_ * M_inverse_Jt_;
  // Constraints that depend on each other, always or in a singular position, make this matrix singular. What they ask for
  // does not contradict itself, so that a slightly heavier diagonal lets them share it; the second pass of `project` takes
  // back what that has changed.
  constexpr double weight = 1e-10;
  schur_.diagonal() *= 1.0 + weight;
  schur_factors_.compute(schur_);
}

void Index3Lagrangian::project(const Eigen::VectorXd& rest, Eigen::VectorXd& x) {
  // Twice: the second time removes what rounding and the heavier diagonal left of the first.
  for (int pass = 0; pass < 2; ++pass) {
    rows_ = rest;
    rows_.noalias() += J_ * x;
    schur_factors_.solveInPlace(rows_);
    x.noalias() -= M_inverse_Jt_ * rows_;
  }
}

}  // namespace ergon

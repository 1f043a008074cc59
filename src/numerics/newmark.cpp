#include "ergon/numerics/newmark.hpp"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ergon::numerics {

namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

constexpr const char* not_evaluable = "acceleration not evaluable";

void check(const NewmarkOptions& options) {
  // gamma = 0 would leave the end acceleration without effect on the velocity; beta = 0 (central differences)
  // is fine.
  if (!(options.beta >= 0.0 && options.beta <= 0.5)) throw std::invalid_argument("beta must be in [0, 0.5]");
  if (!(options.gamma > 0.0 && options.gamma <= 1.0)) throw std::invalid_argument("gamma must be in (0, 1]");
  if (!(options.tolerance > 0.0)) throw std::invalid_argument("tolerance must be positive");
  if (options.max_iterations <= 0) throw std::invalid_argument("max_iterations must be positive");
}

double max_norm(const Eigen::VectorXd& vector) {
  return vector.lpNorm<Eigen::Infinity>();
}

}  // namespace

struct NewmarkIntegrator::Impl {
  Impl(std::size_t degrees_of_freedom, const NewmarkOptions& given)
      : dof(degrees_of_freedom),
        options(given),
        q0(size()),
        v0(size()),
        a0(size()),
        q1(size()),
        v1(size()),
        a1(size()),
        residual(size()),
        shifted(size()),
        correction(size()),
        jacobian(size(), size()),
        factors(size()) {}

  Eigen::Index size() const { return static_cast<Eigen::Index>(dof); }

  /// q1 and v1 from a1. With a1 as the unknown, q1 is resolved to eps (omega h)^2 |q| only, which is of no
  /// account for steps that resolve anything of the motion; with q1 as the unknown, a1 would be poor at small
  /// h.
  void update_end(double h) {
    q1 = q0 + h * v0 + h * h * ((0.5 - options.beta) * a0 + options.beta * a1);
    v1 = v0 + h * ((1.0 - options.gamma) * a0 + options.gamma * a1);
  }

  /// out = a1 - acc(end, q1, v1).
  bool evaluate_residual(double end, Acceleration acc, Eigen::VectorXd& out) const {
    if (!acc(end, q1.data(), v1.data(), out.data())) return false;
    out = a1 - out;
    return out.allFinite();
  }

  /// Largest position the step has to do with: |q|, h |v|, h^2 |a|.
  double position_scale(double h) const {
    return std::max({max_norm(q1), max_norm(q0), h * max_norm(v1), h * h * max_norm(a1)});
  }

  /// J = d(a1 - acc)/da1 by forward differences, factorised. A shift delta of a1_j moves q1_j by beta h^2
  /// delta and v1_j by gamma h delta; delta is chosen so that the moves are sqrt(eps) of the scale of
  /// position j, which keeps the error of J at O(sqrt(eps)) for any h. `residual` is that of the current a1.
  bool refresh_jacobian(double end, double h, Acceleration acc) {
    const double scale = position_scale(h);
    const double reach = (options.beta + options.gamma) * h * h;
    for (Eigen::Index j = 0; j < size(); ++j) {
      // The floor: a shift far below the largest position would drown where two positions are subtracted.
      double own = std::max({std::abs(q1[j]), h * std::abs(v1[j]), h * h * std::abs(a1[j]), 1e-4 * scale});
      if (own == 0.0) own = 1.0;  // all at rest at the origin: no scale known
      const double a_kept = a1[j];
      const double q_kept = q1[j];
      const double v_kept = v1[j];
      a1[j] += std::sqrt(rounding) * own / reach;
      const double delta = a1[j] - a_kept;
      q1[j] += options.beta * h * h * delta;
      v1[j] += options.gamma * h * delta;
      const bool evaluated = evaluate_residual(end, acc, shifted);
      a1[j] = a_kept;
      q1[j] = q_kept;
      v1[j] = v_kept;
      if (!evaluated) return false;
      jacobian.col(j) = (shifted - residual) / delta;
    }
    factors.compute(jacobian);
    return true;
  }

  /// Solves for a1; gives the reason of a failure, or null.
  const char* solve(double end, double h, Acceleration acc) {
    double previous = std::numeric_limits<double>::infinity();
    bool is_fresh = false;  // the Jacobian is that of the current iterate
    bool refresh = true;
    for (iterations = 1; iterations <= options.max_iterations; ++iterations) {
      update_end(h);
      if (!evaluate_residual(end, acc, residual)) return not_evaluable;
      if (refresh && !refresh_jacobian(end, h, acc)) return not_evaluable;
      is_fresh = refresh;
      correction = factors.solve(residual);
      if (!correction.allFinite()) return "Jacobian is singular";
      a1 -= correction;
      const double size_of_correction = max_norm(correction);
      const bool is_slow = size_of_correction > 0.25 * previous;
      // Stiff forces leave a1 with a round-off far above the tolerance; what counts then is that a correction
      // no longer moves the positions and that even a fresh Jacobian does not shrink it.
      const double moved = (options.beta + options.gamma) * h * h * size_of_correction;
      const bool is_round_off = is_slow && is_fresh && moved <= 64.0 * rounding * position_scale(h);
      if (size_of_correction <= options.tolerance * std::max(max_norm(a1), max_norm(a0)) || is_round_off) {
        update_end(h);
        return q1.allFinite() && v1.allFinite() ? nullptr : "state is not finite";
      }
      refresh = is_slow;
      previous = size_of_correction;
    }
    iterations = options.max_iterations;
    return "Newton iteration did not converge";
  }

  std::size_t dof;
  NewmarkOptions options;
  Eigen::VectorXd q0, v0, a0;  // start of the step
  Eigen::VectorXd q1, v1, a1;  // end of the step
  Eigen::VectorXd residual, shifted, correction;
  Eigen::MatrixXd jacobian;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors;
  int iterations = 0;
};

NewmarkIntegrator::NewmarkIntegrator(std::size_t dof, const NewmarkOptions& options) {
  check(options);
  impl_ = std::make_unique<Impl>(dof, options);
}

NewmarkIntegrator::~NewmarkIntegrator() = default;
NewmarkIntegrator::NewmarkIntegrator(NewmarkIntegrator&&) noexcept = default;
NewmarkIntegrator& NewmarkIntegrator::operator=(NewmarkIntegrator&&) noexcept = default;

IntegrationStatus NewmarkIntegrator::step(double t, double h, Acceleration acc, double* q, double* v) {
  Impl& impl = *impl_;
  impl.iterations = 0;
  if (!std::isfinite(t) || !std::isfinite(h) || h < 0.0) {
    return {false, t, "start time or step size is negative or not finite"};
  }
  if (impl.dof == 0 || h == 0.0) return {true, t + h, ""};
  std::copy_n(q, impl.dof, impl.q0.data());
  std::copy_n(v, impl.dof, impl.v0.data());
  if (!acc(t, q, v, impl.a0.data()) || !impl.a0.allFinite()) return {false, t, not_evaluable};
  impl.a1 = impl.a0;
  if (const char* reason = impl.solve(t + h, h, acc)) return {false, t, reason};
  std::copy_n(impl.q1.data(), impl.dof, q);
  std::copy_n(impl.v1.data(), impl.dof, v);
  return {true, t + h, ""};
}

std::size_t NewmarkIntegrator::dof() const {
  return impl_->dof;
}

int NewmarkIntegrator::iterations() const {
  return impl_->iterations;
}

}  // namespace ergon::numerics

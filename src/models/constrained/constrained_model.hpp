#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/constrained/constraints.hpp"
#include "ergon/numerics/function_ref.hpp"

namespace ergon {

/// A multibody system in dependent (natural or Cartesian) coordinates:
///   M q̈ + Φ_qᵀ λ = Q(u, q, q̇),   Φ(q) = 0
/// It says what its masses, constraints and applied forces are; a formulation solves them. All functions are pure and
/// allocate nothing.
class ConstrainedModel {
 public:
  /// `mass`: constant and positive definite; its size is the number of coordinates.
  ConstrainedModel(Eigen::MatrixXd mass, ConstraintSet constraints)
      : mass_(std::move(mass)), constraints_(std::move(constraints)) {}
  ConstrainedModel(const ConstrainedModel&) = delete;
  ConstrainedModel& operator=(const ConstrainedModel&) = delete;
  virtual ~ConstrainedModel() = default;

  [[nodiscard]] const Eigen::MatrixXd& mass() const { return mass_; }
  [[nodiscard]] const ConstraintSet& constraints() const { return constraints_; }
  [[nodiscard]] Eigen::Index coordinates() const { return mass_.rows(); }

  [[nodiscard]] virtual Description describe() const = 0;
  /// One per number of [q, q̇]; a model that names none offers no derivative of its state.
  [[nodiscard]] virtual std::vector<std::string> state_names() const { return {}; }
  /// Q(u, q, q̇): applied generalised forces, weight included.
  virtual void forces(const double* u, const double* q, const double* v, double* Q) const = 0;

  /// Called with (0, dissipated power) and (1 + i, power received through input i), in W; what is not told is 0.
  using Tell = numerics::FunctionRef<void(std::size_t, double)>;
  /// Powers at u, u̇, q, q̇; forces do their work at `v_work`. A null u̇: the inputs are held.
  virtual void powers(const double* u, const double* u_rate, const double* q, const double* v,
                      const double* v_work, Tell tell) const = 0;
  [[nodiscard]] virtual double stored_J(const double* u, const double* q, const double* v) const = 0;
  /// ½ q̇ᵀ M q̇, the kinetic part of the stored energy.
  [[nodiscard]] double kinetic_J(const double* v) const {
    double twice = 0.0;
    for (Eigen::Index j = 0; j < mass_.cols(); ++j) {
      for (Eigen::Index i = 0; i < mass_.rows(); ++i) twice += v[i] * mass_(i, j) * v[j];
    }
    return 0.5 * twice;
  }
  [[nodiscard]] virtual Momentum momentum(const double* q, const double* v) const = 0;
  /// Adds to received[i] a share of what a jump of input i from u_old to u_new costs at q (springs that inputs stretch).
  virtual void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                               double /*share*/, double* /*received*/) const {}
  virtual void outputs(const double* u, const double* q, const double* v, double* y) const = 0;
  /// ∂y/∂u, row-major, outputs × inputs.
  virtual void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const = 0;
  /// What there is to see, and where it is (see Geometry); without: nothing.
  [[nodiscard]] virtual Scene scene() const { return {}; }
  virtual void draw(const double* /*q*/, SceneFrame /*frame*/) const {}

 private:
  Eigen::MatrixXd mass_;
  ConstraintSet constraints_;
};

}  // namespace ergon

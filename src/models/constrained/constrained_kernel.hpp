#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>

#include "ergon/models/constrained/acceleration_lagrangian.hpp"
#include "ergon/models/constrained/constrained_model.hpp"
#include "ergon/models/constrained/index3_lagrangian.hpp"
#include "ergon/models/integrator_options.hpp"
#include "ergon/models/state_row.hpp"
#include "ergon/models/step_inputs.hpp"

namespace ergon {

/// How a constrained model is integrated. The method decides the formulation: semi-implicit Euler goes with accelerations by
/// the augmented Lagrangian, Newmark's method with the index-3 augmented Lagrangian and projections.
struct ConstrainedIntegration {
  NativeIntegration integration{};
  AccelerationLagrangianOptions acceleration{};
  Index3LagrangianOptions index3{};
  /// Newmark: a step starts with the acceleration that the step before ended with, made by the inputs of then, so that new
  /// inputs act at the end of the step only. Else it is computed anew with the inputs at the start.
  bool stored_start_acceleration = false;
};

/// Integrates a ConstrainedModel. Newmark's method carries [a, λ, started] with the state: the accelerations and multipliers
/// that it ended with, and 1 once that `a` belongs to the state. It does the work ½(F₀ + F₁)·(q₁ − q₀) with the forces F₀, F₁
/// that made its accelerations: they are booked at the mean velocity (q₁ − q₀)/h.
/// To the outputs of the model it adds `constraint_error` and `constraint_rate_error`, the largest |Φ| and |Φ̇|.
class ConstrainedKernel {
 public:
  using Sizes = RowSizes;
  using Row = StateRow<Sizes>;

  /// `q0`, `v0`: at t₀; they must meet the constraints.
  ConstrainedKernel(std::unique_ptr<ConstrainedModel> model, const ConstrainedIntegration& options,
                    std::span<const double> q0, std::span<const double> v0);

  [[nodiscard]] const ConstrainedModel& model() const { return *model_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] bool samples_start() const { return options_.integration.samples_start(); }
  [[nodiscard]] std::optional<double> step_s() const { return options_.integration.step_s; }
  [[nodiscard]] bool chooses_steps() const { return false; }
  [[nodiscard]] bool may_fail() const { return true; }
  [[nodiscard]] bool is_leapfrog() const { return acceleration_.has_value(); }
  void start(Row& row) const;

  const char* begin(Row& row, double h, double internal, const InputView& u);
  const char* advance(Row& row, double tau, double h, const StepInputs& u);
  const char* end(Row& /*row*/, double /*n*/, double /*internal*/) { return nullptr; }

  void outputs(const double* u, const Row& row, double* y) const;
  void output_jacobian(const double* u, const Row& row, double* jacobian) const;
  bool acceleration(const double* u, const Row& row, double* a) const;
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const {
    return model_->stored_J(u, q, v);
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* v) const { return model_->kinetic_J(v); }
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const { return model_->momentum(q, v); }
  void add_jump_work_J(const double* u_old, const double* u_new, const double* q, const double* /*v*/,
                       double share, double* received) const {
    model_->add_jump_work_J(u_old, u_new, q, share, received);
  }

 private:
  const char* semi_implicit_euler(Row& row, double tau, double h, const StepInputs& u);
  const char* newmark(Row& row, double tau, double h, const StepInputs& u);
  /// Takes q and v of the row into q_ and v_: formulations work on vectors of their own, which are aligned.
  void load(const Row& row) const;

  std::unique_ptr<ConstrainedModel> model_;
  ConstrainedIntegration options_;
  Eigen::VectorXd q0_, v0_;
  std::size_t model_outputs_ = 0;
  Sizes sizes_;
  mutable std::optional<AccelerationLagrangian> acceleration_;
  mutable std::optional<Index3Lagrangian> index3_;
  // Scratch: nothing of it is carried over.
  mutable Eigen::VectorXd q_, v_, a_, lambda_, v_mean_, phi_, phi_rate_;
  mutable Eigen::MatrixXd J_;
  Eigen::VectorXd u_start_, rate_at_start_;
};

}  // namespace ergon

#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/constrained/acceleration_lagrangian.hpp"
#include "ergon/models/constrained/constrained_model.hpp"
#include "ergon/models/constrained/index3_lagrangian.hpp"
#include "ergon/models/integrator_options.hpp"

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

/// Makes a Subsystem of a ConstrainedModel.
///   state  [q, v, a, λ, w (1 + inputs), u_last, q_before, h_last, started],   w = [dissipated, received per input]
/// Nothing else is carried from one step to the next. The books of semi-implicit Euler are those of a leapfrog, as in
/// NativeSubsystem. Newmark's method does the work ½(F₀ + F₁)·(q₁ − q₀) with the forces F₀, F₁ that made its accelerations:
/// they are booked at the mean velocity (q₁ − q₀)/h.
/// To the outputs of the model it adds `constraint_error` and `constraint_rate_error`, the largest |Φ| and |Φ̇|.
class ConstrainedSubsystem final : public Subsystem,
                                   public FlatState,
                                   public Differentiable,
                                   public EnergyAccount,
                                   public StateDerivative {
 public:
  /// `q0`, `v0`: at t₀; they must meet the constraints.
  ConstrainedSubsystem(std::unique_ptr<ConstrainedModel> model, const ConstrainedIntegration& options,
                       std::span<const double> q0, std::span<const double> v0);

  [[nodiscard]] Description describe() const override;
  StepStatus initialize(double t) override;
  StepStatus step(double t, double h, const InputView& u) override;
  void outputs(double t, const double* u, double* y) override;

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return model_->state_names().empty() ? nullptr : this; }

  void output_jacobian(double t, const double* u, double* jacobian) const override;
  void sample(const AccountInputs& inputs, AccountSample& sample) const override;

  [[nodiscard]] std::vector<std::string> state_names() const override { return model_->state_names(); }
  void states(double* z) const override;
  void set_states(const double* z) override;
  bool derivative(double t, const double* u, double* z_dot) const override;

  // For tests.
  [[nodiscard]] const Eigen::VectorXd& q() const { return state_.q; }
  [[nodiscard]] const Eigen::VectorXd& v() const { return state_.v; }
  [[nodiscard]] const ConstrainedModel& model() const { return *model_; }

 private:
  [[nodiscard]] std::size_t row_size() const override;
  void write_row(std::span<double> row) const override;
  void read_row(std::span<const double> row) override;

  struct State {
    Eigen::VectorXd q, v, a, lambda, w, u_last, q_before;
    double h_last = 0.0;   ///< how far v is behind q, twice (0 but for semi-implicit Euler)
    double started = 0.0;  ///< 1 once `a` belongs to the state
  };
  /// All vectors of the state, in the order in which they are saved.
  template <typename Self, typename Visit>
  static void visit_vectors(Self& state, Visit visit) {
    for (auto* part :
         {&state.q, &state.v, &state.a, &state.lambda, &state.w, &state.u_last, &state.q_before}) {
      visit(*part);
    }
  }
  void reset();
  void add_jump_work(const double* u, double* received) const;
  const char* integrate(double h, const InputView& u);
  const char* semi_implicit_euler(double tau, double h, const InputView& u);
  const char* newmark(double tau, double h, const InputView& u);
  void look_at_inputs(double tau, const InputView& u);

  std::unique_ptr<ConstrainedModel> model_;
  ConstrainedIntegration options_;
  Eigen::VectorXd q0_, v0_, u0_;
  State state_;
  State before_;  ///< of the step, kept for a failure
  Eigen::VectorXd u_, u_rate_, rate_at_start_, v_mean_;
  std::size_t model_outputs_ = 0;
  Eigen::VectorXd phi_, phi_rate_;
  Eigen::MatrixXd J_;
  mutable std::optional<AccelerationLagrangian> acceleration_;
  mutable std::optional<Index3Lagrangian> index3_;
  mutable Eigen::VectorXd v_now_, a_now_;
};

}  // namespace ergon

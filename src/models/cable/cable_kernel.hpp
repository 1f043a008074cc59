#pragma once

#include <optional>
#include <string>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/cable/cable.hpp"
#include "ergon/models/state_row.hpp"
#include "ergon/models/step_inputs.hpp"

namespace ergon {

struct CableSetting {
  CableParameters cable{};
  Eigen::Vector3d a_m = Eigen::Vector3d::Zero();
  Eigen::Vector3d b_m = Eigen::Vector3d::Zero();
  bool drives_b = false;
  std::optional<double> step_s{};  ///< largest internal step; nothing: one per communication step
};

/// Integrates a cable that is told where its ends are and tells how it pulls at them [gonzalez2019, §4.2].
///   inputs   a_position; b_position where both ends are driven, else B stays
///   outputs  a_force, b_force: on what holds the ends; nodes: positions of all nodes
/// Over a communication step H an end goes straight and with constant velocity from where it is to where the input will be at
/// the end of the step. With a held input that is where the other side was at the *start*: the end lags one step, as
/// published. Where steps become shorter, it makes up for its lag little by little:
///   v_A = (u(H) − u(0))/H + (u(0) − x_A)/T,   T = max(H, T_before − H/2), which is H for equal steps
/// Semi-implicit Euler with internal steps h_C. The jump of an end's velocity from one communication step to the next is an
/// acceleration Δv/h_C in the first internal step, so that its impulse is right for any h_C:
///   M_ff q̈_f = Q_f − M_fA q̈_A,   v += h_C q̈,   q += h_C v
/// The force that is told is minus the mean over the internal steps of M_Af q̈_f + M_AA q̈_A − Q_A: its impulse over the step is
/// that of the reaction. The last internal step's reaction alone would leave out the impulse of the first.
/// At t₀ it is the reaction at rest. It depends on no input at the same instant: there is no feed-through.
/// With its state it carries [reactions, T], the reactions being means over the last step.
class CableKernel {
 public:
  using Sizes = RowSizes;
  using Row = StateRow<Sizes>;

  explicit CableKernel(const CableSetting& setting);

  [[nodiscard]] const CableSetting& setting() const { return setting_; }
  [[nodiscard]] const Cable& cable() const { return cable_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] bool samples_start() const { return false; }
  [[nodiscard]] std::optional<double> step_s() const { return setting_.step_s; }
  [[nodiscard]] bool chooses_steps() const { return false; }
  [[nodiscard]] bool may_fail() const { return true; }
  [[nodiscard]] bool is_leapfrog() const { return true; }
  void start(Row& row) const;

  const char* begin(Row& row, double h, double internal, const InputView& u);
  const char* advance(Row& row, double tau, double h, const StepInputs& u);
  const char* end(Row& row, double n, double internal);

  void outputs(const double* u, const Row& row, double* y) const;
  void output_jacobian(const double* u, const Row& row, double* jacobian) const;
  /// The ends keep the velocity of their path.
  bool acceleration(const double* u, const Row& row, double* a) const;
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const;
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const;
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const;
  /// An end that jumps is moved there in the step: nothing happens at once.
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}

 private:
  CableSetting setting_;
  Cable cable_;
  Sizes sizes_;
  std::string too_long_step_;
  // Within a step, or scratch: nothing of it is carried over.
  mutable Cable::Nodes q_, v_, Q_, acceleration_;
  Cable::Ends v_ends_, reaction_sum_;
};

}  // namespace ergon

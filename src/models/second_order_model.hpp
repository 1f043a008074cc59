#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ergon/core/subsystem.hpp"

namespace ergon {

/// A model of second order, q̈ = a(u, q, q̇), that knows where its energy goes. All functions are pure.
template <typename Model>
concept SecondOrderModel = requires(const Model& model, const double* in, double* out, std::size_t i,
                                    double& number) {
  { model.dof() } -> std::convertible_to<std::size_t>;
  { model.input_count() } -> std::convertible_to<std::size_t>;
  { model.describe() } -> std::same_as<Description>;
  model.acceleration(in, in, in, out);  // a[dof] from u, q, v
  // Tells the powers (W) at u, u̇, q, v one by one: 0 is dissipated, 1 + i received through input i; what is not told
  // is 0. A null u̇ says that the inputs are held. The second velocity is the one at which forces do their work.
  model.powers(in, in, in, in, in, [](std::size_t, double) {});
  { model.stored_J(in, in, in) } -> std::convertible_to<double>;  // at u, q, v
  { model.kinetic_J(in, in) } -> std::convertible_to<double>;  // the kinetic (magnetic) part of it, at q, v
  // Adds to out[i] a share of what a jump of input i from u to u' costs at q, v.
  model.add_jump_work_J(in, in, in, in, number, out);
  model.outputs(in, in, in, out);          // y from u, q, v
  model.output_jacobian(in, in, in, out);  // ∂y/∂u, row-major
  model.effective_inertia(in, in, in, i, number, number);
};

/// A model that names its states, one name per number of [q, v], offers their derivative.
template <typename Model>
concept NamesStates = requires(const Model& model) {
  { model.state_names() } -> std::same_as<std::vector<std::string>>;
};

/// A model that moves masses along: their translational momentum at q, v.
template <typename Model>
concept HasMomentum = requires(const Model& model, const double* in) {
  { model.momentum(in, in) } -> std::same_as<Momentum>;
};

/// A model whose sizes are constants: its state lies inside the subsystem and its steps are straight-line code.
template <typename Model>
concept FixedSizeModel = SecondOrderModel<Model> && requires {
  typename std::integral_constant<std::size_t, Model::dof()>;
  typename std::integral_constant<std::size_t, Model::input_count()>;
};

namespace native_detail {

/// Length of [q, v, w, u_last, q_before, h_last].
constexpr std::size_t state_size(std::size_t dof, std::size_t inputs) {
  return 3 * dof + 2 + 2 * inputs;
}

template <typename Model>
struct State {
  using Values = std::vector<double>;
  static constexpr std::size_t dof = 1;  // of no account
};
template <FixedSizeModel Model>
struct State<Model> {
  using Values = std::array<double, state_size(Model::dof(), Model::input_count())>;
  static constexpr std::size_t dof = Model::dof();
};

/// The powers of a model as an array.
template <typename Model>
void write_powers(const Model& model, const double* u, const double* u_rate, const double* q, const double* v,
                  double* w_dot) {
  std::fill_n(w_dot, 1 + model.input_count(), 0.0);
  model.powers(u, u_rate, q, v, v, [&](std::size_t i, double power) { w_dot[i] = power; });
}

/// The model with inputs that stay as they are, as the one-step methods want it.
template <typename Model>
struct HeldInputs {
  const Model& model;
  const double* u;
  void acceleration(double /*tau*/, const double* q, const double* v, double* a) const {
    model.acceleration(u, q, v, a);
  }
  void quadrature_rates(double /*tau*/, const double* q, const double* v, double* w_dot) const {
    write_powers(model, u, nullptr, q, v, w_dot);
  }
};

/// The model with inputs that follow their polynomials. `buffer` takes the inputs and their rates.
template <typename Model>
class FollowedInputs {
 public:
  FollowedInputs(const Model& model, const InputView& view, double* buffer)
      : model_(model), view_(view), u_(buffer), u_rate_(buffer + model.input_count()) {}
  void acceleration(double tau, const double* q, const double* v, double* a) const {
    move_to(tau);
    model_.acceleration(u_, q, v, a);
  }
  void quadrature_rates(double tau, const double* q, const double* v, double* w_dot) const {
    move_to(tau);
    write_powers(model_, u_, u_rate_, q, v, w_dot);
  }
  /// The inputs at τ, and their rates of change.
  [[nodiscard]] const double* at(double tau) const {
    move_to(tau);
    return u_;
  }
  [[nodiscard]] const double* rates_at(double tau) const {
    move_to(tau);
    return u_rate_;
  }

 private:
  void move_to(double tau) const {
    if (tau == tau_) return;
    tau_ = tau;
    for (std::size_t i = 0; i < model_.input_count(); ++i) {
      u_[i] = view_(i, tau);
      u_rate_[i] = view_.rate(i, tau);
    }
  }
  const Model& model_;
  const InputView& view_;
  double* u_;
  double* u_rate_;
  mutable double tau_ = std::numeric_limits<double>::quiet_NaN();  // equal to no time
};

}  // namespace native_detail

}  // namespace ergon

#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ergon/models/integrator_options.hpp"
#include "ergon/models/leapfrog.hpp"
#include "ergon/models/native_model.hpp"
#include "ergon/models/state_row.hpp"
#include "ergon/models/step_inputs.hpp"
#include "ergon/numerics/first_order.hpp"
#include "ergon/numerics/newmark.hpp"
#include "ergon/numerics/sundials_integrator.hpp"

namespace ergon {

namespace ode_detail {

template <NativeModel Model>
RowSizes row_sizes(const Model& model) {
  if constexpr (SecondOrderModel<Model>) {
    return {model.dof(), model.dof(), model.input_count(), 0, supply_accounts(model)};
  } else {
    return {model.position_count(), model.velocity_count(), model.input_count(), 0, supply_accounts(model)};
  }
}
// Where all counts are constants.
template <typename Model>
constexpr std::size_t constant_supply() {
  if constexpr (requires { typename std::bool_constant<Model::supplies()>; }) {
    return Model::supplies() ? 1 : 0;
  } else {
    return 0;
  }
}
template <SecondOrderModel Model>
auto row_sizes(const Model& /*model*/)
    -> ConstantRowSizes<Model::dof(), Model::dof(), Model::input_count(), constant_supply<Model>()> {
  return {};
}
template <StateModel Model>
auto row_sizes(const Model& /*model*/) -> ConstantRowSizes<Model::position_count(), Model::velocity_count(),
                                                           Model::input_count(), constant_supply<Model>()> {
  return {};
}

}  // namespace ode_detail

/// Integrates a model without constraints by any of the methods (see NativeMethod).
template <NativeModel Model>
class OdeKernel {
 public:
  using Sizes = decltype(ode_detail::row_sizes(std::declval<const Model&>()));
  using Row = StateRow<Sizes>;

  /// `start`: [q, v] at t₀.
  OdeKernel(Model model, const NativeIntegration& integration, std::vector<double> start)
      : integration_(integration),
        sizes_(ode_detail::row_sizes(model)),
        start_(std::move(start)),
        scratch_(numerics::first_order_scratch_size(states() + accounts())),
        model_(std::move(model)) {
    normalise(start_.data());
    make_integrator();
  }

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] std::size_t states() const { return sizes_.positions() + sizes_.velocities(); }

  [[nodiscard]] Description describe() const { return model_.describe(); }
  [[nodiscard]] std::shared_ptr<const Description> shared_description(InputSampling sampling) const requires
      requires(const Model& model) {
    model.shared_description(sampling);
  }
  { return model_.shared_description(sampling); }
  void set_time(double t) const requires KnowsTime<Model> { model_.set_time(t); }
  [[nodiscard]] bool keeps_account() const requires MayKeepAccount<Model> { return model_.keeps_account(); }
  [[nodiscard]] bool samples_start() const { return integration_.samples_start(); }
  [[nodiscard]] std::optional<double> step_s() const { return integration_.step_s; }
  [[nodiscard]] bool chooses_steps() const { return sundials_.has_value(); }
  [[nodiscard]] bool may_fail() const {
    return HasLimits<Model> || sundials_ || integration_.method == NativeMethod::newmark;
  }
  [[nodiscard]] bool is_leapfrog() const { return integration_.method == NativeMethod::semi_implicit_euler; }
  void start(Row& row) const { std::copy(start_.begin(), start_.end(), row.q()); }

  [[nodiscard]] bool has_plain_step() const {
    if constexpr (KnowsTime<Model>) {
      if (model_.uses_time()) return false;
    }
    return SecondOrderModel<Model> && !HasLimits<Model> && samples_start() && is_leapfrog();
  }
  [[gnu::always_inline]] void plain_step(Row& row, double h, const double* u) {
    semi_implicit_euler(row, h, u, nullptr);
  }
  [[gnu::always_inline]] void plain_outputs(const double* u, const double* numbers, double* y) const {
    model_.outputs(u, numbers, numbers + sizes_.positions(), y);
  }

  const char* begin(Row& /*row*/, double /*h*/, double /*internal*/, const InputView& /*u*/) {
    return nullptr;
  }
  const char* advance(Row& row, double tau, double h, const StepInputs& u) {
    if (const char* violated = violation(u.at(tau), row.q())) return violated;
    const char* failure = sundials_ ? variable_steps(row, h, u) : fixed_step(row, tau, h, u);
    if constexpr (KeepsWithin<Model>) {
      const double left_J = model_.keep_within(u.at(tau + h), row.v());
      row.w()[left_J < 0.0 && sizes_.supplied() > 0 ? 1 + sizes_.inputs() : 0] += std::abs(left_J);
    }
    if (!sundials_) {
      if (const char* violated = violation(u.at(tau), row.q())) return violated;
    }
    if (failure != nullptr) return failure;
    normalise(row.q());
    return nullptr;
  }
  const char* end(Row& /*row*/, double /*n*/, double /*internal*/) { return nullptr; }

  void outputs(const double* u, const Row& row, double* y) const { model_.outputs(u, row.q(), row.v(), y); }
  void output_jacobian(const double* u, const Row& row, double* jacobian) const {
    model_.output_jacobian(u, row.q(), row.v(), jacobian);
  }
  bool acceleration(const double* u, const Row& row, double* a) const {
    model_.acceleration(u, row.q(), row.v(), a);
    return true;
  }
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const {
    return model_.stored_J(u, q, v);
  }
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const { return model_.kinetic_J(q, v); }
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const requires HasMomentum<Model> {
    return model_.momentum(q, v);
  }
  [[gnu::always_inline]] void add_jump_work_J(const double* u_old, const double* u_new, const double* q,
                                              const double* v, double share, double* received) const {
    model_.add_jump_work_J(u_old, u_new, q, v, share, received);
  }

  /// ż of z = [q, v]
  void state_rates(const double* u, const double* z, double* z_dot) const {
    const double* v = z + sizes_.positions();
    if constexpr (SecondOrderModel<Model>) {
      std::copy_n(v, sizes_.positions(), z_dot);
    } else {
      model_.position_rates(z, v, z_dot);
    }
    model_.acceleration(u, z, v, z_dot + sizes_.positions());
  }
  /// Which limit of the model the state violates with these inputs, or null.
  [[nodiscard]] const char* violation([[maybe_unused]] const double* u,
                                      [[maybe_unused]] const double* z) const {
    if constexpr (HasLimits<Model>) {
      return model_.violation(u, z, z + sizes_.positions());
    } else {
      return nullptr;
    }
  }

 private:
  [[nodiscard]] std::size_t accounts() const { return sizes_.accounts(); }
  [[gnu::always_inline]] void set_time_in_step([[maybe_unused]] double tau) const {
    if constexpr (KnowsTime<Model>) model_.set_time_in_step(tau);
  }
  void normalise([[maybe_unused]] double* q) const {
    if constexpr (StateModel<Model>) model_.normalise(q);
  }

  void make_integrator() {
    using numerics::SundialsMethod;
    const auto sundials = [&](SundialsMethod method) {
      sundials_.emplace(states() + accounts(),
                        numerics::SundialsOptions{.method = method,
                                                  .rtol = integration_.rtol,
                                                  .atol = integration_.atol,
                                                  .max_step_s = integration_.step_s.value_or(0.0)});
    };
    if (integration_.method == NativeMethod::newmark)
      newmark_.emplace(SecondOrderModel<Model> ? sizes_.positions() : states());
    if (integration_.method == NativeMethod::cvode_bdf) sundials(SundialsMethod::cvode_bdf);
    if (integration_.method == NativeMethod::cvode_adams) sundials(SundialsMethod::cvode_adams);
    if (integration_.method == NativeMethod::arkode) sundials(SundialsMethod::arkode_dirk);
  }

  [[gnu::always_inline]] void semi_implicit_euler(Row& row, double h, const double* u, const double* u_rate) {
    if constexpr (Row::is_constant) {
      double scratch[2 * Sizes::velocities() + Sizes::positions()];
      semi_implicit_euler(row, h, u, u_rate, scratch);
    } else {
      semi_implicit_euler(row, h, u, u_rate, scratch_.data());
    }
  }
  [[gnu::always_inline]] void semi_implicit_euler(Row& row, double h, const double* u, const double* u_rate,
                                                  double* scratch) {
    double* a = scratch;
    double* mean = a + row.sizes().velocities();
    [[maybe_unused]] double* rates = mean + row.sizes().velocities();
    model_.acceleration(u, row.q(), row.v(), a);
    leapfrog(
        row, h, a, mean,
        [&](const double* v, const double* v_work, const auto& tell)
            __attribute__((always_inline)) { model_.powers(u, u_rate, row.q(), v, v_work, tell); },
        [&](const double* q, const double* v) {
          if constexpr (SecondOrderModel<Model>) {
            return v;
          } else {
            model_.position_rates(q, v, rates);
            return static_cast<const double*>(rates);
          }
        });
  }

  void account_rates(double tau, const StepInputs& u, const double* z, double* w_dot) const {
    set_time_in_step(tau);
    std::fill_n(w_dot, accounts(), 0.0);
    const double* v = z + sizes_.positions();
    model_.powers(u.at(tau), u.rates_at(tau), z, v, v,
                  [&](std::size_t i, double power) { w_dot[i] = power; });
  }

  const char* fixed_step(Row& row, double tau, double h, const StepInputs& u) {
    const auto rates = [&](double time, const double* z, double* z_dot) {
      set_time_in_step(time);
      state_rates(u.at(time), z, z_dot);
      account_rates(time, u, z, z_dot + states());
    };
    switch (integration_.method) {
      case NativeMethod::semi_implicit_euler:
        set_time_in_step(tau);
        semi_implicit_euler(row, h, u.at(tau), u.rates_at(tau));
        return nullptr;
      case NativeMethod::explicit_euler:
        numerics::explicit_euler_step(rates, states() + accounts(), tau, h, row.q(), scratch_);
        return nullptr;
      case NativeMethod::rk4:
        numerics::rk4_step(rates, states() + accounts(), tau, h, row.q(), scratch_);
        return nullptr;
      default:
        return newmark_step(row, tau, h, u);
    }
  }

  /// Accounts by the trapezoidal rule: of the method's own order 2. A model that is not of second order is integrated by the
  /// trapezoidal rule, too: z₁ = z₀ + h/2 (ż₀ + ż₁) is what Newmark's method does with the velocities of ẍ = f(ẋ). The z are its
  /// velocities, and its positions are of no account.
  const char* newmark_step(Row& row, double tau, double h, const StepInputs& u) {
    double* rates_start = scratch_.data();
    double* rates_end = rates_start + accounts();
    account_rates(tau, u, row.q(), rates_start);
    const char* violated = nullptr;  // last: Newton's method may leave the limits and come back
    numerics::IntegrationStatus result;
    if constexpr (SecondOrderModel<Model>) {
      const auto acceleration = [&](double time, const double* q, const double* v, double* a) {
        set_time_in_step(time);
        model_.acceleration(u.at(time), q, v, a);
        return true;
      };
      result = newmark_->step(tau, h, acceleration, row.q(), row.v());
    } else {
      double* unused = rates_end + accounts();
      std::fill_n(unused, states(), 0.0);
      const auto rates = [&](double time, const double* /*x*/, const double* z, double* z_dot) {
        violated = violation(u.at(time), z);
        if (violated != nullptr) return false;
        set_time_in_step(time);
        state_rates(u.at(time), z, z_dot);
        return true;
      };
      result = newmark_->step(tau, h, rates, unused, row.q());
    }
    if (!result.ok) return violated != nullptr ? violated : result.reason;
    account_rates(tau + h, u, row.q(), rates_end);
    for (std::size_t i = 0; i < accounts(); ++i) row.w()[i] += 0.5 * h * (rates_start[i] + rates_end[i]);
    return nullptr;
  }

  /// Accounts are part of the integrated state; they start at 0 in every step, so that neither tolerances nor rounding
  /// depend on how much energy went through the ports before.
  const char* variable_steps(Row& row, double h, const StepInputs& u) {
    double* x = scratch_.data();
    std::copy_n(row.q(), states(), x);
    std::fill_n(x + states(), accounts(), 0.0);
    const char* violated = nullptr;  // last: a trial step may leave the limits and be repeated
    const auto rates = [&](double tau, const double* z, double* z_dot) {
      violated = violation(u.at(tau), z);
      if (violated != nullptr) return false;
      set_time_in_step(tau);
      state_rates(u.at(tau), z, z_dot);
      account_rates(tau, u, z, z_dot + states());
      return true;
    };
    const auto result = sundials_->advance(0.0, h, rates, x);
    if (!result.ok) return violated != nullptr ? violated : result.reason;
    std::copy_n(x, states(), row.q());
    for (std::size_t i = 0; i < accounts(); ++i) row.w()[i] += x[states() + i];
    return nullptr;
  }

  NativeIntegration integration_;
  [[no_unique_address]] Sizes sizes_;
  std::vector<double> start_;
  std::vector<double> scratch_;
  std::optional<numerics::NewmarkIntegrator> newmark_;
  std::optional<numerics::SundialsIntegrator> sundials_;
  Model model_;  ///< last: its parameters then lie beside the row that is stepped with them
};

}  // namespace ergon

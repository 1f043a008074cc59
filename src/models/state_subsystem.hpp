#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/directional_difference.hpp"
#include "ergon/models/integrator_options.hpp"
#include "ergon/models/state_model.hpp"
#include "ergon/numerics/first_order.hpp"
#include "ergon/numerics/newmark.hpp"
#include "ergon/numerics/sundials_integrator.hpp"

namespace ergon {

/// Makes a Subsystem of a StateModel and an integrator.
///   state  [q, v, w (1 + inputs), u_last (inputs), q_before, h_last],   w = [dissipated, received per input],
///          u_last: the inputs last used, q_before: q before its last motion, h_last: how far v is behind q, twice (both for
///          semi-implicit Euler; else q and 0)
/// Energy, jumps of inputs included, as in NativeSubsystem.
/// Nothing else is carried from one step to the next, so save → step → restore → step repeats bit for bit. Newmark's method
/// is the trapezoidal rule here, which it is for q̇ = v.
template <StateModel Model>
class StateSubsystem final : public Subsystem,
                             public FlatState,
                             public Differentiable,
                             public DirectionalDerivatives,
                             public EnergyAccount,
                             public EffectiveInertia,
                             public StateDerivative {
 public:
  /// `start`: [q, v] at t₀.
  StateSubsystem(Model model, const NativeIntegration& integration, std::span<const double> start)
      : model_(std::move(model)),
        integration_(integration),
        initial_(start.begin(), start.end()),
        state_(states() + accounts() + model_.input_count() + model_.position_count() + 1),
        scratch_(
            std::max(numerics::first_order_scratch_size(states() + accounts()), 2 * (states() + accounts()))),
        u_(2 * model_.input_count()),
        synchronised_(model_.velocity_count()) {
    for (const Port& port : model_.describe().outputs) output_count_ += port.size;
    for (const Port& port : model_.describe().inputs) {
      start_inputs_.insert(start_inputs_.end(), port.size, port.start);
    }
    model_.normalise(initial_.data());
    make_integrator();
    reset();
  }

  [[nodiscard]] Description describe() const override {
    Description description = model_.describe();
    description.samples_input =
        integration_.samples_start() ? InputSampling::start : InputSampling::continuous;
    return description;
  }
  StepStatus initialize(double /*t*/) override {
    reset();
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    tau_ = std::numeric_limits<double>::quiet_NaN();  // equal to no time
    add_jump_work(inputs_at(0.0, u), w() + 1);
    const char* failure = sundials_ ? variable_steps(h, u) : fixed_steps(h, u);
    if (failure != nullptr) return {false, failure};
    const double tau_last = integration_.samples_start() ? 0.0 : h;
    for (std::size_t i = 0; i < model_.input_count(); ++i) u_last()[i] = u(i, tau_last);
    if (integration_.method != NativeMethod::semi_implicit_euler)
      std::copy_n(state_.data(), model_.position_count(), q_before());
    return {};
  }
  void outputs(double /*t*/, const double* u, double* y) override { model_.outputs(u, q(), v(), y); }

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override { return this; }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  [[nodiscard]] const EffectiveInertia* effective_inertia() const override {
    return KnowsInertia<Model> ? this : nullptr;
  }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return NamesStates<Model> ? this : nullptr; }

  void output_jacobian(double /*t*/, const double* u, double* jacobian) const override {
    model_.output_jacobian(u, q(), v(), jacobian);
  }

  [[nodiscard]] std::size_t state_count() const override { return states(); }
  void directional_derivative(double /*t*/, const double* u, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    const std::size_t positions = model_.position_count();
    const auto rates = [&](const double* inputs, const double* x, double* x_dot) {
      state_rates(inputs, x, x_dot);
    };
    const auto results = [&](const double* inputs, const double* x, double* y) {
      model_.outputs(inputs, x, x + positions, y);
    };
    directional_difference(rates, model_.input_count(), states(), states(), u, q(), input_change,
                           state_change, rate_change, difference_);
    directional_difference(results, model_.input_count(), states(), output_count_, u, q(), input_change,
                           state_change, output_change, difference_);
  }

  [[nodiscard]] std::vector<std::string> state_names() const override {
    if constexpr (NamesStates<Model>) return model_.state_names();
    return {};
  }
  void states(double* z) const override { std::copy_n(state_.data(), states(), z); }
  void set_states(const double* z) override {
    std::copy_n(z, states(), state_.data());
    std::copy_n(z, model_.position_count(), q_before());
  }
  bool derivative(double /*t*/, const double* u, double* z_dot) const override {
    if (violation(u) != nullptr) return false;
    state_rates(u, state_.data(), z_dot);
    return true;
  }

  void sample(const AccountInputs& inputs_now, AccountSample& sample) const override {
    double* v_now = synchronised_.data();
    model_.acceleration(inputs_now.newest, q(), v(), v_now);
    for (std::size_t i = 0; i < synchronised_.size(); ++i) v_now[i] = v()[i] + 0.5 * h_last() * v_now[i];
    sample.stored_J = model_.stored_J(inputs_now.used, q(), v());
    sample.dissipated_J = w()[0];
    sample.synchronised_J = model_.stored_J(inputs_now.newest, q(), v_now);
    sample.kinetic_J = model_.kinetic_J(q(), v_now);
    sample.has_momentum = HasMomentum<Model>;
    if constexpr (HasMomentum<Model>) sample.momentum = model_.momentum(q(), v_now);
    std::copy_n(w() + 1, model_.input_count(), sample.received_J.begin());
    add_jump_work(inputs_now.newest, sample.received_J.data());
  }

  /// With the inputs last used.
  void effective_inertia(double /*t*/, std::size_t input, double& mass_kg,
                         double& free_acceleration_m_s2) const override {
    if constexpr (KnowsInertia<Model>) {
      model_.effective_inertia(u_last(), q(), v(), input, mass_kg, free_acceleration_m_s2);
    } else {
      mass_kg = free_acceleration_m_s2 = std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  [[nodiscard]] std::size_t row_size() const override { return state_.size(); }
  void write_row(std::span<double> row) const override {
    std::copy(state_.begin(), state_.end(), row.begin());
  }
  void read_row(std::span<const double> row) override { std::copy(row.begin(), row.end(), state_.begin()); }

  [[nodiscard]] std::size_t states() const { return model_.position_count() + model_.velocity_count(); }
  [[nodiscard]] std::size_t accounts() const { return 1 + model_.input_count(); }
  [[nodiscard]] const double* q() const { return state_.data(); }
  [[nodiscard]] const double* v() const { return state_.data() + model_.position_count(); }
  [[nodiscard]] const double* w() const { return state_.data() + states(); }
  double* w() { return state_.data() + states(); }
  double* u_last() { return w() + accounts(); }
  [[nodiscard]] const double* u_last() const { return w() + accounts(); }
  double* q_before() { return u_last() + model_.input_count(); }
  [[nodiscard]] const double* q_before() const { return u_last() + model_.input_count(); }
  double& h_last() { return state_.back(); }
  [[nodiscard]] double h_last() const { return state_.back(); }

  void reset() {
    std::copy(initial_.begin(), initial_.end(), state_.begin());
    std::fill(state_.begin() + static_cast<std::ptrdiff_t>(states()), state_.end(), 0.0);
    std::copy_n(state_.data(), model_.position_count(), q_before());
    std::copy(start_inputs_.begin(), start_inputs_.end(), u_last());
  }

  /// Which limit of the model the state violates with these inputs, or null.
  [[nodiscard]] const char* violation(const double* u) const { return violation(u, state_.data()); }
  [[nodiscard]] const char* violation([[maybe_unused]] const double* u,
                                      [[maybe_unused]] const double* z) const {
    if constexpr (HasLimits<Model>) {
      return model_.violation(u, z, z + model_.position_count());
    } else {
      return nullptr;
    }
  }

  /// The work of a jump of the inputs from u_last to u, half of it at q_before and half at q.
  void add_jump_work(const double* u, double* received) const {
    model_.add_jump_work_J(u_last(), u, q_before(), v(), 0.5, received);
    model_.add_jump_work_J(u_last(), u, q(), v(), 0.5, received);
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
    if (integration_.method == NativeMethod::newmark) trapezoidal_.emplace(states());
    if (integration_.method == NativeMethod::cvode_bdf) sundials(SundialsMethod::cvode_bdf);
    if (integration_.method == NativeMethod::cvode_adams) sundials(SundialsMethod::cvode_adams);
    if (integration_.method == NativeMethod::arkode) sundials(SundialsMethod::arkode_dirk);
  }

  /// The inputs at τ; behind them their rates of change.
  const double* inputs_at(double tau, const InputView& u) {
    if (tau != tau_) {
      const std::size_t n = model_.input_count();
      for (std::size_t i = 0; i < n; ++i) {
        u_[i] = u(i, tau);
        u_[n + i] = u.rate(i, tau);
      }
      tau_ = tau;
    }
    return u_.data();
  }
  /// Null where the inputs are looked at once in a step only.
  [[nodiscard]] const double* rates_of(const double* inputs) const {
    return integration_.samples_start() ? nullptr : inputs + model_.input_count();
  }

  void state_rates(const double* u, const double* z, double* z_dot) const {
    const std::size_t positions = model_.position_count();
    model_.position_rates(z, z + positions, z_dot);
    model_.acceleration(u, z, z + positions, z_dot + positions);
  }
  void account_rates(const double* u, const double* z, double* w_dot) const {
    std::fill_n(w_dot, accounts(), 0.0);
    const double* velocity = z + model_.position_count();
    model_.powers(u, rates_of(u), z, velocity, velocity,
                  [&](std::size_t i, double power) { w_dot[i] = power; });
  }

  /// The internal step is shortened to divide h: n = ⌈h/step⌉ equal steps. Returns why it failed, or null.
  const char* fixed_steps(double h, const InputView& u) {
    constexpr double slack = 1e-9;  // h/step of 10.000000001 means ten steps: both came from decimals
    constexpr double most_steps = 1e9;
    const double wanted = integration_.step_s ? std::ceil(h / *integration_.step_s - slack) : 1.0;
    if (!(wanted <= most_steps)) return "more than 1e9 internal steps in one communication step";
    const auto n = std::max<long>(1, static_cast<long>(wanted));
    const double step = h / static_cast<double>(n);
    for (long i = 0; i < n; ++i) {
      const double tau = static_cast<double>(i) * step;
      if (const char* violated = violation(inputs_at(tau, u))) return violated;
      const char* failure = fixed_step(tau, step, u);
      if (const char* violated = violation(inputs_at(tau, u))) return violated;
      if (failure != nullptr) return failure;
      model_.normalise(state_.data());
    }
    return nullptr;
  }

  const char* fixed_step(double tau, double h, const InputView& u) {
    const auto rates = [&](double time, const double* z, double* z_dot) {
      const double* inputs = inputs_at(time, u);
      state_rates(inputs, z, z_dot);
      account_rates(inputs, z, z_dot + states());
    };
    const std::size_t n = states() + accounts();
    switch (integration_.method) {
      case NativeMethod::semi_implicit_euler:
        semi_implicit_euler(h, inputs_at(tau, u));
        return nullptr;
      case NativeMethod::explicit_euler:
        numerics::explicit_euler_step(rates, n, tau, h, state_.data(), scratch_);
        return nullptr;
      case NativeMethod::rk4:
        numerics::rk4_step(rates, n, tau, h, state_.data(), scratch_);
        return nullptr;
      default:
        return trapezoidal_step(tau, h, u);
    }
  }

  /// v += h a(q, v), then q += h N(q) v. The books are those of a leapfrog, as in NativeSubsystem: a force sampled at t does
  /// its work at the mean of the velocities before and after.
  void semi_implicit_euler(double h, const double* u) {
    const std::size_t positions = model_.position_count();
    const std::size_t velocities = model_.velocity_count();
    double* x = state_.data();
    double* velocity = x + positions;
    double* rates = scratch_.data();
    double* mean = rates + states();
    model_.acceleration(u, x, velocity, rates);
    for (std::size_t i = 0; i < velocities; ++i) {
      mean[i] = velocity[i] + 0.5 * h * rates[i];
      velocity[i] += h * rates[i];
    }
    model_.powers(u, rates_of(u), x, velocity, mean,
                  [&](std::size_t i, double power) { w()[i] += h * power; });
    model_.position_rates(x, velocity, rates);
    std::copy_n(x, positions, q_before());
    for (std::size_t i = 0; i < positions; ++i) x[i] += h * rates[i];
    if (positions > 0) h_last() = h;  // without positions there is nothing for the velocities to be behind
  }

  /// z₁ = z₀ + h/2 (ż₀ + ż₁) is what Newmark's method does with the velocities of ẍ = f(ẋ): the z are its velocities, and
  /// its positions are of no account. Accounts by the trapezoidal rule, too.
  const char* trapezoidal_step(double tau, double h, const InputView& u) {
    double* rates_start = scratch_.data();
    double* rates_end = rates_start + accounts();
    double* unused = rates_end + accounts();
    account_rates(inputs_at(tau, u), state_.data(), rates_start);
    std::fill_n(unused, states(), 0.0);
    const char* violated = nullptr;  // last: Newton's method may leave the limits and come back
    const auto rates = [&](double time, const double* /*x*/, const double* z, double* z_dot) {
      const double* inputs = inputs_at(time, u);
      violated = violation(inputs, z);
      if (violated != nullptr) return false;
      state_rates(inputs, z, z_dot);
      return true;
    };
    const auto result = trapezoidal_->step(tau, h, rates, unused, state_.data());
    if (!result.ok) return violated != nullptr ? violated : result.reason;
    account_rates(inputs_at(tau + h, u), state_.data(), rates_end);
    for (std::size_t i = 0; i < accounts(); ++i) w()[i] += 0.5 * h * (rates_start[i] + rates_end[i]);
    return nullptr;
  }

  /// Accounts are part of the integrated state; they start at 0 in every step, so that neither tolerances nor rounding
  /// depend on how much energy went through the ports before.
  const char* variable_steps(double h, const InputView& u) {
    double* x = scratch_.data();
    std::copy_n(state_.data(), states(), x);
    std::fill_n(x + states(), accounts(), 0.0);
    if (const char* violated = violation(inputs_at(0.0, u))) return violated;
    const char* violated = nullptr;  // last: a trial step may leave the limits and be repeated
    const auto rates = [&](double tau, const double* z, double* z_dot) {
      const double* inputs = inputs_at(tau, u);
      violated = violation(inputs, z);
      if (violated != nullptr) return false;
      state_rates(inputs, z, z_dot);
      account_rates(inputs, z, z_dot + states());
      return true;
    };
    const auto result = sundials_->advance(0.0, h, rates, x);
    if (!result.ok) return violated != nullptr ? violated : result.reason;
    std::copy_n(x, states(), state_.data());
    for (std::size_t i = 0; i < accounts(); ++i) w()[i] += x[states() + i];
    model_.normalise(state_.data());
    return nullptr;
  }

  Model model_;
  NativeIntegration integration_;
  std::vector<double> initial_;
  std::vector<double> state_;
  std::vector<double> scratch_;
  std::vector<double> start_inputs_;
  std::vector<double> u_;  ///< inputs at tau_, and their rates
  double tau_ = std::numeric_limits<double>::quiet_NaN();
  std::size_t output_count_ = 0;
  mutable std::vector<double> difference_;  ///< scratch of directional derivatives
  mutable std::vector<double> synchronised_;
  std::optional<numerics::NewmarkIntegrator> trapezoidal_;
  std::optional<numerics::SundialsIntegrator> sundials_;
};

}  // namespace ergon

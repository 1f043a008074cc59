#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/directional_difference.hpp"
#include "ergon/models/integrator_options.hpp"
#include "ergon/models/second_order_model.hpp"
#include "ergon/numerics/newmark.hpp"
#include "ergon/numerics/one_step.hpp"
#include "ergon/numerics/sundials_integrator.hpp"

namespace ergon {

/// Makes a Subsystem of a SecondOrderModel and an integrator.
///   state  [q (n), v (n), w (1 + inputs), u_last (inputs), q_before (n), h_last],
///          w = [dissipated, received per input], h_last: how far v is behind q, twice (0 but for semi-implicit Euler)
/// Nothing else is carried from one step to the next, so save → step → restore → step repeats bit for bit.
/// With an Euler method and one step per communication step, `step` is one virtual call and inlined arithmetic.
///
/// Energy. u_last is the input that the state last felt: the start value for who samples at the start of the step,
/// else the end of the polynomial. A jump from u_last to u does work at once on springs that are stretched by inputs;
/// `step` books the jump to its own u(0) for good, `received_J` adds the one to the u it is asked with. Before the
/// first step u_last are the start values of the ports: differences of `received_J` mean something, its value at t₀
/// is arbitrary.
///
/// A state that is no longer finite (an input was NaN, the step was unstable) shows in the outputs, where the engine
/// finds it and names the port; integrators that cannot go on return a failed StepStatus with their reason.
template <SecondOrderModel Model>
class NativeSubsystem final : public Subsystem,
                              public FlatState,
                              public Differentiable,
                              public DirectionalDerivatives,
                              public EnergyAccount,
                              public EffectiveInertia,
                              public StateDerivative {
 public:
  /// `q0`, `v0`: the state at t₀, n values each.
  NativeSubsystem(Model model, const NativeIntegration& integration, std::span<const double> q0,
                  std::span<const double> v0)
      : model_(std::move(model)),
        samples_start_(integration.samples_start()),
        integration_(integration),
        initial_(q0.begin(), q0.end()) {
    const std::size_t n = model_.dof();
    const std::size_t m = quadratures();
    if constexpr (!FixedSizeModel<Model>) state_.resize(native_detail::state_size(n, inputs()));
    initial_.insert(initial_.end(), v0.begin(), v0.end());
    scratch_.resize(std::max(numerics::scratch_size(numerics::OneStepMethod::rk4, n, m), 2 * n + 2 * m));
    u_.resize(2 * inputs());
    synchronised_.resize(n);
    for (const Port& port : model_.describe().outputs) output_count_ += port.size;
    for (const Port& port : model_.describe().inputs) {
      start_inputs_.insert(start_inputs_.end(), port.size, port.start);
    }
    make_integrator();
    reset();
  }

  [[nodiscard]] Description describe() const override {
    Description description = model_.describe();
    description.samples_input = samples_start_ ? InputSampling::start : InputSampling::continuous;
    return description;
  }

  StepStatus initialize(double /*t*/) override {
    reset();
    return {};
  }

  StepStatus step(double /*t*/, double h, const InputView& u) override {
    add_jump_work(u.coefficients, w() + 1);
    if (!samples_start_) return follow(h, u);
    if (integration_.method == NativeMethod::semi_implicit_euler) [[likely]] {
      semi_implicit_euler(h, u.coefficients, nullptr);
    } else {
      explicit_euler(h, u.coefficients);
    }
    for (std::size_t i = 0; i < inputs(); ++i) u_last()[i] = u.coefficients[i];
    return {};
  }

  void outputs(double /*t*/, const double* u, double* y) override { model_.outputs(u, q(), v(), y); }

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override { return this; }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  [[nodiscard]] const EffectiveInertia* effective_inertia() const override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return NamesStates<Model> ? this : nullptr; }

  [[nodiscard]] std::vector<std::string> state_names() const override {
    if constexpr (NamesStates<Model>) return model_.state_names();
    return {};
  }
  void states(double* z) const override { std::copy_n(state_.data(), 2 * model_.dof(), z); }
  void set_states(const double* z) override {
    std::copy_n(z, 2 * model_.dof(), state_.data());
    std::copy_n(z, model_.dof(), q_before());
  }
  bool derivative(double /*t*/, const double* u, double* z_dot) const override {
    std::copy_n(v(), model_.dof(), z_dot);
    model_.acceleration(u, q(), v(), z_dot + model_.dof());
    return true;
  }

  void output_jacobian(double /*t*/, const double* u, double* jacobian) const override {
    model_.output_jacobian(u, q(), v(), jacobian);
  }

  [[nodiscard]] std::size_t state_count() const override { return 2 * model_.dof(); }
  void directional_derivative(double /*t*/, const double* u, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    const std::size_t n = model_.dof();
    const auto rates = [&](const double* inputs_now, const double* x, double* x_dot) {
      std::copy_n(x + n, n, x_dot);
      model_.acceleration(inputs_now, x, x + n, x_dot + n);
    };
    const auto results = [&](const double* inputs_now, const double* x, double* y) {
      model_.outputs(inputs_now, x, x + n, y);
    };
    directional_difference(rates, inputs(), 2 * n, 2 * n, u, q(), input_change, state_change, rate_change,
                           difference_);
    directional_difference(results, inputs(), 2 * n, output_count_, u, q(), input_change, state_change,
                           output_change, difference_);
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

  /// With the inputs last used. An input that is no force has no inertia: NaN.
  void effective_inertia(double /*t*/, std::size_t input, double& mass_kg,
                         double& free_acceleration_m_s2) const override {
    model_.effective_inertia(u_last(), q(), v(), input, mass_kg, free_acceleration_m_s2);
  }

 private:
  [[nodiscard]] std::size_t row_size() const override { return state_.size(); }
  void write_row(std::span<double> row) const override {
    std::copy(state_.begin(), state_.end(), row.begin());
  }
  void read_row(std::span<const double> row) override { std::copy(row.begin(), row.end(), state_.begin()); }

  using HeldInputs = native_detail::HeldInputs<Model>;
  using FollowedInputs = native_detail::FollowedInputs<Model>;

  [[nodiscard]] std::size_t inputs() const { return model_.input_count(); }
  [[nodiscard]] std::size_t quadratures() const { return 1 + inputs(); }
  double* w() { return state_.data() + 2 * model_.dof(); }
  double* u_last() { return w() + quadratures(); }
  [[nodiscard]] const double* q() const { return state_.data(); }
  [[nodiscard]] const double* v() const { return state_.data() + model_.dof(); }
  [[nodiscard]] const double* w() const { return state_.data() + 2 * model_.dof(); }
  [[nodiscard]] const double* u_last() const { return w() + quadratures(); }
  double* q_before() { return u_last() + inputs(); }
  [[nodiscard]] const double* q_before() const { return u_last() + inputs(); }
  double& h_last() { return state_[state_.size() - 1]; }
  [[nodiscard]] double h_last() const { return state_[state_.size() - 1]; }

  /// The work of a jump of the inputs from u_last to u, half of it at q_before and half at q.
  [[gnu::always_inline]] void add_jump_work(const double* u, double* received) const {
    model_.add_jump_work_J(u_last(), u, q_before(), v(), 0.5, received);
    model_.add_jump_work_J(u_last(), u, q(), v(), 0.5, received);
  }

  void reset() {
    std::copy(initial_.begin(), initial_.end(), state_.begin());
    std::fill_n(w(), quadratures(), 0.0);
    std::copy(start_inputs_.begin(), start_inputs_.end(), u_last());
    std::copy_n(state_.data(), model_.dof(), q_before());
    h_last() = 0.0;
  }

  void make_integrator() {
    using numerics::SundialsMethod;
    const auto sundials = [&](SundialsMethod method) {
      const double max_step_s = integration_.step_s.value_or(0.0);
      sundials_.emplace(2 * model_.dof() + quadratures(),
                        numerics::SundialsOptions{.method = method,
                                                  .rtol = integration_.rtol,
                                                  .atol = integration_.atol,
                                                  .max_step_s = max_step_s});
    };
    if (integration_.method == NativeMethod::newmark) newmark_.emplace(model_.dof());
    if (integration_.method == NativeMethod::cvode_bdf) sundials(SundialsMethod::cvode_bdf);
    if (integration_.method == NativeMethod::cvode_adams) sundials(SundialsMethod::cvode_adams);
    if (integration_.method == NativeMethod::arkode) sundials(SundialsMethod::arkode_dirk);
  }

  /// v += h a, x += h v, with powers going straight into their accounts. (Through an array of rates the same step takes
  /// twice as long, waiting for its own stores.) The books are those of a leapfrog: the velocities are those half a step
  /// earlier, so a force sampled at t does its work at the mean of the velocities before and after, and a displacement
  /// sampled at t and t + h jumps half before, half after the motion in between. With the velocity at the end alone, the accounts of two coupled
  /// subsystems would drift apart by an energy of first order in h although the interface is right.
  [[gnu::always_inline]] void semi_implicit_euler(double h, const double* u, const double* u_rate) {
    const std::size_t n = model_.dof();
    double* x = state_.data();
    double* rate = x + n;
    double* account = w();
    double* a = scratch_.data();
    double* mean_rate = a + n;
    double fixed[2 * native_detail::State<Model>::dof];
    if constexpr (FixedSizeModel<Model>) {
      a = fixed;
      mean_rate = fixed + n;
    }
    model_.acceleration(u, x, rate, a);
    for (std::size_t i = 0; i < n; ++i) {
      mean_rate[i] = rate[i] + 0.5 * h * a[i];
      rate[i] += h * a[i];
    }
    model_.powers(u, u_rate, x, rate, mean_rate,
                  [&](std::size_t i, double power) { account[i] += h * power; });
    double* before = q_before();
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = x[i];
      x[i] += h * rate[i];
    }
    h_last() = h;
  }

  // Out of line, as is `follow`: what is rare would cost the usual step its registers.
  [[gnu::noinline]] void explicit_euler(double h, const double* u) {
    numerics::explicit_euler_step(HeldInputs{model_, u}, model_.dof(), quadratures(), 0.0, h, state_.data(),
                                  scratch_);
    std::copy_n(state_.data(), model_.dof(), q_before());
  }

  /// Steps with inputs that are looked at inside the step.
  [[gnu::noinline]] StepStatus follow(double h, const InputView& u) {
    const FollowedInputs model(model_, u, u_.data());
    const char* failure = sundials_ ? integrate_variable(model, h) : integrate_fixed(model, h);
    if (failure != nullptr) return {false, failure};
    for (std::size_t i = 0; i < inputs(); ++i) u_last()[i] = u(i, h);
    if (integration_.method != NativeMethod::semi_implicit_euler)
      std::copy_n(state_.data(), model_.dof(), q_before());
    return {};
  }

  /// The internal step is shortened to divide h: n = ⌈h/step⌉ equal steps. Returns why it failed, or null.
  const char* integrate_fixed(const FollowedInputs& model, double h) {
    // h/step of 10.000000001 means ten steps: both came from decimals.
    constexpr double slack = 1e-9;
    constexpr double most_steps = 1e9;
    const double wanted = integration_.step_s ? std::ceil(h / *integration_.step_s - slack) : 1.0;
    if (!(wanted <= most_steps)) return "more than 1e9 internal steps in one communication step";
    const auto n = std::max<long>(1, static_cast<long>(wanted));
    const double step = h / static_cast<double>(n);
    for (long i = 0; i < n; ++i) {
      const double tau = static_cast<double>(i) * step;
      if (const char* failure = fixed_step(model, tau, step)) return failure;
    }
    return nullptr;
  }

  const char* fixed_step(const FollowedInputs& model, double tau, double h) {
    const std::size_t n = model_.dof();
    switch (integration_.method) {
      case NativeMethod::semi_implicit_euler:
        semi_implicit_euler(h, model.at(tau), model.rates_at(tau));
        return nullptr;
      case NativeMethod::explicit_euler:
        numerics::explicit_euler_step(model, n, quadratures(), tau, h, state_.data(), scratch_);
        return nullptr;
      case NativeMethod::rk4:
        numerics::rk4_step(model, n, quadratures(), tau, h, state_.data(), scratch_);
        return nullptr;
      default:
        return newmark_step(model, tau, h);
    }
  }

  /// Quadratures by the trapezoidal rule: of the method's own order 2.
  const char* newmark_step(const FollowedInputs& model, double tau, double h) {
    double* rates_start = scratch_.data();
    double* rates_end = rates_start + quadratures();
    double* positions = state_.data();
    double* velocities = positions + model_.dof();
    model.quadrature_rates(tau, positions, velocities, rates_start);
    const auto acceleration = [&](double time, const double* q, const double* v, double* a) {
      model.acceleration(time, q, v, a);
      return true;
    };
    const auto result = newmark_->step(tau, h, acceleration, positions, velocities);
    if (!result.ok) return result.reason;
    model.quadrature_rates(tau + h, positions, velocities, rates_end);
    for (std::size_t i = 0; i < quadratures(); ++i) w()[i] += 0.5 * h * (rates_start[i] + rates_end[i]);
    return nullptr;
  }

  /// Quadratures are part of the integrated state; they start at 0 in every step, so that neither tolerances nor
  /// rounding depend on how much energy went through the ports before.
  const char* integrate_variable(const FollowedInputs& model, double h) {
    const std::size_t n = model_.dof();
    double* x = scratch_.data();
    std::copy_n(state_.data(), 2 * n, x);
    std::fill_n(x + 2 * n, quadratures(), 0.0);
    const auto rhs = [&](double tau, const double* now, double* rates) {
      std::copy_n(now + n, n, rates);
      model.acceleration(tau, now, now + n, rates + n);
      model.quadrature_rates(tau, now, now + n, rates + 2 * n);
      return true;
    };
    const auto result = sundials_->advance(0.0, h, rhs, x);
    if (!result.ok) return result.reason;
    std::copy_n(x, 2 * n, state_.data());
    for (std::size_t i = 0; i < quadratures(); ++i) w()[i] += x[2 * n + i];
    return nullptr;
  }

  Model model_;
  bool samples_start_;
  NativeIntegration integration_;
  typename native_detail::State<Model>::Values state_{};
  std::vector<double> initial_;
  std::vector<double> start_inputs_;
  std::vector<double> scratch_;
  std::vector<double> u_;  ///< inputs and their rates at an internal time
  std::size_t output_count_ = 0;
  mutable std::vector<double> difference_;  ///< scratch of directional derivatives
  mutable std::vector<double> synchronised_;
  std::optional<numerics::NewmarkIntegrator> newmark_;
  std::optional<numerics::SundialsIntegrator> sundials_;
};

}  // namespace ergon

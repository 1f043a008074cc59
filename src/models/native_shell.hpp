#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <concepts>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/native_model.hpp"
#include "ergon/models/state_row.hpp"
#include "ergon/models/step_inputs.hpp"

namespace ergon {

/// What differs between native models: the equations and how they are integrated. It keeps nothing from one step to the next
/// but what is in the row.
template <typename Kernel>
concept IntegrationKernel = requires(Kernel& kernel, const Kernel& asked, typename Kernel::Row& row,
                                     const typename Kernel::Row& now, const StepInputs& inputs,
                                     const InputView& view, const double* in, double* out, double number) {
  { asked.sizes() } -> std::convertible_to<typename Kernel::Sizes>;
  { asked.describe() } -> std::same_as<Description>;
  { asked.samples_start() } -> std::same_as<bool>;  // looks at its inputs only at the start
  {
    asked.step_s()
    } -> std::convertible_to<std::optional<double>>;  // largest internal step; nothing: as long as h
  { asked.chooses_steps() } -> std::same_as<bool>;    // goes all the way in one call
  { asked.may_fail() } -> std::same_as<bool>;
  { asked.is_leapfrog() } -> std::same_as<bool>;  // keeps q_before and h_last itself
  asked.start(row);                               // q, v and carried at t₀, in a row of zeros
  // A communication step of length h: begun with the length of an internal step, advanced at each τ, ended. Each returns
  // why it failed, or null; after a failure the shell puts the row back.
  { kernel.begin(row, number, number, view) } -> std::same_as<const char*>;
  { kernel.advance(row, number, number, inputs) } -> std::same_as<const char*>;
  { kernel.end(row, number, number) } -> std::same_as<const char*>;
  asked.outputs(in, now, out);
  asked.output_jacobian(in, now, out);
  { asked.acceleration(in, now, out) } -> std::same_as<bool>;  // v̇; false where there is none
  { asked.stored_J(in, in, in) } -> std::convertible_to<double>;
  { asked.kinetic_J(in, in) } -> std::convertible_to<double>;
  asked.add_jump_work_J(in, in, in, in, 0.5, out);
};

/// A kernel with a step that cannot fail, looks at its inputs once and needs no internal steps, where `has_plain_step` says so.
template <typename Kernel>
concept KnowsPlainStep = requires(Kernel& kernel, typename Kernel::Row& row, const double* in, double h) {
  { kernel.has_plain_step() } -> std::same_as<bool>;
  kernel.plain_step(row, h, in);
};

/// What all native models share as subsystems: the state as one row with slots and bytes, internal steps, inputs that are
/// followed, energy books, and that a failed step leaves the state as it was. Derived classes add the capabilities that
/// their models have.
///
/// Energy. u_last is the input that the state last felt: the start value for who samples at the start of the step, else
/// the end of the polynomial. A jump from u_last to u does work at once on springs that are stretched by inputs; `step`
/// books the jump to its own u(0) for good, `sample` adds the one to the newest inputs. Before the first step u_last are
/// the start values of the ports: differences of what is received mean something, its value at t₀ is arbitrary. The books are
/// those of a leapfrog: a displacement that is sampled at t and t + h jumps half before, half after the motion in between,
/// and a force works at the mean of the velocities before and after (see `leapfrog`).
///
/// A state that is no longer finite (an input was NaN, the step was unstable) shows in the outputs, where the engine finds it
/// and names the port; integrators that cannot go on return a failed StepStatus with their reason.
template <IntegrationKernel Kernel>
class NativeShell : public Subsystem, public FlatState, public Differentiable, public EnergyAccount {
 public:
  [[nodiscard]] Description describe() const final {
    Description description = kernel_.describe();
    description.samples_input = samples_start_ ? InputSampling::start : InputSampling::continuous;
    return description;
  }
  StepStatus initialize(const Experiment& /*experiment*/) final {
    reset();
    return {};
  }
  /// With an Euler method and one step per communication step this is one virtual call and inlined arithmetic.
  StepStatus step(double /*t*/, double h, const InputView& u) final {
    if constexpr (KnowsPlainStep<Kernel>) {
      if (plain_) [[likely]] {
        plain_step(h, u.coefficients);
        return {};
      }
    }
    return general_step(h, u);
  }
  void outputs(double /*t*/, const double* u, double* y) final { kernel_.outputs(u, row_, y); }

  [[nodiscard]] Grouped grouped_steps() final {
    if constexpr (KnowsPlainStep<Kernel>) {
      static const PlainSteps together;
      if (plain_) return {&together, this};
    }
    return {};
  }
  Rewindable* rewindable() final { return this; }
  [[nodiscard]] std::span<double> state_numbers() final { return row_.values(); }
  [[nodiscard]] const Serializable* serializable() const final { return this; }
  [[nodiscard]] const Differentiable* differentiable() const final { return this; }
  [[nodiscard]] const EnergyAccount* energy_account() const final { return this; }

  void output_jacobian(double /*t*/, const double* u, double* jacobian) const final {
    kernel_.output_jacobian(u, row_, jacobian);
  }

  void sample(const AccountInputs& asked, AccountSample& sample) const final {
    const double* q = row_.q();
    const double* v = row_.v();
    const double* v_now = synchronised_velocities(asked.newest);
    sample.stored_J = kernel_.stored_J(asked.used, q, v);
    sample.dissipated_J = row_.w()[0];
    sample.synchronised_J = kernel_.stored_J(asked.newest, q, v_now);
    sample.kinetic_J = kernel_.kinetic_J(q, v_now);
    sample.has_momentum = HasMomentum<Kernel>;
    if constexpr (HasMomentum<Kernel>) sample.momentum = kernel_.momentum(q, v_now);
    received(asked, sample.received_J);
  }
  void received(const AccountInputs& asked, std::span<double> received_J) const final {
    std::copy_n(row_.w() + 1, inputs(), received_J.begin());
    add_jump_work(asked.newest, received_J.data());
  }

 protected:
  /// Makes its kernel of these arguments.
  template <typename... Arguments>
  explicit NativeShell(std::in_place_t /*make*/, Arguments&&... arguments)
      : kernel_(std::forward<Arguments>(arguments)...),
        samples_start_(kernel_.samples_start()),
        row_(kernel_.sizes()),
        before_(row_),
        u_(2 * inputs()),
        v_now_(kernel_.sizes().velocities()) {
    if constexpr (KnowsPlainStep<Kernel>) plain_ = kernel_.has_plain_step();
    for (const Port& port : kernel_.describe().inputs)
      start_inputs_.insert(start_inputs_.end(), port.size, port.start);
    reset();
  }

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const typename Kernel::Row& row() const { return row_; }
  [[nodiscard]] std::size_t inputs() const { return row_.sizes().inputs(); }
  /// [q, v]
  void read_states(double* z) const { std::copy_n(row_.q(), states(), z); }
  void write_states(const double* z) {
    std::copy_n(z, states(), row_.q());
    std::copy_n(z, row_.sizes().positions(), row_.q_before());
  }

 private:
  [[nodiscard]] std::size_t row_size() const final { return row_.values().size(); }
  void write_row(std::span<double> row) const final {
    std::copy(row_.values().begin(), row_.values().end(), row.begin());
  }
  void read_row(std::span<const double> row) final {
    std::copy(row.begin(), row.end(), row_.values().begin());
  }

  [[nodiscard]] std::size_t states() const { return row_.sizes().positions() + row_.sizes().velocities(); }

  void reset() {
    std::fill(row_.values().begin(), row_.values().end(), 0.0);
    kernel_.start(row_);
    std::copy(start_inputs_.begin(), start_inputs_.end(), row_.u_last());
    std::copy_n(row_.q(), row_.sizes().positions(), row_.q_before());
  }

  [[gnu::always_inline]] void plain_step(double h, const double* u) {
    add_jump_work(u, row_.w() + 1);
    kernel_.plain_step(row_, h, u);
    for (std::size_t i = 0; i < inputs(); ++i) row_.u_last()[i] = u[i];
  }
  class PlainSteps final : public GroupedSteps {
   public:
    StepStatus run(std::span<const Member> members, std::size_t& next, const StepInterval& step,
                   const double* u, double* y) const override {
      // Of very many the next ones are not at hand any more: they are fetched while others are stepped.
      const std::size_t ahead = members.size() < more_than_at_hand ? 0 : members.size() - fetched_ahead;
      const double h = step.length_s;
      for (std::size_t i = next; i < members.size(); ++i) {
        const Member& m = members[i];
        auto& shell = *static_cast<NativeShell*>(m.self);
        if (i < ahead) fetch(*static_cast<NativeShell*>(members[i + fetched_ahead].self));
        const double* own = u + m.first_input;
        shell.plain_step(h, own);
        shell.kernel_.outputs(own, shell.row_, y + m.first_output);
      }
      next = members.size();
      return {};
    }

   private:
    static constexpr std::size_t more_than_at_hand = 2000;
    static constexpr std::size_t fetched_ahead = 8;
    /// The parameters and, right behind them, the row.
    static void fetch(const NativeShell& shell) {
      constexpr std::size_t line = 64;
      const char* from = reinterpret_cast<const char*>(&shell.kernel_.model());
      const char* to = reinterpret_cast<const char*>(&shell.row_) + sizeof(shell.row_);
      for (; from < to; from += line) __builtin_prefetch(from, 1);
    }
  };

  /// The work of a jump of the inputs from u_last to u, half of it at q_before and half at q.
  [[gnu::always_inline]] void add_jump_work(const double* u, double* received) const {
    kernel_.add_jump_work_J(row_.u_last(), u, row_.q_before(), row_.v(), 0.5, received);
    kernel_.add_jump_work_J(row_.u_last(), u, row_.q(), row_.v(), 0.5, received);
  }

  /// Those of a leapfrog are half a step behind: v + ½h·a(u). Without an acceleration there is no later velocity; the step that
  /// comes next will fail and say why.
  const double* synchronised_velocities(const double* u) const {
    if (row_.h_last() == 0.0 || !kernel_.acceleration(u, row_, v_now_.data())) return row_.v();
    for (std::size_t i = 0; i < v_now_.size(); ++i) v_now_[i] = row_.v()[i] + 0.5 * row_.h_last() * v_now_[i];
    return v_now_.data();
  }

  /// n = ⌈h/step⌉: the internal step is shortened to divide h. 0 where there would be too many.
  [[nodiscard]] long internal_steps(double h) const {
    constexpr double slack = 1e-9;  // h/step of 10.000000001 means ten steps: both came from decimals
    constexpr double most_steps = 1e9;
    const std::optional<double> step_s = kernel_.step_s();
    if (kernel_.chooses_steps() || !step_s) return 1;
    const double wanted = std::ceil(h / *step_s - slack);
    if (!(wanted <= most_steps)) return 0;
    return std::max<long>(1, static_cast<long>(wanted));
  }

  // Out of line: what is rare would cost the plain step its registers.
  [[gnu::noinline]] StepStatus general_step(double h, const InputView& u) {
    const long n = internal_steps(h);
    if (n == 0) return {false, "more than 1e9 internal steps in one communication step"};
    const bool may_fail = kernel_.may_fail();
    if (may_fail) before_ = row_;
    const char* failure = integrate(h, n, u);
    if (failure == nullptr) return {};
    assert(may_fail);
    row_ = before_;
    return {false, failure};
  }

  const char* integrate(double h, long n, const InputView& u) {
    add_jump_work(u.coefficients, row_.w() + 1);
    const double internal = h / static_cast<double>(n);
    const StepInputs followed(u, inputs(), samples_start_, u_.data());
    if (const char* failure = kernel_.begin(row_, h, internal, u)) return failure;
    for (long i = 0; i < n; ++i) {
      const double tau = static_cast<double>(i) * internal;
      if (const char* failure = kernel_.advance(row_, tau, internal, followed)) return failure;
    }
    if (const char* failure = kernel_.end(row_, static_cast<double>(n), internal)) return failure;
    for (std::size_t i = 0; i < inputs(); ++i) row_.u_last()[i] = samples_start_ ? u.start(i) : u(i, h);
    if (!kernel_.is_leapfrog()) std::copy_n(row_.q(), row_.sizes().positions(), row_.q_before());
    return nullptr;
  }

  Kernel kernel_;
  bool samples_start_;
  bool plain_ = false;
  typename Kernel::Row row_;
  typename Kernel::Row before_;  ///< of a step that may fail
  std::vector<double> start_inputs_;
  std::vector<double> u_;  ///< inputs and their rates at an internal time
  mutable std::vector<double> v_now_;
};

}  // namespace ergon

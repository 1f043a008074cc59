#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/grouped_steps.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/instance_pool.hpp"
#include "ergon/models/internal_steps.hpp"
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
concept KnowsPlainStep = requires(Kernel& kernel, typename Kernel::Row& row, const double* in, double* out,
                                  double h) {
  { kernel.has_plain_step() } -> std::same_as<bool>;
  kernel.plain_step(row, h, in);
  kernel.plain_outputs(in, in, out);  // of the numbers of a row
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
  static void* operator new(std::size_t bytes) { return instance_pool().allocate(bytes, instance_alignment); }
  static void operator delete(void* instance, std::size_t bytes) {
    instance_pool().deallocate(instance, bytes, instance_alignment);
  }

  [[nodiscard]] Description describe() const final { return *description_; }
  [[nodiscard]] std::shared_ptr<const Description> shared_description() const final { return description_; }
  StepStatus initialize(const Experiment& /*experiment*/) final {
    reset();
    return {};
  }
  /// With an Euler method and one step per communication step this is one virtual call and inlined arithmetic.
  StepStatus step(double t, double h, const InputView& u) final {
    set_time(t);
    if constexpr (KnowsPlainStep<Kernel>) {
      if (plain_) [[likely]] {
        plain_step(row_, h, u.coefficients);
        return {};
      }
    }
    return general_step(h, u);
  }
  void outputs(double t, const double* u, double* y) final {
    set_time(t);
    kernel_.outputs(u, row_, y);
  }

  [[nodiscard]] Grouped grouped_steps() final {
    if constexpr (KnowsPlainStep<Kernel>) {
      static const PlainSteps together;
      if (plain_) return {&together, this};
    }
    return {};
  }
  [[nodiscard]] const GroupedTrials* grouped_trials() const final {
    if constexpr (KnowsPlainStep<Kernel> && Kernel::Row::is_constant) {
      static const PlainTrials together;
      if (plain_) return &together;
    }
    return nullptr;
  }
  Rewindable* rewindable() final { return this; }
  [[nodiscard]] std::span<double> state_numbers() final { return row_.values(); }
  [[nodiscard]] const Serializable* serializable() const final { return this; }
  [[nodiscard]] const Differentiable* differentiable() const final { return this; }
  [[nodiscard]] const EnergyAccount* energy_account() const final {
    if constexpr (MayKeepAccount<Kernel>) return kernel_.keeps_account() ? this : nullptr;
    return this;
  }

  void output_jacobian(double t, const double* u, double* jacobian) const final {
    set_time(t);
    kernel_.output_jacobian(u, row_, jacobian);
  }

  void sample(const AccountInputs& asked, AccountSample& sample) const final {
    set_time(asked.t_s);
    const double* q = row_.q();
    const double* v = row_.v();
    const double* v_now = synchronised_velocities(asked.newest);
    sample.stored_J = kernel_.stored_J(asked.used, q, v);
    if (row_.sizes().supplied() > 0) {
      sample.dissipated_J = row_.w()[0];
      sample.supplied_J = row_.w()[1 + inputs()];
    } else {
      sample.set_non_conservative_J(row_.w()[0]);
    }
    sample.synchronised_J = kernel_.stored_J(asked.newest, q, v_now);
    sample.kinetic_J = kernel_.kinetic_J(q, v_now);
    sample.has_momentum = HasMomentum<Kernel>;
    if constexpr (HasMomentum<Kernel>) sample.momentum = kernel_.momentum(q, v_now);
    received(asked, sample.received_J);
  }
  void received(const AccountInputs& asked, std::span<double> received_J) const final {
    set_time(asked.t_s);
    std::copy_n(row_.w() + 1, inputs(), received_J.begin());
    add_jump_work(row_, asked.newest, received_J.data());
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
    description_ = make_description();
    for (const Port& port : description_->inputs) {
      for (std::size_t i = 0; i < port.size; ++i) start_inputs_.push_back(port.start_of(i));
    }
    reset();
  }

  [[nodiscard]] const Description& description() const { return *description_; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const typename Kernel::Row& row() const { return row_; }
  [[nodiscard]] std::size_t inputs() const { return row_.sizes().inputs(); }
  /// Of the call, for equations with the time in them.
  [[gnu::always_inline]] void set_time([[maybe_unused]] double t) const {
    if constexpr (requires { kernel_.set_time(t); }) kernel_.set_time(t);
  }
  /// [q, v]
  void read_states(double* z) const { std::copy_n(row_.q(), states(), z); }
  void write_states(const double* z) {
    std::copy_n(z, states(), row_.q());
    std::copy_n(z, row_.sizes().positions(), row_.q_before());
  }

 private:
  /// One for all instances where the model has one.
  [[nodiscard]] std::shared_ptr<const Description> make_description() const {
    const InputSampling sampling = samples_start_ ? InputSampling::start : InputSampling::continuous;
    if constexpr (requires { kernel_.shared_description(sampling); }) {
      return kernel_.shared_description(sampling);
    } else {
      auto description = std::make_shared<Description>(kernel_.describe());
      description->samples_input = sampling;
      return description;
    }
  }

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

  using Row = typename Kernel::Row;
  [[gnu::always_inline]] void plain_step(Row& row, double h, const double* u) {
    add_jump_work(row, u, row.w() + 1);
    kernel_.plain_step(row, h, u);
    for (std::size_t i = 0; i < inputs(); ++i) row.u_last()[i] = u[i];
  }
  class PlainSteps final : public GroupedSteps {
   public:
    StepStatus run(std::span<const Member> members, std::size_t& next, const StepInterval& step,
                   const double* u, double* y) const override {
      const std::size_t ahead = ahead_of(members.size());
      const double h = step.length_s;
      for (std::size_t i = next; i < members.size(); ++i) {
        const Member& m = members[i];
        auto& shell = *static_cast<NativeShell*>(m.self);
        if (i < ahead) fetch(*static_cast<NativeShell*>(members[i + fetched_ahead].self));
        const double* own = u + m.first_input;
        shell.plain_step(shell.row_, h, own);
        shell.kernel_.outputs(own, shell.row_, y + m.first_output);
      }
      next = members.size();
      return {};
    }

    /// Of very many the next ones are not at hand any more: they are fetched while others are stepped. How many of them have a
    /// next one to fetch.
    static std::size_t ahead_of(std::size_t members) {
      return members < more_than_at_hand ? 0 : members - fetched_ahead;
    }
    static constexpr std::size_t fetched_ahead = 8;
    static void fetch_parameters(const NativeShell& shell) {
      fetch<0>(&shell.kernel_.model(), sizeof(shell.kernel_.model()));
    }

   private:
    static constexpr std::size_t more_than_at_hand = 2000;
    /// The parameters and, right behind them, the row.
    static void fetch(const NativeShell& shell) {
      const char* from = reinterpret_cast<const char*>(&shell.kernel_.model());
      const char* to = reinterpret_cast<const char*>(&shell.row_) + sizeof(shell.row_);
      fetch<1>(from, static_cast<std::size_t>(to - from));
    }
    template <int to_write>
    static void fetch(const void* from, std::size_t bytes) {
      constexpr std::size_t line = 64;
      const char* at = static_cast<const char*>(from);
      for (const char* end = at + bytes; at < end; at += line) __builtin_prefetch(at, to_write);
    }
  };

  /// The same with rows that lie elsewhere.
  class PlainTrials final : public GroupedTrials {
   public:
    void read(std::span<const Member> members, double* rows) const override {
      for (const Member& m : members) {
        write_row(shell_of(m).row_, rows + m.row);
      }
    }
    void write(std::span<const Member> members, const double* rows) const override {
      for (const Member& m : members) read_row(shell_of(m).row_, rows + m.row);
    }
    void run(std::span<const Member> members, double h, const double* u, const double* from, double* to,
             double* y) const override {
      const std::size_t ahead = PlainSteps::ahead_of(members.size());
      for (std::size_t i = 0; i < members.size(); ++i) {
        const Member& m = members[i];
        NativeShell& shell = shell_of(m);
        if (i < ahead) PlainSteps::fetch_parameters(shell_of(members[i + PlainSteps::fetched_ahead]));
        const double* own = u + m.first_input;
        Row row(shell.kernel_.sizes(), from + m.row);
        shell.plain_step(row, h, own);
        shell.kernel_.outputs(own, row, y + m.first_output);
        write_row(row, to + m.row);
      }
    }
    void outputs(std::span<const Member> members, const double* u, const double* rows,
                 double* y) const override {
      for (const Member& m : members) {
        shell_of(m).kernel_.plain_outputs(u + m.first_input, rows + m.row, y + m.first_output);
      }
    }

   private:
    static NativeShell& shell_of(const Member& m) { return static_cast<NativeShell&>(*m.subsystem); }
    // Of a size that the compiler knows: a few moves instead of a call.
    [[gnu::always_inline]] static void read_row(Row& row, const double* from) {
      std::memcpy(row.values().data(), from, Row::bytes());
    }
    [[gnu::always_inline]] static void write_row(const Row& row, double* to) {
      std::memcpy(to, row.values().data(), Row::bytes());
    }
  };

  /// The work of a jump of the inputs from u_last to u, half of it at q_before and half at q.
  [[gnu::always_inline]] void add_jump_work(const Row& row, const double* u, double* received) const {
    kernel_.add_jump_work_J(row.u_last(), u, row.q_before(), row.v(), 0.5, received);
    kernel_.add_jump_work_J(row.u_last(), u, row.q(), row.v(), 0.5, received);
  }

  /// Those of a leapfrog are half a step behind: v + ½h·a(u). Without an acceleration there is no later velocity; the step that
  /// comes next will fail and say why.
  const double* synchronised_velocities(const double* u) const {
    if (row_.h_last() == 0.0 || !kernel_.acceleration(u, row_, v_now_.data())) return row_.v();
    for (std::size_t i = 0; i < v_now_.size(); ++i) v_now_[i] = row_.v()[i] + 0.5 * row_.h_last() * v_now_[i];
    return v_now_.data();
  }

  [[nodiscard]] long internal_steps(double h) const {
    const std::optional<double> step_s = kernel_.step_s();
    return kernel_.chooses_steps() || !step_s ? 1 : count_internal_steps(h, *step_s);
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
    add_jump_work(row_, u.coefficients, row_.w() + 1);
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
  std::shared_ptr<const Description> description_;
  std::vector<double> start_inputs_;
  std::vector<double> u_;  ///< inputs and their rates at an internal time
  mutable std::vector<double> v_now_;
};

}  // namespace ergon

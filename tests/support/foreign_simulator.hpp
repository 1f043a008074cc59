#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ergon/core/subsystem.hpp"

namespace ergon::testing {

/// Behaves as a simulator of others may: x' = u behind an opaque state, with a count beyond 2⁵³ and a text.
struct ForeignHabits {
  std::vector<double> events_s{};                              ///< a step over one of these ends there
  double longest_s = std::numeric_limits<double>::infinity();  ///< longer steps are discarded
  bool tells_time_reached = true;
  bool gets_nowhere = false;  ///< "ends early" where it was
  int throws_in_step = 0;
  bool throws_nonsense = false;  ///< something that is not a std::exception
  bool throws_in_save = false;
  bool throws_in_account = false;
  std::function<void(Description&)> describes{};
  Experiment* told = nullptr;
  std::set<std::thread::id>* threads = nullptr;
  std::chrono::microseconds works{0};  ///< in every step: what it takes to be worth a thread
};

class ForeignSimulator final : public Subsystem,
                               public DiscretePorts,
                               public Rewindable,
                               public Serializable,
                               public EnergyAccount {
 public:
  static constexpr std::int64_t first_count = std::int64_t{1} << 53;

  explicit ForeignSimulator(ForeignHabits habits) : habits_(std::move(habits)) {}

  [[nodiscard]] Description describe() const override {
    Description d;
    Port u{"u", {}, 1, "", 0.0, true};
    Port go_port{"go", {}, 1, "", 0.0, true};
    go_port.type = PortType::boolean;
    Port x{"x", {}, 1, ""};
    Port count{"count", {}, 1, ""};
    count.type = PortType::integer;
    Port says{"says", {}, 1, ""};
    says.type = PortType::text;
    d.inputs = {go_port, u};  // in any order
    d.outputs = {says, count, x};
    if (habits_.describes) habits_.describes(d);
    return d;
  }
  StepStatus initialize(const Experiment& experiment) override {
    if (habits_.told != nullptr) *habits_.told = experiment;
    state_ = std::make_unique<State>();
    return {};
  }
  StepStatus step(double t, double h, const InputView& u) override {
    ++calls;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < habits_.works) {
    }
    longest_taken_s = std::max(longest_taken_s, h);
    if (habits_.threads != nullptr) habits_.threads->insert(std::this_thread::get_id());
    if (calls == habits_.throws_in_step) {
      if (habits_.throws_nonsense) throw 42;  // NOLINT
      throw std::runtime_error("licence lost");
    }
    if (habits_.gets_nowhere) {
      reached_s_ = t;
      return {StepOutcome::ended_early, "an event"};
    }
    if (h > habits_.longest_s * (1.0 + 1e-9)) {
      reached_s_ = habits_.tells_time_reached ? t + habits_.longest_s : std::nan("");
      return {StepOutcome::discarded, "it does not converge"};
    }
    for (const double event : habits_.events_s) {
      if (!(event > t && event < t + h)) continue;
      integrate(event - t, u);
      reached_s_ = event;
      return {StepOutcome::ended_early, "an event"};
    }
    integrate(h, u);
    ++state_->count;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_->x; }
  [[nodiscard]] double time_reached() const override { return reached_s_; }

  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& u) override { go = u.integers[0] != 0; }
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) override {
    y.integers[0] = first_count + state_->count;
    y.texts[0] = "step " + std::to_string(state_->count);
  }

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] std::unique_ptr<StateSlot> make_slot() const override { return std::make_unique<Slot>(); }
  void save(StateSlot& slot) const override {
    if (habits_.throws_in_save) throw std::runtime_error("no room for its state");
    *static_cast<Slot&>(slot).state = *state_;
  }
  void restore(const StateSlot& slot) override { *state_ = *static_cast<const Slot&>(slot).state; }
  void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const override {
    const auto whole = std::as_bytes(std::span(static_cast<const Slot&>(slot).state.get(), 1));
    bytes.assign(whole.begin(), whole.end());
  }
  bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const override {
    if (bytes.size() != sizeof(State)) return false;
    auto state = std::make_unique<State>();
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(state.get(), 1)).begin());
    static_cast<Slot&>(slot).state = std::move(state);
    return true;
  }
  [[nodiscard]] const EnergyAccount* energy_account() const override {
    return habits_.throws_in_account ? this : nullptr;
  }
  void sample(const AccountInputs& /*inputs*/, AccountSample& /*sample*/) const override {
    throw std::runtime_error("the books are lost");
  }

  int calls = 0;
  double longest_taken_s = 0.0;
  bool go = false;

 private:
  struct State {
    double x = 0.0;
    std::int64_t count = 0;
  };
  struct Slot final : StateSlot {
    std::unique_ptr<State> state = std::make_unique<State>();
  };
  /// ∫u dτ from 0 to h, exactly.
  void integrate(double h, const InputView& u) {
    double power = h;
    for (int d = 0; d <= u.degree; ++d, power *= h)
      state_->x += u.coefficients[static_cast<std::size_t>(d) * u.stride] * power / (d + 1);
  }

  ForeignHabits habits_;
  std::unique_ptr<State> state_ = std::make_unique<State>();
  double reached_s_ = std::nan("");
};

}  // namespace ergon::testing

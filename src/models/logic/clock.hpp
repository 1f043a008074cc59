#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/logic/plain_state.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

struct ClockState {
  std::int64_t count = 0;  ///< ticks up to the present point
  std::int64_t tick = 0;   ///< one since the point before
};

/// Ticks at first, first + period, first + 2·period, …; a tick is seen at the first communication point that is not before it.
class Clock final : public Subsystem, public DiscretePorts, public PlainState<ClockState> {
 public:
  Clock(double period_s, double first_s) : period_s_(period_s), first_s_(first_s) {}

  [[nodiscard]] Description describe() const override;
  StepStatus initialize(const Experiment& experiment) override;
  StepStatus step(double t, double h, const InputView& u) override;
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}

  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& /*u*/) override {}
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) override {
    y.integers[0] = state_.tick;
    y.integers[1] = state_.count;
  }
  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }

 private:
  /// Ticks up to t, the tick at t included.
  [[nodiscard]] std::int64_t ticks_until(double t) const;

  double period_s_;
  double first_s_;
};

ModelInfo clock_model();

}  // namespace ergon

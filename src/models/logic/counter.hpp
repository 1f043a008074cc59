#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/logic/plain_state.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

struct CounterState {
  std::int64_t count = 0;
  std::int64_t was_on = 0;  ///< at the start of the last step
};

/// Counts how often `in` becomes true, as it looks at the start of each of its steps; `reset` takes it back to the start.
class Counter final : public Subsystem, public DiscretePorts, public PlainState<CounterState> {
 public:
  explicit Counter(std::int64_t first) : first_(first) { state_.count = first; }

  [[nodiscard]] Description describe() const override;
  StepStatus initialize(const Experiment& experiment) override;
  StepStatus step(double t, double h, const InputView& u) override;
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}

  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& u) override {
    in_ = u.integers[0];
    reset_ = u.integers[1];
  }
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) override {
    y.integers[0] = state_.count;
  }
  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }

 private:
  std::int64_t first_;
  std::int64_t in_ = 0;
  std::int64_t reset_ = 0;
};

ModelInfo counter_model();

}  // namespace ergon

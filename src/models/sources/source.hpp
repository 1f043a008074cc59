#pragma once

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A signal of time: no inputs, no state, one output `value`.
class Source : public Subsystem, public NoState, public TimeSignal {
 public:
  explicit Source(Unit unit) : unit_(std::move(unit)) {}
  [[nodiscard]] virtual double value(double t) const = 0;

  [[nodiscard]] Description describe() const override {
    Description description;
    description.outputs = {{"value", unit_, 1, "the signal"}};
    description.samples_input = InputSampling::start;
    description.is_signal = true;
    return description;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double t, const double* /*u*/, double* y) override { y[0] = value(t); }

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }
  [[nodiscard]] const TimeSignal* time_signal() const override { return this; }
  void signal(double t, double* y) const override { y[0] = value(t); }

 private:
  Unit unit_;
};

/// The parameter `unit` of every source, and its reading; nothing after reporting a text that is not a unit.
ParameterInfo unit_parameter();
std::optional<Unit> unit_of_source(const ModelRequest& request, ProblemList& problems);

}  // namespace ergon

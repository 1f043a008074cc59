#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/logic/plain_state.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// States and transitions of a machine, as parameters tell them.
struct StateChart {
  struct Transition {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t condition = 0;
    bool negated = false;
  };
  std::vector<std::string> states;  ///< the first is where it starts
  std::vector<std::string> conditions;
  std::vector<Transition> transitions;  ///< of several that could be taken, the first is
};
/// states: "idle, run"; transitions: "idle -> run: go, run -> idle: not go". Nothing after reporting what is wrong.
std::optional<StateChart> parse_state_chart(std::string_view states, std::string_view transitions,
                                            const std::string& owner, const SourceLocation& where,
                                            ProblemList& problems);

struct ChartState {
  std::int64_t state = 0;
  std::int64_t taken = 0;
};

/// Takes at most one transition per step, from what its conditions are at the start of the step.
class StateMachine final : public Subsystem, public DiscretePorts, public PlainState<ChartState> {
 public:
  explicit StateMachine(StateChart chart) : chart_(std::move(chart)), inputs_(chart_.conditions.size(), 0) {}

  [[nodiscard]] Description describe() const override;
  StepStatus initialize(const Experiment& experiment) override;
  StepStatus step(double t, double h, const InputView& u) override;
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}

  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& u) override {
    inputs_.assign(u.integers, u.integers + inputs_.size());
  }
  void discrete_outputs(double t, const double* u, const DiscreteOutputs& y) override;
  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }

 private:
  [[nodiscard]] bool is_possible(const ChartState& state) const override {
    return state.state >= 0 && static_cast<std::size_t>(state.state) < chart_.states.size();
  }

  StateChart chart_;
  std::vector<std::int64_t> inputs_;
};

ModelInfo state_machine_model();

}  // namespace ergon

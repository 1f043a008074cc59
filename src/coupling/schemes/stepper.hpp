#pragma once

#include <optional>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/predictors/input_predictors.hpp"
#include "ergon/coupling/schemes/member_steps.hpp"
#include "ergon/coupling/schemes/thread_pool.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/coupling_state.hpp"
#include "ergon/coupling/state/failure.hpp"
#include "ergon/coupling/state/parts.hpp"
#include "ergon/coupling/state/pending_steps.hpp"
#include "ergon/coupling/state/run_record.hpp"

namespace ergon {

/// What a stepper works with. All of it must outlive the stepper.
struct SteppingContext {
  const CouplingPlan& plan;
  CouplingState& state;
  InputPredictors& predictors;
  ThreadPool* pool = nullptr;  ///< nothing: on the calling thread alone
  Parts parts{};               ///< nothing: one process
};

/// Takes the coupled system from one communication point to the next. What it remembers beyond the CouplingState goes
/// through `archive`.
class ERGON_API Stepper : public PendingSteps {
 public:
  explicit Stepper(const SteppingContext& context)
      : plan_(context.plan), state_(context.state), predictors_(context.predictors) {}
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  ~Stepper() override = default;

  /// All outputs at t₀ have been evaluated: forgets what came before.
  virtual void restart() {}
  /// Steps are taken, samples committed and feed-through evaluated; the state is then at the next point. On failure the clock
  /// stays at the last good one.
  virtual std::optional<Failure> advance() = 0;
  /// Waits for steps that go on beside others: all subsystems may be asked then, and set back. Returns what failed among them, which
  /// `advance` will say, too, when it gets there.
  virtual std::optional<Failure> finish_pending() { return std::nullopt; }
  /// … of one stage.
  void await(Index /*stage*/) override {}

  /// What the outputs of a stage really are at this point. (The samples may be coupling variables, which differ from it.)
  [[nodiscard]] virtual const double* outputs(Index stage) const {
    return state_.stage(stage).samples().sample_at(state_.now());
  }
  [[nodiscard]] double output(SlotAddress output) const { return outputs(output.stage)[output.offset]; }
  /// The same from the less accurate solution that the last step began with, where there is one.
  [[nodiscard]] virtual double predicted_output(SlotAddress output) const { return this->output(output); }
  /// Nothing for explicit schemes.
  [[nodiscard]] virtual const ImplicitRecord* record() const { return nullptr; }
  [[nodiscard]] virtual NodeCost cost(Index stage, std::size_t member) const = 0;
  /// ∂g/∂u of the interface residual over a step of `length` ticks, row-major; nothing where there is no such thing. The state
  /// must be set back afterwards.
  [[nodiscard]] virtual std::vector<double> interface_jacobian(Tick /*length*/) { return {}; }

  /// All that later steps depend on.
  virtual void archive(Archive& /*archive*/) {}
  /// What is told of all steps, those that were repeated included.
  virtual void archive_totals(Archive& /*archive*/) {}

 protected:
  [[nodiscard]] NodeCost cost_of(Index stage, double mean_step_s) const {
    const StageState& state = state_.stage(stage);
    return {state.steps_taken(), state.steps_taken() - state.steps(), mean_step_s};
  }

  const CouplingPlan& plan_;
  CouplingState& state_;
  InputPredictors& predictors_;
};

}  // namespace ergon

#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ergon/core/grouped_steps.hpp"
#include "ergon/coupling/schemes/stepper.hpp"
#include "ergon/coupling/state/failures.hpp"
#include "ergon/coupling/state/foreign_step.hpp"
#include "ergon/coupling/state/member_calls.hpp"

namespace ergon {

/// What Jacobi and Gauss–Seidel share: inputs from samples of the past, each step taken once. They differ in when a new output
/// becomes visible, which is what `start_steps` and `arrive` decide.
class ExplicitStepper : public Stepper {
 public:
  explicit ExplicitStepper(const SteppingContext& context);

  std::optional<Failure> advance() final;
  [[nodiscard]] NodeCost cost(Index stage, std::size_t member) const final;

 protected:
  /// The members of a stage that can be stepped in one call: runs of neighbours of one kind, thread-safe or not.
  struct Runs {
    struct Run {
      const GroupedSteps* together = nullptr;
      std::size_t end = 0;
    };
    std::vector<GroupedSteps::Member> members;
    std::vector<Run> run_of;  ///< per member
  };
  /// The steps of a stage as its members take them: a StepList. What changes from step to step comes last.
  struct StageStep {
    const StagePlan* stage = nullptr;
    StageState* state = nullptr;
    MemberSteps* steps = nullptr;
    const Runs* runs = nullptr;
    const InputPredictors::Held* held = nullptr;
    const GroupedSteps* one_run = nullptr;  ///< of all members, where steps can be taken so
    bool has_discrete = false;              ///< there are integers or texts, in or out
    bool has_laws = false;                  ///< elements are evaluated with its turn in a sweep
    bool executes_at_end = false;
    bool with_outputs = false;  ///< outputs are evaluated right after the step of their member, else later …
    const double* output_inputs = nullptr;  ///< … with these
    bool in_runs = false;  ///< which are the inputs as they were at the start, as grouped steps want it
    const CouplingState* all = nullptr;
    StepInterval interval{};
    OutputPlanes pending{};

    [[nodiscard]] std::size_t member(std::size_t i) const { return i; }
    void begin(std::size_t i, bool is_timed);
    StepStatus step(std::size_t i);
    StepStatus together(std::size_t& i, std::size_t end);
    /// … of all members, by `one_run`, on this thread; and the rest of it where that was not simply done.
    [[gnu::always_inline]] StepStatus all_together(std::size_t& i) {
      return one_run->run(runs->members, i, interval, state->coefficients(), pending.reals);
    }
    [[gnu::noinline]] StepStatus finish_all(std::size_t& i, const StepStatus& ended);
    /// The step of a member that was not simply done in a call of several.
    StepStatus finish(std::size_t& i, const StepStatus& ended);
    [[nodiscard]] Discarded discarded() const {
      return all->repeats_discarded() ? Discarded::returned : Discarded::in_pieces;
    }
  };

  /// Begins the step of every stage that is at this point.
  virtual std::optional<Failure> start_steps() = 0;
  /// Makes visible what arrives at `arrival`.
  virtual std::optional<Failure> arrive(Tick arrival) = 0;

  /// Builds the inputs of a stage, steps its members and evaluates their outputs into the pending sample.
  std::optional<Failure> execute(Index stage) { return execute(stage, stage_steps_[stage]); }
  [[gnu::always_inline]] std::optional<Failure> execute(Index stage, StageStep& step);
  // ── The same in parts, for who does something in between ──
  [[gnu::always_inline]] std::optional<Failure> make_inputs(Index stage, StageStep& step);
  /// What the outputs at the end of the step are evaluated with.
  std::optional<Failure> close_inputs(Index stage);
  /// Its step is about to be taken.
  [[gnu::always_inline]] void begin(StageStep& step);
  [[nodiscard]] Failure failure_of_step(Index stage, const MemberFailure& failed) const;

  /// Outputs that cannot be: no finite numbers, no items of their enumeration.
  [[nodiscard, gnu::always_inline]] std::optional<Failure> check_outputs(const StageStep& step) const;
  /// The outputs of a stage are complete where those of other parts are there, too.
  [[nodiscard, gnu::always_inline]] std::optional<Failure> complete_outputs(Index stage,
                                                                            const StageStep& step);

  std::optional<Failure> evaluate_elements(Index stage, Tick k);
  /// Of a stage, for who takes its steps without `execute`.
  [[nodiscard]] MemberSteps& steps_of(Index stage) { return steps_[stage]; }
  [[nodiscard]] StageStep& stage_step(Index stage) { return stage_steps_[stage]; }
  [[nodiscard]] std::span<StageStep> stage_steps() { return stage_steps_; }
  /// Its outputs are evaluated with each member's step, whatever their inputs: `close_inputs` comes before it.
  void close_before_steps(Index stage);

 private:
  [[nodiscard]] static Runs runs_of(const StagePlan& stage);
  std::optional<Failure> reach_next_point();
  std::optional<Failure> evaluate_point();
  std::optional<Failure> refresh(const Evaluation& evaluation);
  std::optional<Failure> refresh_discrete(Index stage, double t);
  std::optional<Failure> make_discrete_inputs(Index stage);
  [[nodiscard]] std::optional<Failure> find_bad_output(const StagePlan& stage, const OutputPlanes& y,
                                                       double t) const;
  [[nodiscard]] bool is_due(const StagePlan& element_stage) const;

  [[nodiscard, gnu::always_inline]] const StepInterval& interval_of(const StageState& state);
  /// What comes after the steps where outputs have not been evaluated with them, or with other inputs.
  std::optional<Failure> close_outputs(Index stage, const StageStep& step);

  Parts parts_;
  std::vector<MemberSteps> steps_;      ///< per stepping stage
  std::vector<Runs> runs_;              ///< likewise
  std::vector<StageStep> stage_steps_;  ///< likewise
  // The last interval: stages one after the other often have the same, and a time is a division.
  Tick start_ = -1;
  Tick end_ = -1;
  StepInterval interval_;
};

// Of a system of a few cheap subsystems, calls of these would be seen in its time.

inline std::optional<Failure> ExplicitStepper::make_inputs(Index s, StageStep& step) {
  if (step.held != nullptr)
    InputPredictors::hold(*step.held, *step.state);
  else if (auto failure = predictors_.produce(s))
    return failure;
  if (!step.has_discrete) return std::nullopt;
  return make_discrete_inputs(s);
}

inline const StepInterval& ExplicitStepper::interval_of(const StageState& state) {
  if (state.start() != start_ || state.next() != end_) {
    start_ = state.start();
    end_ = state.next();
    const TimeGrid& grid = plan_.grid();
    interval_ = {grid.time_s(start_), grid.duration_s(end_ - start_), grid.time_s(end_)};
  }
  return interval_;
}

inline void ExplicitStepper::begin(StageStep& step) {
  step.interval = interval_of(*step.state);
  step.pending.reals = step.state->samples().pending();
  if (step.has_discrete) step.pending = pending_of(step.state->samples());
}

inline std::optional<Failure> ExplicitStepper::execute(Index s, StageStep& step) {
  if (auto failure = make_inputs(s, step)) return failure;
  begin(step);
  step.state->count_step();
  MemberSteps& steps = *step.steps;
  if (step.one_run != nullptr && steps.takes_all_on_this_thread()) {
    if (auto failed = steps.run_together(step)) return failure_of_step(s, *failed);
  } else if (auto failed = steps.run(step.runs->members.size(), step)) {
    return failure_of_step(s, *failed);
  }
  if (!step.with_outputs || step.state->evaluates_separately()) {
    if (auto failure = close_outputs(s, step)) return failure;
  }
  return complete_outputs(s, step);
}

inline std::optional<Failure> ExplicitStepper::complete_outputs(Index s, const StageStep& step) {
  if (parts_.outputs != nullptr) [[unlikely]] {
    if (auto failure = parts_.outputs->complete(s, {}, step.pending)) return failure;
  }
  return check_outputs(step);
}

inline std::optional<Failure> ExplicitStepper::check_outputs(const StageStep& step) const {
  if (!step.has_discrete && are_finite(step.pending.reals, step.stage->output_count)) [[likely]]
    return std::nullopt;
  return find_bad_output(*step.stage, step.pending, step.interval.end_s);
}

}  // namespace ergon

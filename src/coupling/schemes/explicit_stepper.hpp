#pragma once

#include <vector>

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
    bool are_one = false;     ///< of all members
  };
  /// The step of a stage as its members take it: a StepList.
  struct StageStep {
    const StagePlan* stage = nullptr;
    const Runs* runs = nullptr;
    StageState* state = nullptr;
    StepInterval interval{};
    OutputPlanes pending{};
    Discarded discarded = Discarded::in_pieces;
    bool with_outputs = false;  ///< they are evaluated right after the step of their member, else later …
    const double* output_inputs = nullptr;  ///< … with these
    bool in_runs = false;  ///< which are the inputs as they were at the start, as grouped steps want it

    [[nodiscard]] std::size_t member(std::size_t i) const { return i; }
    void begin(std::size_t i, bool is_timed);
    StepStatus step(std::size_t i);
    StepStatus together(std::size_t& i, std::size_t end);
  };

  /// Begins the step of every stage that is at this point.
  virtual std::optional<Failure> start_steps() = 0;
  /// Makes visible what arrives at `arrival`.
  virtual std::optional<Failure> arrive(Tick arrival) = 0;

  /// Builds the inputs of a stage, steps its members and evaluates their outputs into the pending sample.
  std::optional<Failure> execute(Index stage);
  // ── The same in parts, for who does something in between ──
  [[gnu::always_inline]] std::optional<Failure> make_inputs(Index stage);
  /// What the outputs at the end of the step are evaluated with.
  std::optional<Failure> close_inputs(Index stage);
  [[nodiscard, gnu::always_inline]] StageStep step_of(Index stage);
  [[nodiscard]] Failure failure_of_step(Index stage, const MemberFailure& failed) const;
  [[nodiscard]] std::optional<Failure> check_pending(Index stage);

  std::optional<Failure> evaluate_elements(Index stage, Tick k);
  /// The steps of a stage, for who takes some of them without `execute`.
  [[nodiscard]] MemberSteps& steps_of(Index stage) { return steps_[stage]; }

 private:
  [[nodiscard]] static Runs runs_of(const StagePlan& stage);
  std::optional<Failure> evaluate_outputs(Index stage, double t_end);
  std::optional<Failure> evaluate_point();
  std::optional<Failure> refresh(const Evaluation& evaluation);
  std::optional<Failure> refresh_discrete(Index stage, double t);
  [[nodiscard]] std::optional<Failure> check_outputs(const StagePlan& stage, const OutputPlanes& y,
                                                     double t) const;
  [[nodiscard]] bool is_due(const StagePlan& element_stage) const;

  std::vector<MemberSteps> steps_;  ///< per stepping stage
  std::vector<Runs> runs_;          ///< likewise
};

// Of a system of a few cheap subsystems, calls of these would be seen in its time.

inline std::optional<Failure> ExplicitStepper::make_inputs(Index s) {
  if (auto failure = predictors_.produce(s)) return failure;
  StageState& state = state_.stage(s);
  if (const auto slot =
          plan_.stage(s).discrete_exchange.build_newest(state_.rings(), state.discrete_inputs()))
    return overflow_of(plan_, s, *slot, plan_.grid().time_s(state.start()));
  return std::nullopt;
}

inline ExplicitStepper::StageStep ExplicitStepper::step_of(Index s) {
  StageState& state = state_.stage(s);
  const TimeGrid& grid = plan_.grid();
  StageStep step;
  step.stage = &plan_.stage(s);
  step.runs = &runs_[s];
  step.state = &state;
  step.interval = {grid.time_s(state.start()), grid.duration_s(state.next() - state.start()),
                   grid.time_s(state.next())};
  step.pending = pending_of(state.samples());
  step.discarded = state_.repeats_discarded() ? Discarded::returned : Discarded::in_pieces;
  // Outputs can be evaluated together with the step where they take the inputs as they were at its start.
  step.in_runs = state.degree_cap() == 0 && predictors_.evaluates_as_applied(s);
  step.with_outputs = step.in_runs;
  step.output_inputs = state.coefficients();
  return step;
}

}  // namespace ergon

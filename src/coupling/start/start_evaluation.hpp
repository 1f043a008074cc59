#pragma once

#include <optional>
#include <vector>

#include "ergon/coupling/state/coupling_state.hpp"
#include "ergon/coupling/state/failures.hpp"
#include "ergon/coupling/state/member_calls.hpp"

namespace ergon {

/// Evaluates all outputs at t₀ from the states, by feed-through depth, and solves loops; inputs are then those that arrive.
class StartEvaluation {
 public:
  StartEvaluation(const CouplingPlan& plan, CouplingState& state) : plan_(plan), state_(state) {}

  /// A loop without a solution is reported to `problems`.
  std::optional<Failure> evaluate(ProblemList& problems);

 private:
  void evaluate_all(ProblemList& problems);
  void evaluate_members(const Evaluation& evaluation);
  bool solve_loop(const std::vector<Index>& loop, ProblemList& problems);
  void ask(Index stage, const Member& member, const double* inputs, const OutputPlanes& outputs);
  [[nodiscard]] double& value(Index output) {
    const SlotAddress a = plan_.output(output);
    return state_.stage(a.stage).samples().newest()[a.offset];
  }
  /// The samples that arrive at a stage, in its point inputs.
  const double* point_inputs(Index stage);

  const CouplingPlan& plan_;
  CouplingState& state_;
  const Member* asked_ = nullptr;
  std::optional<Failure> overflow_;
};

}  // namespace ergon

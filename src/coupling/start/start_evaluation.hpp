#pragma once

#include <optional>
#include <vector>

#include "ergon/coupling/state/coupling_state.hpp"
#include "ergon/coupling/state/failures.hpp"
#include "ergon/coupling/state/member_calls.hpp"
#include "ergon/coupling/state/parts.hpp"

namespace ergon {

/// Evaluates all outputs at t₀ from the states, by feed-through depth, and solves loops; inputs are then those that arrive.
class StartEvaluation {
 public:
  StartEvaluation(const CouplingPlan& plan, CouplingState& state, const Parts& parts = {})
      : plan_(plan), state_(state), parts_(parts) {}

  /// A loop without a solution is reported to `problems`.
  std::optional<Failure> evaluate(ProblemList& problems);

 private:
  void evaluate_all(ProblemList& problems);
  [[nodiscard]] bool waits_for_inputs(const Member& member) const;
  bool ask_those_that_wait();
  void evaluate_members(const Evaluation& evaluation);
  bool solve_loop(const std::vector<Index>& loop, ProblemList& problems);
  void ask(Index stage, const Member& member, const double* inputs, const OutputPlanes& outputs);
  [[nodiscard]] double& value(Index output) {
    const SlotAddress a = plan_.output(output);
    return state_.stage(a.stage).samples().newest()[a.offset];
  }
  /// Outputs of other parts. False: one of them failed.
  bool complete(Index stage, std::span<const std::uint32_t> members, const OutputPlanes& outputs);
  /// The samples that arrive at a stage, in its point inputs.
  const double* point_inputs(Index stage);

  const CouplingPlan& plan_;
  CouplingState& state_;
  Parts parts_;
  const Member* asked_ = nullptr;
  std::optional<Failure> elsewhere_;  ///< in another part
  std::optional<Failure> overflow_;
};

}  // namespace ergon

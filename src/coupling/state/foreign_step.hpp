#pragma once

#include <vector>

#include "ergon/coupling/plan/stage_plan.hpp"

namespace ergon {

/// What becomes of a step that a subsystem has discarded.
enum class Discarded {
  in_pieces,  ///< it is taken in shorter pieces: up to the time reached, else halves
  returned,   ///< the caller repeats it with other inputs
};

/// The polynomials u(offset + τ) of one member; `scratch` holds them.
[[nodiscard]] InputView shifted(const Member& member, const InputView& u, double offset,
                                std::vector<double>& scratch);

/// The rest of a step from t to t + h that ended with `status`, which was not ok.
[[nodiscard]] StepStatus finish_step(const Member& member, double t, double h, const InputView& u,
                                     StepStatus status, Discarded discarded);

/// A communication step of one member: where it ends early, the remainder is stepped at once with the same inputs. What is
/// discarded leaves the state as it was before the step, or, amid pieces, as it was before the piece.
[[nodiscard]] inline StepStatus take_step(const Member& member, double t, double h, const InputView& u,
                                          Discarded discarded) {
  const StepStatus status = member.subsystem->step(t, h, u);
  if (status.ok) return status;
  return finish_step(member, t, h, u, status, discarded);
}

}  // namespace ergon

#pragma once

#include <span>

#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/coupling_state.hpp"

namespace ergon {

/// Where the numbers of one stage are at a point: looked up once for all who read them there.
struct StageNumbers {
  const double* samples = nullptr;          ///< Point::sample
  const double* applied = nullptr;          ///< Point::applied
  const double* used_by_outputs = nullptr;  ///< Point::used_by_outputs
  Tick step_ticks = 0;                      ///< Point::step_ticks
  bool is_sampled = false;                  ///< Point::is_sampled
};

/// One communication point as books and correctors see it: what was sampled and what was applied, and nothing that can be
/// changed. Cheap to make and to copy.
class Point {
 public:
  Point(const CouplingPlan& plan, const CouplingState& state) : plan_(&plan), state_(&state) {}

  [[nodiscard]] Tick tick() const { return state_->now(); }
  [[nodiscard]] double time_s() const { return plan_->grid().time_s(tick()); }
  [[nodiscard]] double duration_s(Tick ticks) const { return plan_->grid().duration_s(ticks); }

  /// The newest sample of an output that is not in the future of this point.
  [[nodiscard]] double sample(SlotAddress output) const {
    return state_->stage(output.stage).samples().sample_at(tick())[output.offset];
  }
  /// What an input slot got last: see StageState::applied.
  [[nodiscard]] double applied(SlotAddress slot) const {
    return state_->stage(slot.stage).applied()[slot.offset];
  }
  /// What the newest outputs were evaluated with at an input slot.
  [[nodiscard]] double used_by_outputs(SlotAddress slot) const {
    return state_->stage(slot.stage).output_inputs()[slot.offset];
  }
  [[nodiscard]] const double* inputs_used_by_outputs(SlotAddress first) const {
    return state_->stage(first.stage).output_inputs() + first.offset;
  }
  /// The newest samples at all connected inputs of a stage, into an array of its slots; what nothing is connected to as it was
  /// applied.
  void newest_inputs(Index stage, double* inputs) const;

  /// Of every stage, into an array of as many.
  void look_up(std::span<StageNumbers> numbers) const;

  /// A stage has a sample of this very point.
  [[nodiscard]] bool is_sampled(Index stage) const {
    return state_->stage(stage).samples().tick(0) == tick();
  }
  /// A stage is at this point: not amid a step that was computed ahead.
  [[nodiscard]] bool has_arrived(Index stage) const {
    return plan_->stage(stage).algebraic || state_->stage(stage).next() == tick();
  }
  /// … and, of an element, has been evaluated here.
  [[nodiscard]] bool is_complete(Index stage) const {
    return plan_->stage(stage).algebraic ? is_sampled(stage) : state_->stage(stage).next() == tick();
  }
  /// Length of the last step of a stage.
  [[nodiscard]] Tick step_ticks(Index stage) const {
    return state_->stage(stage).next() - state_->stage(stage).start();
  }

 private:
  const CouplingPlan* plan_;
  const CouplingState* state_;
};

}  // namespace ergon

#pragma once

#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/stage_state.hpp"

namespace ergon {

/// All that changes while a coupled system is stepped, but for what the stepper, the books, the correctors and the step
/// control remember for themselves. `plan` must outlive it.
class ERGON_API CouplingState {
 public:
  explicit CouplingState(const CouplingPlan& plan);
  CouplingState(const CouplingState&) = delete;
  CouplingState& operator=(const CouplingState&) = delete;

  [[nodiscard]] Tick now() const { return now_; }
  void set_now(Tick now) { now_ = now; }
  /// Where the present step sizes began.
  [[nodiscard]] Tick anchor() const { return anchor_; }
  /// Whether some last step was shortened to end with the run.
  [[nodiscard]] bool clamped() const { return clamped_; }

  /// No step goes beyond: the end of the run, or of a window that has to end sooner.
  [[nodiscard]] Tick horizon() const { return horizon_; }
  void set_horizon(Tick horizon) { horizon_ = horizon; }

  /// A step that a subsystem discards fails, and is repeated with a shorter one from outside; else it is taken in pieces.
  [[nodiscard]] bool repeats_discarded() const { return repeats_discarded_; }
  void set_repeats_discarded(bool repeats) { repeats_discarded_ = repeats; }

  [[nodiscard]] StageState& stage(Index s) { return stages_[s]; }
  [[nodiscard]] const StageState& stage(Index s) const { return stages_[s]; }
  [[nodiscard]] std::size_t stage_count() const { return stages_.size(); }
  /// The samples of all stages, as exchange programs want them.
  [[nodiscard]] const SampleRings& rings() const { return rings_; }

  /// Begins the step of a stage at this point.
  void begin_step(Index s) { begin_step(stages_[s]); }
  void begin_step(StageState& stage) {
    if (stage.begin_step(now_, horizon_) && horizon_ == plan_.grid().end()) clamped_ = true;
  }
  /// The inputs of a stage as its own points have them, at tick `k`, which is the newest of them or the next one.
  void sample_own_points(Index s, Tick k);
  /// … written elsewhere, for any tick.
  void own_inputs_at(Index s, Tick k, double* inputs);

  /// All stepping stages are at the end of their steps.
  [[nodiscard]] bool all_arrived() const;
  /// All steps become `factor`/`subdivisions` of those that the user gave, from this point on.
  void scale_steps(Tick factor, Tick subdivisions);
  /// Back to t₀: clocks and counts; samples and inputs are evaluated by the start.
  void reset();

  void archive(Archive& archive);
  /// What is counted over all tries.
  void archive_totals(Archive& archive) {
    for (StageState& stage : stages_) stage.archive_totals(archive);
  }

 private:
  const CouplingPlan& plan_;
  Tick now_ = 0;
  Tick anchor_ = 0;
  Tick horizon_ = 0;
  bool clamped_ = false;
  bool repeats_discarded_ = false;
  std::vector<StageState> stages_;
  SampleRings rings_;
};

}  // namespace ergon

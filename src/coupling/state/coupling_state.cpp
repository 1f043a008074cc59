#include "ergon/coupling/state/coupling_state.hpp"

#include <algorithm>

namespace ergon {

CouplingState::CouplingState(const CouplingPlan& plan) : plan_(plan), horizon_(plan.grid().end()) {
  stages_.reserve(plan.stages().size());  // rings are referred to by address
  for (const StagePlan& stage : plan.stages()) stages_.emplace_back(stage);
  for (const StageState& stage : stages_) rings_.push_back(&stage.samples());
}

bool CouplingState::all_arrived() const {
  return std::all_of(stages_.begin(), stages_.begin() + static_cast<std::ptrdiff_t>(plan_.stepping_stages()),
                     [&](const StageState& stage) { return stage.next() == now_; });
}

void CouplingState::sample_own_points(Index s, Tick k) {
  SampleRing& samples = stages_[s].own_points().samples;
  if (samples.count() > 0 && samples.tick(0) == k) {
    own_inputs_at(s, k, samples.newest());
  } else {
    own_inputs_at(s, k, samples.pending());
    samples.commit(k);
  }
}

void CouplingState::own_inputs_at(Index s, Tick k, double* inputs) {
  const StagePlan& stage = plan_.stage(s);
  stage.own_samples.build(rings_, plan_.grid(), k, 0, stages_[s].own_points().of_samples, inputs,
                          stage.slots);
}

void CouplingState::scale_steps(Tick factor, Tick subdivisions) {
  for (Index s = 0; s < plan_.stepping_stages(); ++s) {
    stages_[s].set_period(plan_.stage(s).period / subdivisions * factor);
  }
  anchor_ = now_;
}

void CouplingState::reset() {
  now_ = anchor_ = 0;
  horizon_ = plan_.grid().end();
  clamped_ = false;
  for (StageState& stage : stages_) stage.reset();
}

void CouplingState::archive(Archive& archive) {
  archive.section("coupling");
  archive(now_);
  archive(anchor_);
  archive(clamped_);
  for (StageState& stage : stages_) stage.archive(archive);
}

}  // namespace ergon

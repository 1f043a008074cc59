#pragma once

#include <optional>

#include "ergon/run/run.hpp"
#include "ergon/verdict/verdict_monitor.hpp"

namespace ergon {

/// Feeds the verdict of a run.
class VerdictObserver final : public Observer {
 public:
  /// Which bonds have stale efforts is asked of the engine.
  explicit VerdictObserver(VerdictOptions options = {}) : options_(std::move(options)) {}

  void begin(const Engine& engine) override {
    engine_ = &engine;
    options_.stale_bonds = engine.bonds_with_stale_efforts();
    monitor_.emplace(engine.system(), options_);
  }
  void inspect(const StepRecord& record) override { monitor_->inspect(record); }
  void end(const std::optional<Failure>& failure) override {
    // After a failure some subsystems are past the last good point: their energies are not of one instant.
    monitor_->finish(engine_->record(), !failure);
  }
  void archive(Archive& archive) override { monitor_->archive(archive); }

  /// With VerdictOptions::watch.
  [[nodiscard]] bool unreliable_so_far() const { return monitor_ && monitor_->unreliable_so_far(); }
  /// After the end.
  [[nodiscard]] Verdict verdict(const RunOutcome& outcome) const {
    return monitor_->verdict(outcome.status == RunStatus::ended ? std::nullopt : outcome.failure);
  }

 private:
  VerdictOptions options_;
  const Engine* engine_ = nullptr;
  std::optional<VerdictMonitor> monitor_;
};

}  // namespace ergon

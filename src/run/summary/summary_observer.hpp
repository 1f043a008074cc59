#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ergon/run/record/interval_gate.hpp"
#include "ergon/run/summary/summary.hpp"

namespace ergon {

/// Collects the figures of a run for its summary. Asking all subsystems for their energy may be dear, so that
/// is done at t₀, at recorded points at least 16 points apart, and at the end.
class SummaryObserver final : public Observer {
 public:
  explicit SummaryObserver(const CoupledSystem& system, IntervalGate gate = {});

  void begin(const Engine& engine) override;
  void inspect(const StepRecord& record) override;
  void end(const std::optional<Failure>& failure) override;

  /// Takes the books at the last point. `energies_hold`: the subsystems are at that point, too.
  void finish(const StepRecord& last_point, bool energies_hold);

  /// After the end. Version, warnings and whatever else only the caller knows may be filled in by the caller.
  [[nodiscard]] Summary summary(const RunOutcome& outcome) const;

 private:
  void sample_energies(const StepRecord& record);

  const Engine* engine_ = nullptr;
  IntervalGate gate_;
  Summary summary_;  ///< as far as it is known
  std::chrono::steady_clock::time_point started_;
  int points_until_sample_ = 0;
  Tick last_tick_ = 0;
  Tick last_sample_tick_ = 0;
  std::vector<EnergyRecord> energies_;
};

}  // namespace ergon

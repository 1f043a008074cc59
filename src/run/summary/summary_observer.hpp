#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ergon/run/summary/summary.hpp"

namespace ergon {

/// Collects the figures of a run for its summary. Asking all subsystems for their energy may be dear, so that is done at
/// t₀, then at points at least 16 points apart that all subsystems reach together, and at the end: energies of
/// different instants make no sum.
class SummaryObserver final : public Observer {
 public:
  explicit SummaryObserver(const CoupledSystem& system);

  void begin(const Engine& engine) override;
  void inspect(const StepRecord& record) override;
  void end(const std::optional<Failure>& failure) override;
  void archive(Archive& archive) override;

  /// Takes the books at the last point. `energies_hold`: the subsystems are at that point, too.
  void finish(const StepRecord& last_point, bool energies_hold);

  /// After the end. Version, warnings and whatever else only the caller knows may be filled in by the caller.
  [[nodiscard]] Summary summary(const RunOutcome& outcome) const;

 private:
  void sample_energies(const StepRecord& record);

  const Engine* engine_ = nullptr;
  Tick common_ticks_ = 1;  ///< all subsystems are at its multiples; with step control at every point
  std::chrono::steady_clock::time_point started_;
  std::vector<EnergyRecord> energies_;

  // What changes from point to point.
  Summary summary_;  ///< as far as it is known
  int points_until_sample_ = 0;
  Tick last_tick_ = 0;
  Tick last_sample_tick_ = 0;
};

}  // namespace ergon

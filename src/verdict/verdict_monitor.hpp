#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ergon/verdict/evidence.hpp"
#include "ergon/verdict/finding.hpp"
#include "ergon/verdict/time_windows.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon {

/// Judges a run by all evidence in the registry (docs/theory/verdict.md): a loop over it, the worst first. Its memory does not grow with
/// the run, and nothing is allocated between the first point and the verdict.
class VerdictMonitor {
 public:
  explicit VerdictMonitor(const CoupledSystem& system, VerdictOptions options = {});

  /// Every communication point, in order, t₀ included.
  void inspect(const StepRecord& record);
  /// The last point. `energies_hold`: the subsystems are at that point, too.
  void finish(const StepRecord& last_point, bool energies_hold);

  /// With `watch`: the run would be called unreliable, and has been for some time.
  [[nodiscard]] bool unreliable_so_far() const;
  [[nodiscard]] Verdict verdict(const std::optional<Failure>& failure = std::nullopt) const;

  void archive(Archive& archive);

 private:
  void start(const StepRecord& first_point);
  [[nodiscard]] ObservedPoint observed(const StepRecord& record) const {
    return {record, last_tick_, last_time_s_, windows_.index(last_tick_)};
  }
  void judge_so_far();
  void collect(Findings& findings) const;
  [[nodiscard]] Findings empty_findings() const;
  [[nodiscard]] VerdictReason reason_of(const Finding& finding) const;
  [[nodiscard]] VerdictReason reason_of_no_bonds() const;
  [[nodiscard]] double time_s(Tick k) const;

  std::unique_ptr<EvidenceContext> context_;  ///< evidence refers to it
  std::vector<std::unique_ptr<Evidence>> evidence_;
  Findings so_far_;

  // What changes.
  TimeWindows windows_;
  bool started_ = false;
  double start_time_s_ = 0.0;
  double last_time_s_ = 0.0;
  Tick last_tick_ = 0;
  int points_until_look_;
  int alarms_ = 0;  ///< looks in a row that found the run unreliable
};

}  // namespace ergon

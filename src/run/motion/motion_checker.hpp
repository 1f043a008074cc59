#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/rational.hpp"
#include "ergon/run/motion/compare_motion.hpp"
#include "ergon/run/motion/motion.hpp"

namespace ergon {

/// Runs the same system with its steps times a factor, shows it to the observer, and tells how it went. Never throws.
using CompanionRun =
    std::function<CompanionReport(const Rational& step_factor, Observer& observer, const StopRequest&)>;

/// Told the part of a companion that is done, now and then, while the run waits for it.
using CheckProgress = std::function<void(double part)>;

/// Checks the motion of a run by companions (docs/theory/verdict.md): beside it, on another core, where there is one. It sees the
/// run as any observer does, so that the run keeps its bits.
class MotionChecker {
 public:
  /// `system` must outlive it. `isolates`: what can be had once per process has one of its own in companions.
  MotionChecker(const CoupledSystem& system, const std::vector<Index>& recorded,
                const std::vector<Accuracy>& accuracies, MotionCheck check, CompanionRun companion_run,
                bool isolates);
  ~MotionChecker();
  MotionChecker(const MotionChecker&) = delete;
  MotionChecker& operator=(const MotionChecker&) = delete;

  /// What the run shows itself to.
  [[nodiscard]] Observer& observer() { return samples_; }
  /// The run is about to take its first step.
  void start();
  /// The run is over: waits for the companion, and lets others follow where that is asked for. `energy_alarm`: the energy of the
  /// run is not right. Asks `stop_requested` now and then, and tells how far the companion is.
  [[nodiscard]] Motion finish(const RunOutcome& outcome, bool energy_alarm, const StopRequest& stop_requested,
                              const CheckProgress& progress = {});

  /// The samples are those of this run from its start; not so where one that was over is extended.
  [[nodiscard]] bool fits() const { return samples_.fits(); }
  /// The run becomes another one than what it was built as: no companion goes along with that.
  void forgo(std::string why);

  /// Subsystems that cannot be had twice in one process.
  [[nodiscard]] static std::vector<std::string> had_once(const CoupledSystem& system);

 private:
  class Companion;
  Companion& companion(const Rational& step_factor);
  [[nodiscard]] const Companion* wait(const Rational& step_factor, const StopRequest& stop_requested,
                                      const CheckProgress& progress, Motion& motion,
                                      const Companion* further = nullptr);
  /// Nothing is left to ask after twice the steps, and four times of them where errors of two orders may cancel.
  [[nodiscard]] bool is_clear(const Companion& at_double, const StopRequest& stop_requested,
                              const CheckProgress& progress, Motion& motion);
  /// Of a run that did not finish: as far as both went.
  void compare_part(const RunOutcome& outcome, Motion& motion);

  const CoupledSystem& system_;
  MotionCheck check_;
  CompanionRun companion_run_;
  bool isolates_;
  WatchedOutputs watched_;
  MotionSamples samples_;
  std::string why_not_;  ///< there is no companion; empty: there is
  std::vector<std::unique_ptr<Companion>> companions_;
};

/// The verdict of the run itself and what the companions say, in one. Where the motion was checked it decides, but for what no
/// companion can see: signals that are sampled too rarely at all steps, energy that is wrong at all of them, failures.
[[nodiscard]] Verdict whole_verdict(Verdict verdict, const Motion& motion);

}  // namespace ergon

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
  /// `system` must outlive it.
  MotionChecker(const CoupledSystem& system, const std::vector<Index>& recorded,
                const std::vector<Accuracy>& accuracies, MotionCheck check, CompanionRun companion_run);
  ~MotionChecker();
  MotionChecker(const MotionChecker&) = delete;
  MotionChecker& operator=(const MotionChecker&) = delete;

  /// What the run shows itself to.
  [[nodiscard]] Observer& observer() { return samples_; }
  /// The run is about to take its first step.
  void start();
  /// The run is over: waits for the companion, and lets a second one follow where that is asked for. `books_alarm`: the books
  /// call the run unreliable. Asks `stop_requested` now and then, and tells how far the companion is.
  [[nodiscard]] Motion finish(const RunOutcome& outcome, bool books_alarm, const StopRequest& stop_requested,
                              const CheckProgress& progress = {});

  /// The run becomes another one than what it was built as: no companion goes along with that.
  void forgo(std::string why);

  /// The subsystem that cannot be had twice in one process; empty: there is none.
  [[nodiscard]] static std::string had_once(const CoupledSystem& system);

 private:
  class Companion;
  Companion& companion(const Rational& step_factor);
  [[nodiscard]] const Companion* wait(const Rational& step_factor, const StopRequest& stop_requested,
                                      const CheckProgress& progress, Motion& motion);

  const CoupledSystem& system_;
  MotionCheck check_;
  CompanionRun companion_run_;
  WatchedOutputs watched_;
  MotionSamples samples_;
  std::string why_not_;  ///< there is no companion; empty: there is
  std::vector<std::unique_ptr<Companion>> companions_;
};

/// The verdict of the books and what the companion says, in one. Where the motion was checked it decides, but for what no
/// companion can see: signals that are sampled too rarely at all steps, elements that give energy away, failures.
[[nodiscard]] Verdict whole_verdict(Verdict verdict, const Motion& motion);

/// One setting to try, with the option to type; empty where nothing is wrong, or nothing is known to help. `default_step_s`: where all
/// step sizes follow from it.
[[nodiscard]] std::string advice_for(const Verdict& verdict, const Motion& motion, const Engine& engine,
                                     std::optional<double> default_step_s = std::nullopt);

/// By what all step sizes are to be divided so that the accuracy is met, a power of two.
[[nodiscard]] int step_divisor(const Motion& motion);

}  // namespace ergon

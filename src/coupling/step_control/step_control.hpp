#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/options/step_control_options.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon {

/// Measures the error of a window, the time between two points that all subsystems reach together, against the
/// tolerance. What it remembers changes in `accept` only, so that a window can be repeated.
class ERGON_API ErrorEstimator {
 public:
  virtual ~ErrorEstimator() = default;
  virtual void start(const StepRecord& at_start) = 0;
  /// Error / tolerance of the window that ends here; above 1 it is too large.
  [[nodiscard]] virtual double measure(const StepRecord& at_end) const = 0;
  virtual void accept(const StepRecord& at_end) = 0;
  /// What it measures errors against is about to become much larger within this window: somebody leaves a state of rest, where every
  /// error is a large part of next to nothing.
  [[nodiscard]] virtual bool leaves_rest(const StepRecord& /*at_end*/) const { return false; }
  /// The largest values of all outputs up to a time ahead, by steps of one length and of half of it: learns them where they agree.
  virtual bool foresee(std::span<const double> /*coarse*/, std::span<const double> /*fine*/) { return false; }
  virtual void archive(Archive& archive) = 0;
};

/// What an estimator may want to know of the run.
struct EstimatorContext {
  const CoupledSystem& system;
  int degree = 0;           ///< of the polynomials through coupling variables
  double duration_s = 0.0;  ///< of the whole run
};

struct StepControlMethod {
  /// What there must be besides the results of a window.
  enum class Needs {
    bonds,       ///< power bonds
    predictor,   ///< an implicit scheme: the solution with predicted coupling variables
    whole_step,  ///< a solution of the window in one step, beside the one in two
  };
  std::string_view name;
  std::string_view help;
  Needs needs = Needs::bonds;
  bool per_second = false;  ///< the tolerance is for the error per second, not per window
  std::unique_ptr<ErrorEstimator> (*make)(const StepControlOptions& options,
                                          const EstimatorContext& context) = nullptr;
};

ERGON_API const std::vector<StepControlMethod>& step_control_methods();
ERGON_API const StepControlMethod* find_step_control(std::string_view name);

/// Chooses the length of windows as a whole multiple of the smallest one.
///   n ← n · 0.9 · r^(−0.7/q) · r_before^(0.4/q)                     proportional–integral control [gustafsson1991]
/// with the measured ratio r = error/tolerance of this window and the one before, and q the power of the step with which
/// the error of one window falls.
class ERGON_API StepControl {
 public:
  /// `halves`: every window is taken as a whole and in two halves.
  StepControl(const StepControlOptions& options, std::unique_ptr<ErrorEstimator> estimator, int order,
              Tick most, bool halves);

  void start(const StepRecord& at_start);
  /// The window to try next, in smallest windows.
  [[nodiscard]] Tick factor() const { return factor_ - factor_ % least_; }
  [[nodiscard]] bool halves() const { return least_ > 1; }
  /// No more than so many smallest windows are left.
  void limit(Tick left) { factor_ = std::min(factor_, std::max(least_, left + left % least_)); }
  /// The window ended: true to go on, false to repeat it with the new, smaller factor(). `may_repeat`: all subsystems can
  /// be set back; otherwise every window is accepted and only the next one is shorter.
  bool judge(const StepRecord& at_end, double length_s, bool may_repeat);
  /// A subsystem failed in the window: true if it is worth a try with a smaller one.
  bool retry_after_failure();

  // ── Looking ahead, in windows of the nominal length, where a window leaves a state of rest ──
  [[nodiscard]] bool leaves_rest(const StepRecord& at_end) const { return estimator_->leaves_rest(at_end); }
  [[nodiscard]] Tick nominal() const { return nominal_; }
  bool foresee(std::span<const double> coarse, std::span<const double> fine) {
    return estimator_->foresee(coarse, fine);
  }

  [[nodiscard]] const StepControlRecord& record() const { return record_; }

  void archive(Archive& archive);

 private:
  void shrink(double by);

  std::unique_ptr<ErrorEstimator> estimator_;
  double exponent_;
  Tick least_;  ///< 2 where windows are halved, else 1
  Tick most_;
  Tick nominal_;
  Tick factor_;
  double previous_ratio_ = 1.0;
  bool just_rejected_ = false;
  StepControlRecord record_;
};

std::unique_ptr<ErrorEstimator> make_interface_power_estimator(const StepControlOptions& options,
                                                               const EstimatorContext& context);
std::unique_ptr<ErrorEstimator> make_milne_estimator(const StepControlOptions& options,
                                                     const EstimatorContext& context);
std::unique_ptr<ErrorEstimator> make_richardson_estimator(const StepControlOptions& options,
                                                          const EstimatorContext& context);

}  // namespace ergon

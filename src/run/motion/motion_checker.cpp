#include "ergon/run/motion/motion_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {
namespace {

const Rational four_times(4, 1);
const Rational twice(2, 1);
const Rational half(1, 2);
const Rational quarter(1, 4);

int steps_in_unit(const Rational& step_factor) {
  return static_cast<int>(std::lround(2.0 / step_factor.value()));
}

/// Twice the steps disagree with the run, half of them do not, and no order that a coupling has makes such differences: errors of two
/// orders may cancel between the run and half its steps. Where twice the steps leave the range of the run they are unstable, and tell no order.
bool leaves_order_open(const std::vector<VariableMotion>& at_double, const Motion& at_half) {
  for (std::size_t v = 0; v < at_double.size(); ++v) {
    const VariableMotion& coarse = at_double[v];
    if (!coarse.excess || !coarse.ratio || !(*coarse.excess > 1.0)) continue;
    const double to_double = coarse.largest_error / motion_limits::bar_of_double_steps;
    if (to_double > motion_limits::within_range * coarse.half_range) continue;
    const double to_half = at_half.variables[v].largest_error / motion_limits::bar_of_half_steps;
    if (to_double > motion_limits::difference_of_orders * to_half) return true;
  }
  return false;
}

}  // namespace

/// One of them, with a thread of its own from `start` to the end; where the system refuses one, on the thread that waits for it.
class MotionChecker::Companion {
 public:
  Companion(const Rational& step_factor, std::vector<Index> outputs, const CompanionRun& run)
      : step_factor_(step_factor), samples_(std::move(outputs), steps_in_unit(step_factor)), run_(run) {}
  ~Companion() { stop(); }
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  void start() {
    if (thread_.joinable() || done_) return;
    stop_ = false;
    try {
      thread_ = std::thread([this] {
        run([this]() -> std::optional<StopReason> {
          return stop_ ? std::optional(StopReason::interrupted) : std::nullopt;
        });
      });
    } catch (const std::system_error&) {
      // `wait` runs it.
    }
  }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    // Started again, it begins anew.
    if (report_.status == RunStatus::interrupted) done_ = false;
  }
  /// Goes on until it has done this part of the whole, and stops. With `patience` no longer than that, and only if it is under way.
  void follow(double part, std::optional<std::chrono::milliseconds> patience,
              const StopRequest& stop_requested = {}, const CheckProgress& progress = {}) {
    if (!patience) start();
    if (!thread_.joinable()) return;
    constexpr auto pause = std::chrono::milliseconds(5);
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, pause, [this] { return done_; })) {
      if (samples_.part_done() >= part) break;
      if (patience && std::chrono::steady_clock::now() - begin > *patience) break;
      if (stop_requested && stop_requested()) break;
      if (progress) progress(samples_.part_done());
    }
    lock.unlock();
    stop();
  }
  /// False: it was asked to stop before the end.
  bool wait(const StopRequest& stop_requested, const CheckProgress& progress) {
    start();
    constexpr auto pause = std::chrono::milliseconds(20);
    bool told = false;
    if (!thread_.joinable() && !done_) {
      run([&]() -> std::optional<StopReason> {
        if (progress) progress(samples_.part_done());
        told = true;
        return stop_requested ? stop_requested() : std::nullopt;
      });
    } else {
      std::unique_lock lock(mutex_);
      while (!changed_.wait_for(lock, pause, [this] { return done_; })) {
        if (progress) progress(samples_.part_done());
        told = true;
        if (!stop_requested || !stop_requested()) continue;
        lock.unlock();
        stop();
        return false;
      }
    }
    if (told && progress) progress(1.0);
    if (thread_.joinable()) thread_.join();
    return report_.status != RunStatus::interrupted;
  }

  [[nodiscard]] const Rational& step_factor() const { return step_factor_; }
  /// After `wait`.
  [[nodiscard]] const CompanionReport& report() const { return report_; }
  [[nodiscard]] const MotionSamples& samples() const { return samples_; }

 private:
  void run(const StopRequest& stop_requested) {
    const CompanionReport report = run_(step_factor_, samples_, stop_requested);
    const std::lock_guard lock(mutex_);
    report_ = report;
    done_ = true;
    changed_.notify_all();
  }

  Rational step_factor_;
  MotionSamples samples_;
  const CompanionRun& run_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  CompanionReport report_;
};

MotionChecker::MotionChecker(const CoupledSystem& system, const std::vector<Index>& recorded,
                             const std::vector<Accuracy>& accuracies, MotionCheck check,
                             CompanionRun companion_run, bool isolates)
    : system_(system),
      check_(check),
      companion_run_(std::move(companion_run)),
      isolates_(isolates),
      watched_(watched_outputs(system, recorded, accuracies)),
      samples_(watched_.outputs, 2) {
  if (const auto once = had_once(system); !isolates && !once.empty())
    why_not_ = fmt::format(
        "'{}' can exist once per process; with isolate = true (--isolate) each instance has its own",
        once.front());
}

MotionChecker::~MotionChecker() = default;

std::vector<std::string> MotionChecker::had_once(const CoupledSystem& system) {
  std::vector<std::string> names;
  for (const Node& node : system.nodes) {
    if (node.description->one_per_process) names.push_back(node.name);
  }
  return names;
}

void MotionChecker::forgo(std::string why) {
  why_not_ = std::move(why);
  for (const auto& c : companions_) c->stop();
}

MotionChecker::Companion& MotionChecker::companion(const Rational& step_factor) {
  for (const auto& c : companions_) {
    if (c->step_factor() == step_factor) return *c;
  }
  return *companions_.emplace_back(
      std::make_unique<Companion>(step_factor, watched_.outputs, companion_run_));
}

void MotionChecker::start() {
  const bool another_core = std::thread::hardware_concurrency() > 1;
  // Some may not be stepped beside another of their kind: there the companion comes after the run.
  const bool beside = std::all_of(system_.nodes.begin(), system_.nodes.end(), [this](const Node& node) {
    return node.description->thread_safe || (isolates_ && node.description->one_per_process);
  });
  if (check_ == MotionCheck::off || !why_not_.empty() || !another_core || !beside) return;
  companion(check_ == MotionCheck::half_steps ? half : twice).start();
}

/// Nothing where it cannot be compared to the end, or nobody wants to wait for it.
const MotionChecker::Companion* MotionChecker::wait(const Rational& step_factor,
                                                    const StopRequest& stop_requested,
                                                    const CheckProgress& progress, Motion& motion,
                                                    const Companion* further) {
  Companion& c = companion(step_factor);
  const bool over = c.wait(stop_requested, progress);
  CompanionReport report = c.report();
  const bool comparable = over && report.status == RunStatus::finished && c.samples().has_end();
  if (comparable) {
    const bool two = further != nullptr && !motion.controlled;
    compare_motion(system_, watched_, samples_, c.samples(), step_factor.value(), motion,
                   two ? FurtherCheck{&further->samples(), further->step_factor().value()} : FurtherCheck{});
    report.ratio = motion.ratio;
    report.says = motion.value;
    motion.checked = true;
  } else if (!motion.checked) {
    motion.why_not =
        !over ? "the run was interrupted before its check run had ended"
              : fmt::format("the check run with {} {} at {:.4g} s",
                            companion_text(step_factor.value(), motion.controlled),
                            report.status == RunStatus::ended ? "was ended by a subsystem" : "failed",
                            report.reached_time_s);
  }
  motion.companions.push_back(std::move(report));
  return comparable ? &c : nullptr;
}

bool MotionChecker::is_clear(const Companion& at_double, const StopRequest& stop_requested,
                             const CheckProgress& progress, Motion& motion) {
  if (motion.controlled) return motion.excess <= motion_limits::clear_at_tolerance;
  if (motion.excess > 1.0) return false;
  Companion& wider = companion(four_times);
  const auto widen = [&](double part) {
    compare_motion(system_, watched_, samples_, at_double.samples(), twice.value(), motion,
                   {&wider.samples(), four_times.value(), part});
  };
  if (motion.excess <= motion_limits::clear_at_double) {
    constexpr double part = motion_limits::part_screened;
    const double enough =
        std::max(motion_limits::clear_at_four, motion_limits::grows_at_four * motion.excess);
    wider.follow(part, std::nullopt, stop_requested, progress);
    if (stop_requested && stop_requested()) return false;
    widen(part);
    if (!motion.order_is_open && motion.excess <= enough) {
      CompanionReport report;
      report.step_factor = four_times.value();
      report.status = RunStatus::interrupted;
      report.reached_time_s =
          motion.times_s.front() + part * (motion.times_s.back() - motion.times_s.front());
      motion.companions.push_back(std::move(report));
      return true;
    }
  }
  const bool over = wider.wait(stop_requested, progress);
  CompanionReport report = wider.report();
  const bool tells = over && report.status == RunStatus::finished && wider.samples().has_end();
  if (tells) {
    widen(1.0);
    report.ratio = motion.ratio;
    report.says = motion.value;
  }
  motion.companions.push_back(std::move(report));
  return tells && !motion.order_is_open && motion.excess <= 1.0;
}

void MotionChecker::compare_part(const RunOutcome& outcome, Motion& motion) {
  motion.why_not =
      outcome.status == RunStatus::ended ? "a subsystem ended the run" : "the run did not finish";
  Companion& c = companion(check_ == MotionCheck::half_steps ? half : twice);
  // Of a run that failed, what made it fail is not asked for again; who interrupted one waits for it.
  const bool takes_its_time = outcome.status == RunStatus::ended;
  c.follow(samples_.part_done(), takes_its_time ? std::nullopt : std::optional(motion_limits::patience));
  const std::size_t ours = samples_.rows();
  const std::size_t rows = std::min(ours, c.samples().rows());
  if (static_cast<double>(rows) < motion_limits::part_that_is_judged * static_cast<double>(ours) ||
      rows < motion_limits::fewest_rows_judged)
    return;
  compare_motion(system_, watched_, samples_, c.samples(), c.step_factor().value(), motion);
  motion.checked = true;
  motion.compared_until_s = motion.times_s.back();
  CompanionReport report = c.report();
  report.ratio = motion.ratio;
  report.says = motion.value;
  motion.companions.push_back(std::move(report));
}

Motion MotionChecker::finish(const RunOutcome& outcome, bool energy_alarm, const StopRequest& stop_requested,
                             const CheckProgress& progress) {
  Motion motion;
  motion.check = check_;
  motion.controlled = samples_.controlled();
  if (check_ == MotionCheck::off) {
    motion.why_not = "not requested";
    return motion;
  }
  if (!why_not_.empty()) {
    motion.why_not = why_not_;
    return motion;
  }
  if (outcome.status != RunStatus::finished) {
    compare_part(outcome, motion);
    return motion;
  }
  std::vector<VariableMotion> at_double;
  const Companion* coarse = nullptr;
  VerdictValue said_at_double = VerdictValue::not_monitored;
  if (check_ != MotionCheck::half_steps) {
    coarse = wait(twice, stop_requested, progress, motion);
    if (check_ == MotionCheck::double_steps) return motion;
    if (coarse != nullptr) at_double = motion.variables;
    if (coarse != nullptr && !energy_alarm && is_clear(*coarse, stop_requested, progress, motion))
      return motion;
    if (stop_requested && stop_requested()) return motion;
    said_at_double = motion.value;
  }
  const Companion* fine = wait(half, stop_requested, progress, motion, coarse);
  const bool only_to_make_sure = coarse != nullptr && coarse->report().status == RunStatus::finished &&
                                 said_at_double == VerdictValue::reliable && !energy_alarm;
  if (fine != nullptr && only_to_make_sure && motion.excess > 1.0 &&
      motion.excess <= motion_limits::contradicts)
    compare_motion(system_, watched_, samples_, coarse->samples(), twice.value(), motion);
  if (fine == nullptr || at_double.empty() || motion.value != VerdictValue::reliable) return motion;
  if (motion.controlled || !leaves_order_open(at_double, motion) || (stop_requested && stop_requested()))
    return motion;
  static_cast<void>(wait(quarter, stop_requested, progress, motion, fine));
  return motion;
}

}  // namespace ergon

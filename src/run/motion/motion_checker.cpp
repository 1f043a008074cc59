#include "ergon/run/motion/motion_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace ergon {
namespace {

const Rational twice(2, 1);
const Rational half(1, 2);

int steps_in_unit(const Rational& step_factor) {
  return step_factor == twice ? 1 : 4;
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
                             CompanionRun companion_run)
    : system_(system),
      check_(check),
      companion_run_(std::move(companion_run)),
      watched_(watched_outputs(system, recorded, accuracies)),
      samples_(watched_.outputs, 2) {
  if (const std::string once = had_once(system); !once.empty())
    why_not_ = fmt::format("'{}' cannot be had twice in one process", once);
}

MotionChecker::~MotionChecker() = default;

std::string MotionChecker::had_once(const CoupledSystem& system) {
  for (const Node& node : system.nodes) {
    if (node.description->one_per_process) return node.name;
  }
  return {};
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
  const bool beside = std::all_of(system_.nodes.begin(), system_.nodes.end(),
                                  [](const Node& node) { return node.description->thread_safe; });
  if (check_ == MotionCheck::off || !why_not_.empty() || !another_core || !beside) return;
  companion(check_ == MotionCheck::half_steps ? half : twice).start();
}

/// Nothing where it cannot be compared to the end, or nobody wants to wait for it.
const MotionChecker::Companion* MotionChecker::wait(const Rational& step_factor,
                                                    const StopRequest& stop_requested,
                                                    const CheckProgress& progress, Motion& motion) {
  Companion& c = companion(step_factor);
  const bool over = c.wait(stop_requested, progress);
  CompanionReport report = c.report();
  const bool comparable = over && report.status == RunStatus::finished && c.samples().has_end();
  if (comparable) {
    compare_motion(system_, watched_, samples_, c.samples(), step_factor.value(), motion);
    report.ratio = motion.ratio;
    report.says = motion.value;
    motion.checked = true;
  } else if (!motion.checked) {
    motion.why_not =
        !over ? "the run was interrupted before its companion had ended"
              : fmt::format("the companion with {} {} at {:.4g} s",
                            companion_text(step_factor.value(), motion.controlled),
                            report.status == RunStatus::ended ? "was ended by a subsystem" : "failed",
                            report.reached_time_s);
  }
  motion.companions.push_back(std::move(report));
  return comparable ? &c : nullptr;
}

Motion MotionChecker::finish(const RunOutcome& outcome, bool books_alarm, const StopRequest& stop_requested,
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
    for (const auto& c : companions_) c->stop();
    motion.why_not =
        outcome.status == RunStatus::ended ? "a subsystem ended the run" : "the run did not finish";
    return motion;
  }
  if (check_ != MotionCheck::half_steps) {
    const Companion* coarse = wait(twice, stop_requested, progress, motion);
    const bool enough = coarse != nullptr && motion.value == VerdictValue::reliable && !books_alarm;
    if (check_ == MotionCheck::double_steps || enough) return motion;
    if (stop_requested && stop_requested()) return motion;
  }
  static_cast<void>(wait(half, stop_requested, progress, motion));
  return motion;
}

}  // namespace ergon

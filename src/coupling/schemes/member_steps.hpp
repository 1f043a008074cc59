#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/coupling/schemes/thread_pool.hpp"
#include "ergon/coupling/state/failures.hpp"

namespace ergon {

/// A member that could not take its step, and why.
struct MemberFailure {
  std::size_t member = 0;
  std::string what;
  bool discarded = false;  ///< its state is as before the step, which may succeed with a shorter one
};

/// Steps members of one stage, on several threads where there are some. Whatever a member returns or throws, on any thread,
/// becomes its failure; of several, that of the first in order.
class MemberSteps {
 public:
  MemberSteps(std::span<const Member> members, ThreadPool* pool) : pool_(pool), timings_(members.size()) {
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (pool != nullptr && !members[m].thread_safe) on_calling_thread_.push_back(m);
    }
  }

  /// Calls `step(i)`, which returns a StepStatus, for i = 0 … count − 1. `member(i)` is the number of that member.
  template <class Step, class Number>
  [[nodiscard]] std::optional<MemberFailure> run(std::size_t count, Step&& step, Number&& member) {
    Job<Step, Number> job{step,    member, timings_, on_calling_thread_, calls_++ % timing_interval == 0,
                          {count}, {},     false};
    if (pool_ != nullptr && count > 1) {
      pool_->run(
          count,
          [](void* context, std::size_t first, std::size_t last) noexcept {
            static_cast<Job<Step, Number>*>(context)->run(first, last, Which::thread_safe);
          },
          &job);
      if (!on_calling_thread_.empty()) job.run(0, count, Which::others);
    } else {
      job.run(0, count, Which::all);
    }
    const std::size_t failed = job.failed.load();
    if (failed == count) return std::nullopt;
    return MemberFailure{member(failed), std::move(job.what), job.discarded};
  }

  [[nodiscard]] double mean_step_s(std::size_t member) const {
    const Timing& timing = timings_[member];
    return timing.steps > 0 ? timing.measured_s / static_cast<double>(timing.steps) : 0.0;
  }

 private:
  /// One in so many calls is timed.
  static constexpr std::uint64_t timing_interval = 64;
  struct Timing {
    double measured_s = 0.0;
    std::uint64_t steps = 0;
  };
  enum class Which { all, thread_safe, others };
  template <class Step, class Number>
  struct Job {
    Step& step;
    Number& member;
    std::vector<Timing>& timings;
    const std::vector<std::size_t>& on_calling_thread;
    bool timed;
    std::atomic<std::size_t> failed;  ///< the first that did, whichever thread met it
    std::string what;                 ///< written by who holds `writing`
    bool discarded;                   ///< likewise
    std::atomic_flag writing{};

    void run(std::size_t first, std::size_t last, Which which) noexcept {
      std::size_t i = first;
      try {
        for (; i < last; ++i) {
          if (which != Which::all && !on_calling_thread.empty() && is_bound(i) != (which == Which::others))
            continue;
          const StepStatus status = timed ? run_timed(i) : step(i);
          if (!status.ok) return fail(i, status.reason, status.outcome == StepOutcome::discarded);
        }
      } catch (...) {
        fail(i, current_exception_text(), false);
      }
    }
    [[nodiscard]] bool is_bound(std::size_t i) const {
      return std::binary_search(on_calling_thread.begin(), on_calling_thread.end(), member(i));
    }
    StepStatus run_timed(std::size_t i) {
      using Clock = std::chrono::steady_clock;
      const auto begin = Clock::now();
      const StepStatus status = step(i);
      Timing& timing = timings[member(i)];
      timing.measured_s += std::chrono::duration<double>(Clock::now() - begin).count();
      ++timing.steps;
      return status;
    }
    void fail(std::size_t i, std::string reason, bool is_discarded) {
      while (writing.test_and_set()) {
      }
      if (i < failed.load()) {
        failed.store(i);
        what = std::move(reason);
        discarded = is_discarded;
      }
      writing.clear();
    }
  };

  ThreadPool* pool_;
  std::vector<Timing> timings_;
  std::vector<std::size_t> on_calling_thread_;  ///< members that are not thread-safe, in order
  std::uint64_t calls_ = 0;
};

}  // namespace ergon

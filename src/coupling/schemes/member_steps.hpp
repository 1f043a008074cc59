#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/coupling/plan/stage_plan.hpp"
#include "ergon/coupling/schemes/thread_pool.hpp"
#include "ergon/coupling/schemes/work_shares.hpp"
#include "ergon/coupling/state/failures.hpp"

namespace ergon {

/// A member that could not take its step, and why.
struct MemberFailure {
  std::size_t member = 0;
  std::string what;
  bool discarded = false;  ///< its state is as before the step, which may succeed with a shorter one
};

/// Some steps to take, numbered from 0 on. `step(i)` takes one; `member(i)` is the number of its member in the stage. `begin(i, is_timed)`
/// is called before, for members that take their steps elsewhere (AsyncSteps).
/// `together(i, end)` may take several from i on, but not that of `end`, all thread-safe or none; i is then the first that it has
/// left, also where it throws, or returns what that one's step came to.
template <class List>
concept StepList = requires(List& list, std::size_t i, std::size_t end, bool is_timed) {
  list.begin(i, is_timed);
  { list.step(i) } -> std::same_as<StepStatus>;
  { list.member(i) } -> std::same_as<std::size_t>;
  { list.together(i, end) } -> std::same_as<StepStatus>;
};

/// Steps members of one stage, on several threads where there are some and the measured cost of the steps pays for them.
/// Whatever a member returns or throws, on any thread, becomes its failure; of several, that of the first in order.
class MemberSteps {
 public:
  MemberSteps(std::span<const Member> members, ThreadPool* pool)
      : pool_(pool), timings_(members.size()), shares_(pool != nullptr ? members.size() : 0) {
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (members[m].async != nullptr) {
        async_.resize(members.size());
        async_[m] = members[m].async;
      }
      if (pool != nullptr && !members[m].thread_safe) on_calling_thread_.push_back(m);
    }
  }

  /// Takes `count` steps.
  template <StepList List>
  [[nodiscard]] std::optional<MemberFailure> run(std::size_t count, List& list) {
    Job<List> job;
    job.begin(*this, list, count);
    if (pool_ != nullptr && count > 1 && calls_ > 0)
      share(job, count);
    else
      job.run(0, count, Which::all);
    ++calls_;
    return job.failure();
  }

  /// Steps that go on while their caller does something else.
  template <StepList List>
  class Overlapped;

  /// The next call of `run` would take all steps on this thread and measure none: `run_together` will do.
  [[nodiscard]] bool takes_all_on_this_thread() const {
    return pool_ == nullptr && calls_ % timing_interval != 0;
  }
  /// As `run` of all members in their order, by `list.all_together` and, where that ends early, `list.finish_all`.
  template <StepList List>
  [[nodiscard, gnu::always_inline]] std::optional<MemberFailure> run_together(List& list) {
    ++calls_;
    std::size_t i = 0;
    try {
      const StepStatus status = list.all_together(i);
      if (status.ok) [[likely]]
        return std::nullopt;
      // Apart from the status above, which stays in registers.
      const StepStatus rest = list.finish_all(i, status);
      if (rest.ok) return std::nullopt;
      return MemberFailure{i, rest.reason, rest.outcome == StepOutcome::discarded};
    } catch (...) {
      return MemberFailure{i, current_exception_text(), false};
    }
  }

  /// One in so many calls is timed.
  static constexpr std::uint64_t timing_interval = 64;

  [[nodiscard]] double mean_step_s(std::size_t member) const {
    const Timing& timing = timings_[member];
    return timing.steps > 0 ? timing.measured_s / static_cast<double>(timing.steps) : 0.0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Timing {
    double measured_s = 0.0;
    double recent_s = 0.0;  ///< what a step costs now: the later the measurement, the more it counts
    std::uint64_t steps = 0;
    void note(double cost_s) {
      // The first step touches what no later one finds cold, and an interruption is no cost.
      recent_s = steps < 2 || cost_s < recent_s ? cost_s : 0.5 * (recent_s + cost_s);
      measured_s += cost_s;
      ++steps;
    }
  };
  enum class Which { all, thread_safe, others };
  template <StepList List>
  struct Job {
    MemberSteps* owner = nullptr;
    List* list = nullptr;
    std::size_t count = 0;
    bool timed = false;
    std::atomic<std::size_t> failed{0};  ///< the first that did, whichever thread met it
    std::string what;                    ///< written by who holds `writing`
    bool discarded = false;              ///< likewise
    std::atomic_flag writing{};

    void begin(MemberSteps& steps, List& to_take, std::size_t how_many) {
      owner = &steps;
      list = &to_take;
      count = how_many;
      timed = steps.calls_ % timing_interval == 0;
      failed.store(count);
      if (!owner->async_.empty()) begin_async();
    }
    /// Before anybody waits. What goes wrong here goes wrong again when it is that member's turn, and is reported then.
    void begin_async() noexcept {
      for (std::size_t i = 0; i < count; ++i) {
        if (owner->async_[list->member(i)] == nullptr) continue;
        try {
          list->begin(i, timed);
        } catch (...) {
        }
      }
    }
    void run(std::size_t first, std::size_t last, Which which) noexcept {
      std::size_t i = first;
      Clock::time_point since = timed ? Clock::now() : Clock::time_point{};
      try {
        while (i < last) {
          if (which != Which::all && owner->is_bound(list->member(i)) != (which == Which::others)) {
            ++i;
            continue;
          }
          if (!timed) {
            const std::size_t before = i;
            const StepStatus status = list->together(i, last);
            if (!status.ok) return fail(i, status);
            if (i > before) continue;
          }
          const StepStatus status = timed ? run_timed(i, since) : list->step(i);
          if (!status.ok) return fail(i, status);
          ++i;
        }
      } catch (...) {
        fail(i, current_exception_text(), false);
      }
    }
    /// `since`: the end of the step before. Looking at the clock costs as much as a step of nanoseconds.
    StepStatus run_timed(std::size_t i, Clock::time_point& since) {
      const StepStatus status = list->step(i);
      const Clock::time_point now = Clock::now();
      owner->note_cost(list->member(i), std::chrono::duration<double>(now - since).count());
      since = now;
      return status;
    }
    void fail(std::size_t i, const StepStatus& status) {
      fail(i, status.reason, status.outcome == StepOutcome::discarded);
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
    /// After all are done.
    [[nodiscard]] std::optional<MemberFailure> failure() {
      const std::size_t first = failed.load();
      if (first == count) return std::nullopt;
      return MemberFailure{list->member(first), std::move(what), discarded};
    }
    /// As the pool wants it: the range of that number.
    static void take_range(void* job, std::size_t range) noexcept {
      Job& self = *static_cast<Job*>(job);
      const WorkShares::Range& r = self.owner->shares_.ranges()[range];
      self.run(r.first, r.last, Which::thread_safe);
    }
  };
  /// Steps that are taken elsewhere go on at the same time: whoever is waited for first would seem to cost what all do, and the others
  /// nothing.
  void note_cost(std::size_t member, double waited_s) {
    const AsyncSteps* async = async_.empty() ? nullptr : async_[member];
    timings_[member].note(async == nullptr ? waited_s : std::max(waited_s, async->step_cost_s()));
  }
  [[nodiscard]] bool is_bound(std::size_t member) const {
    return !on_calling_thread_.empty() &&
           std::binary_search(on_calling_thread_.begin(), on_calling_thread_.end(), member);
  }

  /// Cuts the list into ranges, now and then. False: one thread is enough for it.
  template <StepList List>
  bool is_worth_sharing(const Job<List>& job) {
    if (shared_count_ != job.count || calls_ % timing_interval == 1) {
      shared_count_ = job.count;
      shares_.plan(job.count, pool_->size(), [&](std::size_t i) {
        const std::size_t member = job.list->member(i);
        return is_bound(member) ? 0.0 : timings_[member].recent_s;
      });
    }
    return shares_.threads() >= 2;
  }

  template <StepList List>
  void share(Job<List>& job, std::size_t count) {
    if (!is_worth_sharing(job)) return job.run(0, count, Which::all);
    pool_->run(shares_.ranges().size(), shares_.threads(), Job<List>::take_range, &job, [&] {
      if (!on_calling_thread_.empty()) job.run(0, count, Which::others);
    });
  }

  ThreadPool* pool_;
  std::vector<Timing> timings_;
  std::vector<AsyncSteps*> async_;              ///< per member, empty where none takes its steps elsewhere
  std::vector<std::size_t> on_calling_thread_;  ///< members that are not thread-safe, in order
  WorkShares shares_;
  std::size_t shared_count_ = 0;  ///< the length of the list that `shares_` is about
  std::uint64_t calls_ = 0;
};

/// All members of a stage, in their order. What is not worth a thread, or not thread-safe, is done by the caller at once.
template <StepList List>
class MemberSteps::Overlapped {
 public:
  /// `batch`: the number of these in the pool.
  Overlapped(MemberSteps& steps, std::size_t batch) : steps_(steps), lot_(batch) {}

  /// `list` must last until `finish`.
  void start(std::size_t count, List& list) {
    job_.begin(steps_, list, count);
    handed_over_ = steps_.pool_ != nullptr && steps_.calls_ > 0 && steps_.is_worth_sharing(job_);
    if (handed_over_) {
      steps_.pool_->start(lot_, steps_.shares_.ranges().size(), steps_.shares_.threads(),
                          Job<List>::take_range, &job_);
      if (!steps_.on_calling_thread_.empty()) job_.run(0, count, Which::others);
    } else {
      job_.run(0, count, Which::all);
    }
    ++steps_.calls_;
  }
  /// When all are done. Call it once.
  [[nodiscard]] std::optional<MemberFailure> finish() {
    if (handed_over_) steps_.pool_->finish(lot_);
    return job_.failure();
  }

 private:
  MemberSteps& steps_;
  std::size_t lot_;
  bool handed_over_ = false;
  Job<List> job_;
};

}  // namespace ergon

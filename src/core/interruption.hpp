#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace ergon {

/// A request from outside (a signal) to end what this process is doing, seen by whoever waits for something that may never come: a
/// subsystem in another process that does not answer. Signal handlers may call `request`.
class Interruption {
 public:
  static void request() { requested_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] static bool is_requested() { return requested_.load(std::memory_order_relaxed); }
  static void clear() {
    requested_.store(false, std::memory_order_relaxed);
    abandoned_.store(false, std::memory_order_relaxed);
    waited_us_.store(0, std::memory_order_relaxed);
  }

  /// Asked by who has just waited for `slice` since the request: whether to go on waiting. All waits share half a second, so that the
  /// process ends within a second however many do not answer.
  [[nodiscard]] static bool may_wait_on(std::chrono::microseconds slice) {
    constexpr std::int64_t budget_us = 500'000;
    return waited_us_.fetch_add(slice.count(), std::memory_order_relaxed) + slice.count() < budget_us;
  }
  /// A call was given up for the request: what failed by it was interrupted.
  static void note_abandoned_call() { abandoned_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] static bool has_abandoned_call() { return abandoned_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");
  inline static std::atomic<bool> requested_{false};
  inline static std::atomic<bool> abandoned_{false};
  inline static std::atomic<std::int64_t> waited_us_{0};
};

}  // namespace ergon

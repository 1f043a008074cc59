#include "ergon/study/pool.hpp"

#include "ergon/study/worker_processes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ergon::study {
namespace {

constexpr std::chrono::milliseconds look_around{100};

/// Lines on their way from the working threads to the caller.
class LineQueue {
 public:
  void push(std::size_t item, std::string line) {
    std::unique_lock lock(mutex_);
    // The caller writes them down: where the disk is slow, workers wait, and memory stays bounded.
    room_.wait(lock, [this] { return lines_.size() < most_lines || closed_; });
    lines_.emplace_back(item, std::move(line));
    ready_.notify_one();
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    ready_.notify_one();
  }
  /// What has come until now, or within a tenth of a second.
  std::deque<std::pair<std::size_t, std::string>> take(std::size_t workers) {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, look_around, [&] { return !lines_.empty() || left_ == workers; });
    auto taken = std::exchange(lines_, {});
    room_.notify_all();
    return taken;
  }
  [[nodiscard]] bool all_left(std::size_t workers) {
    const std::lock_guard lock(mutex_);
    return left_ == workers && lines_.empty();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    room_.notify_all();
  }

 private:
  static constexpr std::size_t most_lines = 256;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::condition_variable room_;
  std::deque<std::pair<std::size_t, std::string>> lines_;
  std::size_t left_ = 0;
  bool closed_ = false;
};

/// Ends and joins threads also where the caller's functions throw.
class Threads {
 public:
  Threads(std::atomic<bool>& stop, LineQueue& queue) : stop_(stop), queue_(queue) {}
  ~Threads() {
    stop_ = true;
    queue_.close();
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  void add(std::function<void()> work) { threads_.emplace_back(std::move(work)); }

 private:
  std::atomic<bool>& stop_;
  LineQueue& queue_;
  std::vector<std::thread> threads_;
};

bool work_in_threads(std::span<const std::size_t> items, const Task& task, std::size_t workers,
                     const PoolCalls& calls) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  LineQueue queue;
  std::size_t done = 0;
  {
    Threads threads(stop, queue);
    for (std::size_t w = 0; w < workers; ++w) {
      threads.add([&] {
        const std::function<bool()> stop_requested = [&] { return stop.load(std::memory_order_relaxed); };
        for (std::size_t i = next++; i < items.size() && !stop_requested(); i = next++) {
          if (auto line = task(items[i], stop_requested)) queue.push(items[i], std::move(*line));
        }
        queue.leave();
      });
    }
    auto last_look = std::chrono::steady_clock::now();
    while (!queue.all_left(workers)) {
      for (auto& [item, line] : queue.take(workers)) {
        calls.done(item, std::move(line));
        ++done;
      }
      const auto now = std::chrono::steady_clock::now();
      if (now - last_look < look_around) continue;
      last_look = now;
      if (!calls.go_on()) stop = true;
    }
  }
  return done == items.size();
}

}  // namespace

bool work_on(std::span<const std::size_t> items, const Task& task, const PoolOptions& options,
             const PoolCalls& calls) {
  if (items.empty()) return true;
  const std::size_t workers = std::clamp<std::size_t>(options.jobs, 1, items.size());
  if (options.workers == Workers::threads) return work_in_threads(items, task, workers, calls);
  return WorkerProcesses(items, task, workers, options.timeout_s, calls).work();
}

}  // namespace ergon::study

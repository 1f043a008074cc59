#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace ergon {

/// A fixed set of threads that take numbered jobs one after the other, the caller's among them. Who takes which is chance; every
/// job writes its own places only, so results are the same bits for any number of threads.
/// Between jobs a thread looks out for the next ones for a moment, then sleeps.
class ThreadPool {
 public:
  using Work = void (*)(void* context, std::size_t job) noexcept;

  /// `threads` includes the caller's. Where the system gives fewer, there are fewer: see `size`.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that there are, the caller's included.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls work(context, job) for job = 0 … jobs − 1, on at most so many threads; returns when all are done. `work` must not
  /// throw: what it calls is foreign, so it catches. `own` is what only the caller may do: it does that first.
  template <class Own>
  void run(std::size_t jobs, unsigned threads, Work work, void* context, Own&& own) {
    begin(jobs, threads, work, context);
    own();
    take_jobs(generation_.load());
    wait();
  }
  void run(std::size_t jobs, unsigned threads, Work work, void* context) {
    run(jobs, threads, work, context, [] {});
  }

 private:
  void begin(std::size_t jobs, unsigned threads, Work work, void* context);
  void take_jobs(std::uint32_t generation);
  void wait();
  void loop(unsigned id);
  void end_workers();
  template <class Value>
  void await_change(const std::atomic<Value>& value, Value from) const;

  std::vector<std::thread> workers_;
  bool spins_ = true;                         ///< there is a core for each of them
  std::atomic<std::uint32_t> generation_{0};  ///< which lot of jobs it is
  std::atomic<std::uint64_t> left_{0};        ///< generation, and how many of its jobs nobody has taken
  std::atomic<std::uint32_t> done_{0};        ///< jobs of this generation
  std::atomic<unsigned> threads_{0};          ///< that may take some
  std::atomic<bool> stop_{false};
  // Written before `left_` tells of jobs, read by who has taken one: none is taken before, or when all are done.
  std::uint32_t jobs_ = 0;
  Work work_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace ergon

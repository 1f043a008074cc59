#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon {

/// A fixed set of threads that take numbered jobs one after the other, the caller's among them. Who takes which is chance; every
/// job writes its own places only, so results are the same bits for any number of threads.
/// Between jobs a thread looks out for the next ones for a moment, then sleeps.
/// Jobs come in batches. One batch is waited for at once; others may overlap with it, and are taken where nothing else is to do.
class ERGON_API ThreadPool {
 public:
  using Work = void (*)(void* context, std::size_t job) noexcept;

  /// `threads` includes the caller's. Where the system gives fewer, there are fewer: see `size`. `overlapped`: how many batches there are
  /// beside the one of `run`.
  explicit ThreadPool(unsigned threads, std::size_t overlapped = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that there are, the caller's included.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls work(context, job) for job = 0 … jobs − 1, on at most so many threads; returns when all are done. `work` must not
  /// throw: what it calls is foreign, so it catches. `own` is what only the caller may do: it does that first.
  template <class Own>
  void run(std::size_t jobs, unsigned threads, Work work, void* context, Own&& own) {
    begin(batches_.front(), jobs, threads, work, context);
    own();
    finish(batches_.front());
  }
  void run(std::size_t jobs, unsigned threads, Work work, void* context) {
    run(jobs, threads, work, context, [] {});
  }

  /// The same in a batch of its own, number `batch`, and returns at once: other threads take its jobs while the caller does something
  /// else. `context` must last until `finish`.
  void start(std::size_t batch, std::size_t jobs, unsigned threads, Work work, void* context) {
    begin(batches_[batch + 1], jobs, threads, work, context);
  }
  /// Takes what nobody has taken of it, and returns when all is done.
  void finish(std::size_t batch) { finish(batches_[batch + 1]); }

 private:
  struct alignas(64) JobBatch {
    std::atomic<std::uint32_t> generation{0};  ///< how often it was begun
    std::atomic<std::uint64_t> left{0};        ///< generation, and how many of its jobs nobody has taken
    std::atomic<std::uint32_t> done{0};        ///< jobs of this generation
    std::atomic<unsigned> threads{0};          ///< that may take some
    // Written before `left` tells of jobs, read by who has taken one: none is taken before, or when all are done.
    std::uint32_t jobs = 0;
    Work work = nullptr;
    void* context = nullptr;
  };

  void begin(JobBatch& batch, std::size_t jobs, unsigned threads, Work work, void* context);
  void finish(JobBatch& batch);
  /// False: there is none.
  static bool take_job(JobBatch& batch, std::uint32_t generation);
  bool take_any_job(unsigned id);
  void loop(unsigned id);
  void end_workers();
  template <class Value>
  void await_change(const std::atomic<Value>& value, Value from) const;

  std::vector<std::thread> workers_;
  bool spins_ = true;                   ///< there is a core for each of them
  std::atomic<std::uint32_t> news_{0};  ///< changes whenever a batch is begun
  std::vector<JobBatch> batches_;       ///< the first is that of `run`
  std::atomic<bool> stop_{false};
};

}  // namespace ergon

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace ergon {

/// Splits an index range over a fixed set of threads. The split depends on nothing but the sizes, and every index
/// writes its own place only, so results are the same bits for any number of threads.
class ThreadPool {
 public:
  /// `threads` includes the caller's. Where the system gives fewer, there are fewer: see `size`.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that there are, the caller's included.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls work(context, first, last) for disjoint ranges that cover [0, count); returns when all are done. `work` must not
  /// throw: what it calls is foreign, so it catches.
  void run(std::size_t count, void (*work)(void* context, std::size_t first, std::size_t last) noexcept,
           void* context);

 private:
  void loop(unsigned id);
  void end_workers();
  void do_share(unsigned id) const;

  std::vector<std::thread> workers_;
  std::size_t shares_ = 1;  ///< known to workers before all of them exist
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<unsigned> busy_{0};
  std::atomic<bool> stop_{false};
  std::size_t count_ = 0;
  void (*work_)(void*, std::size_t, std::size_t) noexcept = nullptr;
  void* context_ = nullptr;
};

}  // namespace ergon

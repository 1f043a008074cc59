#include "ergon/coupling/schemes/thread_pool.hpp"

#include <chrono>
#include <system_error>

namespace ergon {
namespace {

/// How long a thread looks out before it sleeps: waking it takes about as long.
constexpr std::chrono::microseconds lookout{50};
constexpr int looks_per_clock = 64;
constexpr unsigned generation_bits = 32;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads) {
  spins_ = threads <= std::thread::hardware_concurrency();
  workers_.reserve(threads > 0 ? threads - 1 : 0);
  const auto make = [this](unsigned count) {
    try {
      for (unsigned id = 1; id < count; ++id) workers_.emplace_back([this, id] { loop(id); });
    } catch (const std::system_error&) {
      // No more threads are to be had (a limit of processes or memory): go on with those that there are.
    }
  };
  make(threads);
  if (size() < threads) {
    // They have taken everything. Half of them leave room for the rest of the program.
    const unsigned half = size() / 2;
    end_workers();
    make(half);
  }
}

ThreadPool::~ThreadPool() {
  end_workers();
}

void ThreadPool::end_workers() {
  stop_ = true;
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  stop_ = false;
  generation_ = 0;  // as new ones know it
}

template <class Value>
void ThreadPool::await_change(const std::atomic<Value>& value, Value from) const {
  using Clock = std::chrono::steady_clock;
  if (spins_) {
    const auto until = Clock::now() + lookout;
    do {
      for (int look = 0; look < looks_per_clock; ++look) {
        if (value.load() != from) return;
        pause();
      }
    } while (Clock::now() < until);
  }
  value.wait(from);
}

void ThreadPool::loop(unsigned id) {
  std::uint32_t seen = 0;
  while (true) {
    await_change(generation_, seen);
    seen = generation_.load();
    if (stop_) return;
    if (id < threads_.load()) take_jobs(seen);
  }
}

void ThreadPool::take_jobs(std::uint32_t generation) {
  std::uint64_t left = left_.load();
  while (left >> generation_bits == generation && static_cast<std::uint32_t>(left) != 0) {
    if (!left_.compare_exchange_weak(left, left - 1)) continue;
    const std::uint32_t jobs = jobs_;
    work_(context_, jobs - static_cast<std::uint32_t>(left));
    // Nothing of this lot may be touched after the last is done: the caller goes on then.
    if (done_.fetch_add(1) + 1 == jobs) done_.notify_one();
    left = left_.load();
  }
}

void ThreadPool::begin(std::size_t jobs, unsigned threads, Work work, void* context) {
  const std::uint32_t generation = generation_.load() + 1;
  jobs_ = static_cast<std::uint32_t>(jobs);
  work_ = work;
  context_ = context;
  threads_.store(threads);
  done_.store(0);
  left_.store(std::uint64_t{generation} << generation_bits | jobs_);
  generation_.store(generation);
  generation_.notify_all();
}

void ThreadPool::wait() {
  for (std::uint32_t done = done_.load(); done != jobs_; done = done_.load()) await_change(done_, done);
}

}  // namespace ergon

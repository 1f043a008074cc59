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

ThreadPool::ThreadPool(unsigned threads, std::size_t overlapped) : batches_(overlapped + 1) {
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
  news_.fetch_add(1);
  news_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  stop_ = false;
  news_ = 0;  // as new ones know it
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
    await_change(news_, seen);
    seen = news_.load();
    if (stop_) return;
    while (take_any_job(id)) {
    }
  }
}

/// What somebody waits for comes first.
bool ThreadPool::take_any_job(unsigned id) {
  for (JobBatch& batch : batches_) {
    const std::uint32_t generation = batch.generation.load();
    if (id < batch.threads.load() && take_job(batch, generation)) return true;
  }
  return false;
}

bool ThreadPool::take_job(JobBatch& batch, std::uint32_t generation) {
  std::uint64_t left = batch.left.load();
  do {
    if (left >> generation_bits != generation || static_cast<std::uint32_t>(left) == 0) return false;
  } while (!batch.left.compare_exchange_weak(left, left - 1));
  const std::uint32_t jobs = batch.jobs;
  batch.work(batch.context, jobs - static_cast<std::uint32_t>(left));
  // Nothing that belongs to the caller may be touched after the last is done: it goes on then.
  if (batch.done.fetch_add(1) + 1 == jobs) batch.done.notify_one();
  return true;
}

void ThreadPool::begin(JobBatch& batch, std::size_t jobs, unsigned threads, Work work, void* context) {
  const std::uint32_t generation = batch.generation.load() + 1;
  batch.jobs = static_cast<std::uint32_t>(jobs);
  batch.work = work;
  batch.context = context;
  batch.threads.store(threads);
  batch.done.store(0);
  batch.left.store(std::uint64_t{generation} << generation_bits | batch.jobs);
  batch.generation.store(generation);
  news_.fetch_add(1);
  news_.notify_all();
}

void ThreadPool::finish(JobBatch& batch) {
  const std::uint32_t generation = batch.generation.load();
  while (take_job(batch, generation)) {
  }
  for (std::uint32_t done = batch.done.load(); done != batch.jobs; done = batch.done.load())
    await_change(batch.done, done);
}

}  // namespace ergon

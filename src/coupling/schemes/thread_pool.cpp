#include "ergon/coupling/schemes/thread_pool.hpp"

#include <system_error>

namespace ergon {

ThreadPool::ThreadPool(unsigned threads) {
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
  shares_ = workers_.size() + 1;
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

void ThreadPool::do_share(unsigned id) const {
  const std::size_t first = count_ * id / shares_;
  const std::size_t last = count_ * (id + 1) / shares_;
  if (first < last) work_(context_, first, last);
}

void ThreadPool::loop(unsigned id) {
  std::uint64_t seen = 0;
  while (true) {
    generation_.wait(seen);
    seen = generation_.load();
    if (stop_) return;
    do_share(id);
    if (busy_.fetch_sub(1) == 1) busy_.notify_one();
  }
}

void ThreadPool::run(std::size_t count, void (*work)(void*, std::size_t, std::size_t) noexcept,
                     void* context) {
  count_ = count;
  work_ = work;
  context_ = context;
  busy_.store(static_cast<unsigned>(workers_.size()));
  generation_.fetch_add(1);
  generation_.notify_all();
  do_share(0);
  for (unsigned left = busy_.load(); left != 0; left = busy_.load()) busy_.wait(left);
}

}  // namespace ergon

#include "ergon/coupling/schemes/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

namespace ergon {
namespace {

/// Whether every job was done once.
bool covers_everything(ThreadPool& pool, std::size_t jobs, unsigned threads) {
  std::vector<int> met(jobs, 0);
  pool.run(
      jobs, threads,
      [](void* context, std::size_t job) noexcept { ++(*static_cast<std::vector<int>*>(context))[job]; },
      &met);
  return std::count(met.begin(), met.end(), 1) == static_cast<std::ptrdiff_t>(jobs);
}

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 100U}) {
      EXPECT_TRUE(covers_everything(pool, count, threads));
      EXPECT_TRUE(covers_everything(pool, count, 2)) << "fewer threads than there are";
    }
  }
}

// Jobs that come one batch after the other, some when the threads are still looking out and some when they sleep.
TEST(ThreadPool, LotsOfJobsDoNotMix) {
  ThreadPool pool(4);
  for (int batch = 0; batch < 2000; ++batch) {
    ASSERT_TRUE(covers_everything(pool, static_cast<std::size_t>(batch % 9), 4)) << batch;
    if (batch % 500 == 499) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ThreadPool, WhatIsTheCallersOwnRunsOnItsThread) {
  ThreadPool pool(3);
  std::thread::id who;
  std::atomic<int> others = 0;
  pool.run(
      20, 3, [](void* context, std::size_t) noexcept { ++*static_cast<std::atomic<int>*>(context); }, &others,
      [&] { who = std::this_thread::get_id(); });
  EXPECT_EQ(who, std::this_thread::get_id());
  EXPECT_EQ(others, 20);
}

using Counted = std::vector<std::atomic<int>>;
void count(void* context, std::size_t job) noexcept {
  ++(*static_cast<Counted*>(context))[job];
}
bool each_once(const Counted& counted) {
  return std::all_of(counted.begin(), counted.end(), [](const std::atomic<int>& n) { return n == 1; });
}

// Two batches go on while others are waited for; finished in the other order, and without help.
TEST(ThreadPool, BatchesOverlap) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    ThreadPool pool(threads, 2);
    for (int round = 0; round < 200; ++round) {
      Counted slow(7), slower(3);
      pool.start(0, slow.size(), threads, count, &slow);
      pool.start(1, slower.size(), threads, count, &slower);
      for (int batch = 0; batch < 5; ++batch) ASSERT_TRUE(covers_everything(pool, 4, threads));
      pool.finish(1);
      EXPECT_TRUE(each_once(slower));
      EXPECT_TRUE(covers_everything(pool, 2, threads));
      pool.finish(0);
      EXPECT_TRUE(each_once(slow));
    }
  }
}

// A job that ends only when the caller has had another batch done.
TEST(ThreadPool, AnOverlappedBatchHoldsNobodyUp) {
  ThreadPool pool(2, 1);
  std::atomic<bool> done = false;
  pool.start(
      0, 1, 2,
      [](void* context, std::size_t) noexcept {
        while (!static_cast<std::atomic<bool>*>(context)->load()) std::this_thread::yield();
      },
      &done);
  EXPECT_TRUE(covers_everything(pool, 6, 2));
  done = true;
  pool.finish(0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// In a process of its own: no more memory than now and for a few stacks.
[[noreturn]] void use_pool_with_little_memory() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * 4096 + (std::size_t{64} << 20U);
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
  ThreadPool pool(1024);
  if (pool.size() >= 1024) std::_Exit(4);
  std::_Exit(covers_everything(pool, 2000, 1024) ? 0 : 5);
}

// A thread that could not be made ended the program.
TEST(ThreadPoolDeathTest, GoesOnWithTheThreadsThatThereAre) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_pool_with_little_memory(), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace ergon

#include "ergon/coupling/schemes/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <vector>

namespace ergon {
namespace {

/// Whether every index was met once.
bool covers_everything(ThreadPool& pool, std::size_t count) {
  std::vector<int> met(count, 0);
  pool.run(
      count,
      [](void* context, std::size_t first, std::size_t last) noexcept {
        for (std::size_t i = first; i < last; ++i) ++(*static_cast<std::vector<int>*>(context))[i];
      },
      &met);
  for (const int times : met) {
    if (times != 1) return false;
  }
  return true;
}

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 100U}) EXPECT_TRUE(covers_everything(pool, count));
  }
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
  std::_Exit(covers_everything(pool, 2000) ? 0 : 5);
}

// A thread that could not be made ended the program.
TEST(ThreadPoolDeathTest, GoesOnWithTheThreadsThatThereAre) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_pool_with_little_memory(), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace ergon

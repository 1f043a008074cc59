// The tables in the pages of benchmarks are what the benchmarks print. Most are compared where their figures are tested
// (expect_all_known_figures), so that they are computed once; here are the others.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "golden/benchmark_page.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

TEST(Pages, AreComparedToTheDigitThatTheyShow) {
  const std::vector<Row> rows = {{{{"H", 0.125}}, "error", "J", 12.5, std::nullopt, 0.034567}};
  const auto unlike = [&](const std::string& cell) {
    return numbers_unlike(rows, "text 999\n\n| a |\n|---|\n| " + cell + " |\n").size();
  };
  for (const char* right :
       {"0.034567", "0.03457", "3.46e-2", "12.5", "0.125", "**0.0346**", "3.46 %", "1000 N/m", "99"}) {
    EXPECT_EQ(unlike(right), 0U) << right;
  }
  for (const char* drifted : {"0.034568", "0.03458", "3.45e-2", "-12.5", "0.126", "**0.0347**", "3.47 %"}) {
    EXPECT_EQ(unlike(drifted), 1U) << drifted;
  }
  EXPECT_TRUE(numbers_unlike(rows, "<!-- not printed: a test -->\n| 999 |\n|---|\n| 998 |\n").empty());
}

#ifndef __SANITIZE_ADDRESS__  // minutes, and many of them there
void expect_page_of(const std::string& name) {
  const Benchmark* benchmark = find_benchmark(name);
  ASSERT_NE(benchmark, nullptr) << name;
  expect_page_tells(name, benchmark->run(benchmark_folder(name)));
}

TEST(LongPages, ResidualMu) {
  expect_page_of("residual-mu");
}

TEST(LongPages, PendulumCable) {
  expect_page_of("pendulum-cable");
}

TEST(LongPages, LogCrane) {
  expect_page_of("log-crane");
}

TEST(LongPages, AutoVsTuned) {
  expect_page_of("auto-vs-tuned");
}
#endif

}  // namespace
}  // namespace ergon::bench

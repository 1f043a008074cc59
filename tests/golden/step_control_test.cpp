#include <gtest/gtest.h>

#include "ergon/run/simulation.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

// The error falls with the tolerance over three decades, with fewer steps than fixed ones of equal error (the rows that
// expect it), and rejections are counted.
TEST(StepControlBenchmark, EveryExpectationHolds) {
  double rejections = 0.0;
  for (const Row& row : expect_all_known_figures("step-control", 68)) {
    if (row.quantity == "rejections") rejections += row.ours;
  }
  EXPECT_GT(rejections, 100.0);
}

struct Windows {
  std::vector<double> times_s;
  std::vector<double> positions;
  StepControlRecord control;
};

Windows controlled(const std::vector<std::string>& more) {
  std::vector<std::string> set = {"step_control.method=interface-power", "step_control.rtol=1e-3",
                                  "simulation.stop_time=0.9999"};
  set.insert(set.end(), more.begin(), more.end());
  Simulation simulation(benchmark_folder("step-control") / "f-s.toml", set);
  const Index position = simulation.output("right.position");
  Windows windows;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    windows.times_s.push_back(record.time_s());
    windows.positions.push_back(record.output(position));
    windows.control = *record.step_control();
  });
  EXPECT_FALSE(failure);
  return windows;
}

TEST(StepControl, TheRunEndsExactlyAtItsEnd) {
  EXPECT_EQ(controlled({}).times_s.back(), 0.9999);
}

TEST(StepControl, KeepsToSmallestAndLargestSteps) {
  const Windows windows = controlled({"step_control.min_step=5e-4", "step_control.max_step=2e-3"});
  EXPECT_GT(windows.control.forced, 0U) << "the first force appears out of nothing";
  EXPECT_NEAR(windows.control.longest_s, 2e-3, 1e-12);
  for (std::size_t i = 1; i + 1 < windows.times_s.size(); ++i) {
    EXPECT_GE(windows.times_s[i] - windows.times_s[i - 1], 5e-4 - 1e-12);
  }
}

TEST(StepControl, StepsOfUnequalSizeGrowAndShrinkTogether) {
  const Windows windows = controlled({"right.step_size=1e-4", "left.step_size=1e-3"});
  EXPECT_GT(windows.control.accepted, 50U);
  EXPECT_EQ(windows.times_s.size(), windows.control.accepted + 1) << "points are the ends of windows";
  EXPECT_LT(windows.control.shortest_s, windows.control.longest_s);
}

TEST(StepControl, RunsAreRepeatable) {
  for (const char* scheme : {"coupling.scheme=jacobi", "coupling.scheme=gauss-seidel"}) {
    for (const char* correction : {"bond.coupling.correction={method=\"none\"}",
                                   "bond.coupling.correction={method=\"energy-leak\"}"}) {
      const Windows first = controlled({scheme, correction});
      EXPECT_EQ(controlled({scheme, correction}).positions, first.positions);
    }
  }
}

}  // namespace
}  // namespace ergon::bench

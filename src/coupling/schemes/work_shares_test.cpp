#include "ergon/coupling/schemes/work_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace ergon {
namespace {

/// When the last of the threads is done, each taking the next range when it is free.
double finish_s(const WorkShares& shares) {
  std::vector<double> busy_s(shares.threads(), 0.0);
  for (const WorkShares::Range& range : shares.ranges())
    *std::min_element(busy_s.begin(), busy_s.end()) += range.cost_s;
  return *std::max_element(busy_s.begin(), busy_s.end());
}

WorkShares planned(const std::vector<double>& costs, unsigned threads) {
  WorkShares shares(costs.size());
  shares.plan(costs.size(), threads, [&](std::size_t i) { return costs[i]; });
  return shares;
}

TEST(WorkShares, CoverEveryStepOnce) {
  std::vector<double> costs(101);
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = 1e-6 * static_cast<double>(1 + i * i % 17);
  for (const unsigned threads : {2U, 3U, 8U}) {
    const WorkShares shares = planned(costs, threads);
    EXPECT_EQ(shares.threads(), threads);
    std::vector<int> met(costs.size(), 0);
    for (const auto& range : shares.ranges())
      for (std::uint32_t i = range.first; i < range.last; ++i) ++met[i];
    EXPECT_EQ(std::count(met.begin(), met.end(), 1), 101);
  }
}

// Eight bodies on eight cables: names put the bodies into one half of the list, where each costs next to nothing.
TEST(WorkShares, DearStepsOfOneHalfOfTheListAreShared) {
  std::vector<double> costs(16, 0.2e-6);
  std::fill(costs.begin() + 8, costs.end(), 200e-6);
  const double total_s = std::accumulate(costs.begin(), costs.end(), 0.0);
  EXPECT_LE(finish_s(planned(costs, 2)), 0.505 * total_s);
  EXPECT_LE(finish_s(planned(costs, 4)), 0.26 * total_s);
}

TEST(WorkShares, UnevenStepsAreSharedWithinATenth) {
  std::vector<double> costs;
  for (int i = 0; i < 40; ++i) costs.push_back(1e-6 * (1 + (i * 7) % 11));
  const double total_s = std::accumulate(costs.begin(), costs.end(), 0.0);
  EXPECT_LE(finish_s(planned(costs, 2)), 0.55 * total_s);
}

TEST(WorkShares, CheapListsStayOnOneThread) {
  EXPECT_EQ(planned(std::vector<double>(100, 17e-9), 8).threads(), 1U);
  EXPECT_EQ(planned(std::vector<double>(2000, 17e-9), 8).threads(), 3U);
  EXPECT_EQ(planned(std::vector<double>(10, 0.0), 8).threads(), 1U);
}

}  // namespace
}  // namespace ergon

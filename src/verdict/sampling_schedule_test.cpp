#include "ergon/verdict/sampling_schedule.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

constexpr std::int32_t spacing = verdict_limits::points_between_samples;

/// At which of the first points both subjects are sampled; `skipping`: points between samples are counted once for all.
std::vector<int> sampled_points(bool skipping, std::size_t points_per_window, bool each_window) {
  SamplingSchedule schedule(2, each_window);
  std::vector<int> sampled;
  for (int k = 0; k < 100; ++k) {
    const std::size_t window = static_cast<std::size_t>(k) / points_per_window;
    if (skipping && schedule.skip(window)) continue;
    schedule.resume();
    for (const std::size_t subject : {0U, 1U}) {
      if (!schedule.due(subject, window)) continue;
      if (subject == 0) sampled.push_back(k);
      schedule.sampled(subject, window);
    }
    if (skipping) schedule.plan_skips(window);
  }
  return sampled;
}

TEST(SamplingSchedule, EverySixteenthPointIsSampled) {
  EXPECT_EQ(sampled_points(true, 1000, false), (std::vector<int>{0, 16, 32, 48, 64, 80, 96}));
  EXPECT_EQ(spacing, 16);
}

TEST(SamplingSchedule, EveryWindowIsSampledWhereThatIsAskedFor) {
  EXPECT_EQ(sampled_points(true, 40, true), (std::vector<int>{0, 16, 32, 40, 56, 72, 80, 96}));
  EXPECT_EQ(sampled_points(true, 5, true).size(), 20U);
}

TEST(SamplingSchedule, SkippingIsCountingSubjectBySubject) {
  for (const std::size_t points : {3U, 20U, 1000U}) {
    for (const bool each_window : {false, true})
      EXPECT_EQ(sampled_points(true, points, each_window), sampled_points(false, points, each_window));
  }
}

// A subject that cannot be sampled where it is due is due at the next point again.
TEST(SamplingSchedule, WhatIsDueStaysDue) {
  SamplingSchedule schedule(2);
  ASSERT_TRUE(schedule.due(0, 0));
  ASSERT_TRUE(schedule.due(1, 0));
  schedule.sampled(0, 0);
  schedule.plan_skips(0);
  EXPECT_FALSE(schedule.skip(0));
  EXPECT_FALSE(schedule.due(0, 0));
  EXPECT_TRUE(schedule.due(1, 0));
}

TEST(SamplingSchedule, PointsThatWereSkippedAreInTheArchive) {
  SamplingSchedule schedule(2);
  for (const std::size_t subject : {0U, 1U}) {
    ASSERT_TRUE(schedule.due(subject, 0));
    schedule.sampled(subject, 0);
  }
  schedule.plan_skips(0);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(schedule.skip(0));
  std::vector<std::byte> bytes;
  Archive writing = Archive::writing(bytes);
  schedule.archive(writing);
  SamplingSchedule restored(2);
  Archive reading = Archive::reading(bytes);
  restored.archive(reading);
  int points = 1;
  while (!restored.due(1, 0)) ++points;
  EXPECT_EQ(points, spacing - 10);
}

}  // namespace
}  // namespace ergon

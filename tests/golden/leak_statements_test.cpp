// [gonzalez2019]: the statements around Figs. 8–14 and 16, and the haptic device.
#include <gtest/gtest.h>

#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

TEST(LeakDamping, EveryKnownFigureHolds) {
  expect_all_known_figures("leak-damping", 56);
}

TEST(LeakCap, EveryKnownFigureHolds) {
  expect_all_known_figures("leak-cap", 24);
}

TEST(HapticBenchmark, EveryKnownFigureHolds) {
  expect_all_known_figures("haptic", 6);
}

}  // namespace
}  // namespace ergon::bench

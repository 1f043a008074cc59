#include "ergon/verdict/effort_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/lane_widths.hpp"

namespace ergon {
namespace {

/// A sine of n samples per period: Σ(Δe)²/Σ(e − mean)² = (2 sin π/n)² over whole periods. A preload must not matter, nor a first
/// sample far from all others beyond what it adds itself.
double ratio(double preload, double amplitude, int per_period) {
  EffortSamples samples(3);  // an odd number: one is beside the pairs
  std::vector<double> efforts(3);
  const int count = 1000 * per_period;
  for (int k = 0; k < count; ++k) {
    const double e = preload + amplitude * std::sin(2.0 * std::numbers::pi * k / per_period);
    efforts = {0.0, e, -2.0 * e};
    samples.observe(efforts);
  }
  EXPECT_EQ(samples.known(1), static_cast<std::uint64_t>(count));
  EXPECT_EQ(samples.change2(0), 0.0);
  EXPECT_EQ(samples.square_about_mean(0), 0.0);
  EXPECT_NEAR(samples.square_about_mean(1), 0.5 * amplitude * amplitude * count,
              1e-6 * amplitude * amplitude * count);
  EXPECT_NEAR(samples.change2(2), 4.0 * samples.change2(1), 1e-12 * samples.change2(2));
  EXPECT_NEAR(samples.square_about_mean(2), 4.0 * samples.square_about_mean(1),
              1e-6 * samples.square_about_mean(2));
  return samples.change2(1) / samples.square_about_mean(1);
}

TEST(EffortSamples, OfASineTellItsSamplesPerPeriodWhateverItsPreload) {
  for (const double preload : {0.0, 3.0, -1e6}) {
    for (const int n : {4, 10, 33}) {
      const double expected = std::pow(2.0 * std::sin(std::numbers::pi / n), 2);
      // There is one difference less than there are samples, 1000 n of them.
      EXPECT_NEAR(ratio(preload, 2.0, n), expected, 2.0 / (1000.0 * n) * expected) << preload << ", " << n;
    }
  }
}

// In numbers that no register holds exactly, too.
TEST(EffortSamples, OfOneBondAreThoseOfAll) {
  for (std::size_t count = 1; count <= 9; ++count) {
    testing::for_all_lane_widths([count] {
      EffortSamples together(count);
      EffortSamples apart(count);
      std::vector<double> e(count);
      for (int k = 0; k < 50; ++k) {
        for (std::size_t i = 0; i < count; ++i)
          e[i] = std::sin(0.3 * k + static_cast<double>(i * i)) + 0.1 * k;
        together.observe(e);
        apart.observe(e, 0, count / 2);
        apart.observe(e, count / 2, count);
      }
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(together.known(i), apart.known(i));
        EXPECT_EQ(together.change2(i), apart.change2(i));
        EXPECT_EQ(together.square_about_mean(i), apart.square_about_mean(i));
      }
    });
  }
}

}  // namespace
}  // namespace ergon

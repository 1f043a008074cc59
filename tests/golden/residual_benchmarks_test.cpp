// The published experiments of [rodriguez2022] on oscillators; of the two long benchmarks, a part.
#include <gtest/gtest.h>

#include <array>

#include "benchmarks/auto-vs-tuned/auto_vs_tuned.hpp"
#include "benchmarks/residual-mu/residual_mu.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

// 10 figures of case 1 (five schedules, with and without correction), 3 of case 7; what is left of the energy at single rate
// in 8 cases and once more for case 7; 4 figures of refresh alone, 8 of refresh with its own correction, 6 of harm; 8
// correlations of the velocities.
TEST(ResidualOscillator, EveryKnownFigureHolds) {
  expect_all_known_figures("residual-oscillator", 10 + 3 + 9 + 4 + 8 + 6 + 8);
}

TEST(ResidualCap, EveryKnownFigureHolds) {
  expect_all_known_figures("residual-cap", 7);
}

TEST(ResidualMultiple, EveryKnownFigureHolds) {
  expect_all_known_figures("residual-multiple", 14 + 4);  // … and that the bounded law does no harm
}

TEST(ResidualNonlinear, EveryKnownFigureHolds) {
  expect_all_known_figures("residual-nonlinear", 13);
}

void expect_all(const std::vector<Row>& rows, int known_figures) {
  int known = 0;
  for (const Row& row : rows) {
    EXPECT_TRUE(row.holds()) << describe(row) << " is " << row.ours << ", expected " << row.expected->text();
    known += row.expected ? 1 : 0;
  }
  EXPECT_EQ(known, known_figures);
}

// Single rate, and three extrapolations in two ratios; three values of μ each.
TEST(ResidualMu, FormulaEngineAndSearchAgree) {
  constexpr std::array<double, 3> ratios = {1.0, 2.0, 0.5};
  expect_all(residual_mu_rows(benchmark_folder("residual-mu"), ratios), 7 * 3);
}

// 8 + 4 + 2 oscillators at single rate, mean and worst.
TEST(AutoVsTuned, NeedsNoParametersToBeNearThePublishedSettings) {
  const auto single = std::span(residual_schedules()).first(1);
  expect_all(auto_vs_tuned_rows(benchmark_folder("auto-vs-tuned"), single), 14 + 2);
}

}  // namespace
}  // namespace ergon::bench

// [gonzalez2019, Tables 2, 3]: printed figures with the published clock, known figures with an exact one, and the claim that
// prediction and half-step energies do better.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

bool says(const Row& row, const std::string& key, const CaseValue& value) {
  for (const auto& [name, said] : row.settings) {
    if (name == key) return said == value;
  }
  return false;
}

/// Geometric mean of a quantity over all rows of one method and clock.
class GeometricMean {
 public:
  void add(double value) {
    logarithms_ += std::log(value);
    ++count_;
  }
  [[nodiscard]] double value() const { return std::exp(logarithms_ / count_); }
  [[nodiscard]] int count() const { return count_; }

 private:
  double logarithms_ = 0.0;
  int count_ = 0;
};

class LeakTables : public testing::Test {
 protected:
  /// Per oscillator: 4 analytic figures, 2 reported errors with each clock, 4 figures that `improved` must beat;
  /// and the true error of the published correction for m2 = 1, k2 = 1000 with each clock.
  static constexpr int known_per_line = 4 + 2 * 2 + 4;
  static constexpr int known_once = 2;
};

/// The 15 different oscillators of both tables.
std::vector<Row> all_rows(int known_per_line, int known_once) {
  auto rows = expect_all_known_figures("leak-table2", 7 * known_per_line + known_once);
  const auto table3 = expect_all_known_figures("leak-table3", 9 * known_per_line + known_once);
  for (const Row& row : table3) {
    if (!says(row, "k2", 1000.0)) rows.push_back(row);  // that line is in both tables
  }
  return rows;
}

TEST_F(LeakTables, EveryKnownFigureHoldsAndImprovedBeatsThePublishedCorrection) {
  const auto rows = all_rows(known_per_line, known_once);
  std::map<std::string, GeometricMean> published;
  std::map<std::string, GeometricMean> improved;
  std::vector<double> to_beat;  // the last four figures of the published correction with the published clock
  std::vector<std::string> not_beaten;
  for (const Row& row : rows) {
    if (says(row, "method", "energy-leak") && says(row, "clock", "paper")) {
      if (row.quantity == "max_energy_error") to_beat.clear();
      to_beat.push_back(row.ours);
    }
    if (says(row, "method", "energy-leak") && says(row, "clock", "exact"))
      published[row.quantity].add(row.ours);
    if (!says(row, "method", "improved")) continue;
    if (row.ours >= to_beat.front()) not_beaten.push_back(describe(row));
    to_beat.erase(to_beat.begin());
    improved[row.quantity].add(row.ours);
  }
  ASSERT_EQ(improved.size(), 4U);
  for (const auto& [quantity, mean] : improved) EXPECT_EQ(mean.count(), 15) << quantity;
  // 60 figures. That of x2 for m2 = 0.01 is luck, no method keeps its phase: benchmarks/leak-table2/README.md.
  EXPECT_TRUE(not_beaten.empty()) << testing::PrintToString(not_beaten);

  EXPECT_NEAR(published["max_energy_error"].value(), 23.6, 0.25);
  EXPECT_NEAR(published["true_energy_error"].value(), 87.0, 1.0);
  EXPECT_NEAR(published["rms_x1_error"].value(), 0.154, 0.002);
  EXPECT_NEAR(published["rms_x2_error"].value(), 0.193, 0.002);
  EXPECT_LE(improved["max_energy_error"].value(), 0.145);
  EXPECT_LE(improved["true_energy_error"].value(), 1.15);
  EXPECT_LE(improved["rms_x1_error"].value(), 0.00325);
  EXPECT_LE(improved["rms_x2_error"].value(), 0.00745);
}

}  // namespace
}  // namespace ergon::bench

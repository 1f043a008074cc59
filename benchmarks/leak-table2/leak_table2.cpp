#include "benchmarks/leak-table2/leak_table2.hpp"

#include "benchmarks/gonzalez2019/leak_table.hpp"

namespace ergon::bench {
namespace {

TwoMassOscillator with_mass2(double m2_kg) {
  TwoMassOscillator problem;
  problem.m2 = m2_kg;
  return problem;
}

}  // namespace

std::vector<Row> leak_table2(const std::filesystem::path& folder, Pictures* pictures) {
  // m2 = 0.01: the corrected run is chaotic, the last bit of any operation changes the figure.
  const Expectation chaotic{.min = 175.0, .max = 205.0};
  // m2 | ω1, ω2 | T1max, T2max | printed: uncorrected, corrected | exact clock: uncorrected, corrected
  const std::vector<LeakTableLine> lines = {
      {with_mass2(0.01), 10.05, 331.68, 5000.0, 69.8, {1.3e45, 1e44}, {191.6}, 1.642e47, 193.2, chaotic},
      {with_mass2(0.1), 10.04, 104.92, 5000.0, 697.6, {7.4e6, 1e5}, {51.7}, 1.372e7, 55.62},
      {with_mass2(1.0), 10.00, 33.32, 5000.0, 6937.6, {9174.3}, {18.9}, 10232.4, 19.319},
      {with_mass2(2.0), 9.95, 23.69, 5000.0, 13646.9, {6874.4}, {15.9}, 7568.5, 15.615},
      {with_mass2(5.0), 9.70, 15.35, 5000.0, 27956.3, {5084.7}, {7.8}, 5797.4, 1.7067},
      {with_mass2(10.0), 11.90, 8.85, 49895.6, 50000.0, {2419.2}, {235.4}, 2893.9, 236.10},
      {with_mass2(100.0), 10.54, 3.16, 43808.4, 500000.0, {5150.7}, {100.2}, 5160.4, 97.162},
  };
  return leak_table_rows(folder / "f-s.toml", lines, pictures);
}

}  // namespace ergon::bench

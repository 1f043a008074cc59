#include "benchmarks/leak-table3/leak_table3.hpp"

#include "benchmarks/gonzalez2019/leak_table.hpp"

namespace ergon::bench {
namespace {

TwoMassOscillator with_stiffness2(double k2_N_m) {
  TwoMassOscillator problem;
  problem.k2 = k2_N_m;
  return problem;
}

}  // namespace

std::vector<Row> leak_table3(const std::filesystem::path& folder) {
  // k2 | ω1, ω2 | T1max, T2max | printed: uncorrected, corrected | exact clock: uncorrected, corrected
  const std::vector<LeakTableLine> lines = {
      {with_stiffness2(0.1), 14.32, 2.22, 5491.9, 5000.0, {5116.1}, {7.5}, 6092.5, 3.9657},
      {with_stiffness2(1.0), 14.34, 2.32, 5438.7, 5000.0, {5152.5}, {7.5}, 6135.1, 3.7734},
      {with_stiffness2(10.0), 14.49, 3.16, 5000.0, 5000.0, {5463.3}, {7.4}, 6475.3, 4.0169},
      {with_stiffness2(100.0), 6.73, 16.27, 5000.0, 8742.0, {8615.6}, {9.3}, 9983.2, 6.4141},
      {with_stiffness2(500.0), 9.51, 24.89, 5000.0, 8494.6, {10091.0}, {10.2}, 11330.4, 9.3112},
      {with_stiffness2(1000.0), 10.00, 33.32, 5000.0, 6937.6, {9174.3}, {18.9}, 10232.4, 19.319},
      {with_stiffness2(2000.0), 10.25, 45.88, 5000.0, 5983.0, {8570.3}, {45.8}, 9503.1, 46.073},
      {with_stiffness2(1e4), 10.44, 100.50, 5000.0, 5199.2, {8076.4}, {88.7}, 8926.0, 88.848},
      {with_stiffness2(1e5), 10.48, 316.39, 5000.0, 5018.9, {8805.3}, {207.3}, 9529.1, 208.55},
  };
  return leak_table_rows(folder / "f-s.toml", lines);
}

}  // namespace ergon::bench

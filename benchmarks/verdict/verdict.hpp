#pragma once

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/verdict/random_oscillators.hpp"

namespace ergon::bench {

/// How often each verdict was given to runs of each true error.
struct VerdictTable {
  static constexpr std::size_t bands = 5;
  static constexpr std::size_t values = 5;  ///< of VerdictValue
  long counts[bands][values] = {};
  long agreeing = 0;
  /// Estimated over true error, of runs that are off by 0.5 % to 500 %.
  std::vector<double> estimates;

  void add(double true_error, VerdictValue value, double estimated_error);
  [[nodiscard]] long runs(std::size_t band) const;
  [[nodiscard]] long runs() const;
  /// Share of the runs whose verdict is one that their band allows, in percent.
  [[nodiscard]] double agreement_percent() const;
  /// Called reliable or consistent with an error above 20 %.
  [[nodiscard]] long missed() const;
  /// Called unreliable with an error below 2 %.
  [[nodiscard]] long blamed() const;
};

/// What the verdict is checked with: each run is judged twice.
struct VerdictTables {
  VerdictTable by_accounts;
  VerdictTable blind_fresh;  ///< without accounts, `refresh` and `predict`
  VerdictTable blind_stale;  ///< without accounts, `stale`
};
VerdictTables judge_seeds(const std::filesystem::path& folder, unsigned first, unsigned last,
                          double smallest_step_s = 0.0);

/// The verdict against the true energy error, over random oscillators: seeds 1–100, with which the thresholds were
/// chosen, and 101–200.
std::vector<Row> verdict(const std::filesystem::path& folder);

}  // namespace ergon::bench

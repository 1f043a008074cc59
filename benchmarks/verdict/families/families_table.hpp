#pragma once

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/verdict/families/family.hpp"

namespace ergon::bench {

/// How often each verdict was given to runs whose motion is off by so much.
struct MotionTable {
  static constexpr std::size_t bands = 4;  ///< below 1 %, 5 %, 20 %, and above
  static constexpr std::size_t values = 5;
  long checked[bands][values] = {};    ///< with `auto`
  long unchecked[bands][values] = {};  ///< with `off`, by the error of the motion
  long unchecked_by_amplitude[bands][values] = {};
  long agreeing = 0;
  std::vector<double> bar_over_error;  ///< of all outputs that are wrong by more than round-off

  void add(const FamilyRun& run);
  [[nodiscard]] long runs() const;
  [[nodiscard]] long runs(std::size_t band) const;
  [[nodiscard]] double agreement_percent() const;
  /// Errors within their bars, in percent, and the median of bar over error.
  [[nodiscard]] double coverage_percent() const;
  [[nodiscard]] double median_bar() const;
  /// Called reliable with an error above 20 %.
  [[nodiscard]] long missed() const { return checked[bands - 1][0]; }
  /// Called doubtful or unreliable with an error below 1 %.
  [[nodiscard]] long alarmed() const;
  /// Of the consistent runs: those whose amplitude is off by more than 20 %, in percent.
  [[nodiscard]] double wrong_amplitudes_percent() const;
};

/// Seeds first … last of every family.
[[nodiscard]] std::vector<FamilyRun> judge_families(unsigned first, unsigned last);

/// Thresholds were fixed with seeds 1–30 and are reported with 31–60, by motion and by family.
std::vector<Row> verdict_families();

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/verdict/families/family.hpp"

namespace ergon::bench {

/// Which random runs: seeds nobody has chosen a limit by are those that follow from the commit in which the limits came to be.
struct FamilySeeds {
  std::string from;                 ///< what they are drawn from; empty: 1–30 and 31–60
  unsigned runs = 200;              ///< of each family, where they are drawn
  std::vector<std::string> only{};  ///< families; empty: all of them
};
/// `count` seeds that follow from a text, none of them below 1000.
[[nodiscard]] std::vector<unsigned> drawn_seeds(const std::string& from, unsigned count);

/// How often each verdict was given to runs whose motion is off by so much.
struct MotionTable {
  static constexpr std::size_t bands = 4;  ///< below 1 %, 5 %, 20 %, and above
  static constexpr std::size_t values = 5;
  long checked[bands][values] = {};    ///< with `auto`
  long unchecked[bands][values] = {};  ///< with `off`, by the error of the motion
  long unchecked_by_amplitude[bands][values] = {};
  long agreeing = 0;
  double good_check_steps =
      0.0;  ///< of all check runs over those of the run, summed up over runs that are right within 1 %
  long energy_beside_motion[2][bands] =
      {};                              ///< energy unreliable, motion reliable; [1]: at smaller steps, too
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

/// By motion and by family; what following the advice of 60 wrong runs makes of them.
std::vector<Row> verdict_families(const FamilySeeds& choice);

}  // namespace ergon::bench

#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/lim2021/oscillator_reference.hpp"

namespace ergon::bench {

/// A published figure and the unit of its last printed digit.
struct Printed {
  double value = 0.0;
  double last_digit = 0.1;
};

/// One line of [gonzalez2019, Tables 2, 3], and what the same methods reach with a clock that is exact.
struct LeakTableLine {
  TwoMassOscillator problem{};
  double omega1_rad_s = 0.0, omega2_rad_s = 0.0;  ///< printed to 0.01 rad/s, some cut off instead of rounded
  double T1_max_J = 0.0, T2_max_J = 0.0;          ///< printed to 0.1 J
  Printed uncorrected_J{};
  Printed corrected_J{};
  double uncorrected_exact_clock_J = 0.0;
  double corrected_exact_clock_J = 0.0;
  /// Where the corrected run depends on the rounding of every operation: an interval, for either clock.
  std::optional<Expectation> corrected_range{};
};

/// Natural frequencies, the one that belongs to mass 1 first: the larger where mass 1 alone, with its springs, would be
/// the faster of the two (or as fast), else the smaller.
struct NaturalFrequencies {
  double omega1_rad_s = 0.0;
  double omega2_rad_s = 0.0;
};
NaturalFrequencies natural_frequencies(const TwoMassOscillator& problem);

/// Rows of all lines: frequencies and largest kinetic energies of the analytic solution; then errors of energy and
/// displacement of each method with each clock.
/// With `pictures` the accumulated energy error over time of all masses m2 [gonzalez2019, Fig. 15].
std::vector<Row> leak_table_rows(const std::filesystem::path& scenario,
                                 const std::vector<LeakTableLine>& lines, Pictures* pictures = nullptr);

}  // namespace ergon::bench

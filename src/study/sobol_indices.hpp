#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ergon::study {

/// How much of the variance of an outcome one setting makes, by itself and with all it acts together with; each with a 95 %
/// interval from the bootstrap.
struct SobolIndex {
  double first = 0.0, first_low = 0.0, first_high = 0.0;
  double total = 0.0, total_low = 0.0, total_high = 0.0;
};

/// Of the outcomes of a plan `saltelli`, in its order: per row of A the value there, at the row of B, and at A with each column of B.
///   S_i  = mean f_B (f_ABi − f_A) / V        [saltelli2010, table 2 (b)]
///   S_Ti = mean (f_A − f_ABi)² / 2V          [jansen1999]
/// Rows with a value that is not finite are left out. Nothing where fewer than two rows are left or nothing varies.
[[nodiscard]] std::vector<SobolIndex> sobol_indices(std::span<const double> outcomes, std::size_t settings,
                                                    std::uint64_t seed = 1);

}  // namespace ergon::study

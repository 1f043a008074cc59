#pragma once

#include <span>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// μ over the ratio of the step sizes [rodriguez2022, Figs. 11, 12]: the formula, what the engine takes, and what a search for
/// the smallest energy error finds.
std::vector<Row> residual_mu(const std::filesystem::path& folder, Pictures* pictures = nullptr);

/// The same for some ratios R = h_df/h_ndf; one of the two steps is 1 ms, the other smaller.
std::vector<Row> residual_mu_rows(const std::filesystem::path& folder, std::span<const double> ratios);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Several masses that push at one, corrected by a single force [rodriguez2022, Table 2, Figs. 25, 26].
std::vector<Row> residual_multiple(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

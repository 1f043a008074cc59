#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Square-root springs, and quadratic dampers [rodriguez2022, Table 3, Figs. 27-30].
std::vector<Row> residual_nonlinear(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// lim2021 cases 1 and 2 in the arrangements f-s, s-s, f-f, explicit coupling, against the analytic solution.
std::vector<Row> lim_oscillator(const std::filesystem::path& folder);

}  // namespace ergon::bench

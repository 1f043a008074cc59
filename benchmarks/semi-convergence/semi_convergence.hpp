#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Errors and orders of the semi-implicit scheme on the two-mass oscillator           [schweizer2014, Fig. 9]
std::vector<Row> semi_convergence(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Steps chosen by Milne's device and by Richardson extrapolation, against fixed steps of equal error.
std::vector<Row> macro_steps(const std::filesystem::path& folder);

}  // namespace ergon::bench

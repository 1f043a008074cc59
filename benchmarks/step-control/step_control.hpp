#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Two-mass oscillator with steps controlled by the interface power, against fixed steps of equal error.
std::vector<Row> step_control(const std::filesystem::path& folder);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// The eight double linear oscillators of [rodriguez2022, Table 1] in five schedules: uncorrected, corrected as published,
/// and with refreshed feed-through.
std::vector<Row> residual_oscillator(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// [rodriguez2022, Sect. 4.4, Figs. 35-37]: a hydraulic crane in multi-rate co-simulation, and the spike of its residual power.
std::vector<Row> hydraulic_crane(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

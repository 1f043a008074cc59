#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// [gonzalez2019, Sect. 2, Table 1]: a haptic device that meets a sampled spring and mass, without and with passivity control.
std::vector<Row> haptic(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

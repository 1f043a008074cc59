#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Two links with a flexible revolute joint between them                            [schweizer2014, Sect. 4.2]
std::vector<Row> double_pendulum(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

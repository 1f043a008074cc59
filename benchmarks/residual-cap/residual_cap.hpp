#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// What the limit of the correction does to energy and motion [rodriguez2022, Fig. 24].
std::vector<Row> residual_cap(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// [gonzalez2019, Fig. 16]: what the limit of the correction does to energy and displacement, for m2 = 10 kg.
std::vector<Row> leak_cap(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Two links, the tip of one held on the line of the other                          [schweizer2014, Sect. 4.3]
std::vector<Row> slider_crank(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

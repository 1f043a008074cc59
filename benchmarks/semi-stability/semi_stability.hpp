#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Where explicit and semi-implicit coupling of the two-mass oscillator are stable     [schweizer2014, Fig. 10]
std::vector<Row> semi_stability(const std::filesystem::path& folder, Pictures* pictures = nullptr);
/// The same as a picture on the terminal, one map per scheme and degree.
std::string draw_stability_maps(const std::vector<Row>& rows);

}  // namespace ergon::bench

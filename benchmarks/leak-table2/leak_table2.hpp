#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// [gonzalez2019, Table 2]: energy leak of the two-mass oscillator and its correction, for several masses m2.
std::vector<Row> leak_table2(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench

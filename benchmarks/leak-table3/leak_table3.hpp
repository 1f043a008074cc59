#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// [gonzalez2019, Table 3]: energy leak of the two-mass oscillator and its correction, for several stiffnesses k2.
std::vector<Row> leak_table3(const std::filesystem::path& folder);

}  // namespace ergon::bench

#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Five masses in a row as five subsystems.
std::vector<Row> mass_chain(const std::filesystem::path& folder);

}  // namespace ergon::bench

#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

std::vector<Row> interface_model(const std::filesystem::path& folder);

}  // namespace ergon::bench

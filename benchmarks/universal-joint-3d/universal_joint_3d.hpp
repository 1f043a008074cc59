#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Two rods in space with a universal joint between them.
std::vector<Row> universal_joint_3d(const std::filesystem::path& folder);

}  // namespace ergon::bench

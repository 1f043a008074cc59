#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// What each way to couple costs on each published problem, to 1 % and to 0.1 % error of the motion.
std::vector<Row> work_precision(const std::filesystem::path& folder);
/// Their costs over that of the best of other masters.
std::string work_precision_table(const std::vector<Row>& rows);

}  // namespace ergon::bench

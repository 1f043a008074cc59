#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// What each way to couple costs on each published problem, to 1 % and to 0.1 % error of the motion. Conditions on `problem` and
/// `integrator` leave out what does not meet them; unknown ones are an InputError.
std::vector<Row> work_precision(const std::filesystem::path& folder, const Conditions& where);
/// Costs over those of the cheapest of what other masters offer, by setting and by problem.
std::string work_precision_table(const std::vector<Row>& rows);
/// Not a point of a curve of error over cost: those are hundreds.
bool is_cost(const Row& row);

}  // namespace ergon::bench

#pragma once

#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// What controlled steps reach of the tolerance that was asked for: published problems and random networks of masses. Conditions on
/// `family` leave out the others.
std::vector<Row> tolerances(const std::filesystem::path& folder, const Conditions& where);

/// A random network of masses with controlled steps: its largest error over half the range of each position, by the exact solution.
/// Infinite where the run failed.
double controlled_network_error(const std::string& family, unsigned seed, const std::string& method,
                                double rtol);
const std::vector<std::string>& controlled_families();

}  // namespace ergon::bench

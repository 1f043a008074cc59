#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// What methods (see read_method) make of the problems of work-precision, all at the step of the problem's own page, with integrators that
/// follow their inputs: rows with `problem` and `method`, and the quantities
///   motion_error    largest error of a position or angle over half its range
///   energy_error    largest error of the stored energy over its largest value
///   integrations    steps of subsystems, trials included
/// A method that does not fit a problem, or a run that fails, has infinite errors there. `benchmarks`: only the problems of these folders, if
/// any are named. `folder`: benchmarks/. Throws InputError for methods that cannot be.
[[nodiscard]] std::vector<Row> score(const std::vector<std::string>& methods,
                                     const std::vector<std::string>& benchmarks,
                                     const std::filesystem::path& folder);
/// One line per problem and method; the best of a problem has a star.
[[nodiscard]] std::string score_table(const std::vector<Row>& rows);
/// The folders whose problems are scored.
[[nodiscard]] std::vector<std::string> scored_benchmarks();

}  // namespace ergon::bench

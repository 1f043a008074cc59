#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon {

struct TimeTable {
  std::vector<double> times_s;
  std::vector<double> values;
};

/// Reads two columns of a CSV file whose first line names them: "time" and `column` (empty: the first that is not the time).
/// Cells are separated by commas, or by semicolons or tabs where the header has any; every row has as many as the header.
/// Empty lines and lines that start with # are skipped. Reports what is wrong with line and column.
std::optional<TimeTable> read_time_table(const std::string& path, const std::string& column,
                                         const SourceLocation& where, ProblemList& problems);

}  // namespace ergon

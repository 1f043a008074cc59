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

/// Reads two columns of a CSV file with a header line: time (the column called "time", else the first) and `column`
/// (empty: the first that is not the time). Empty lines and lines that start with # are skipped. Reports a file that
/// cannot be read, a column that is not there, and the line of a cell that is no number.
std::optional<TimeTable> read_time_table(const std::string& path, const std::string& column,
                                         const SourceLocation& where, ProblemList& problems);

}  // namespace ergon

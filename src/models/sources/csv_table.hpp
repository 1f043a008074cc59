#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/port_type.hpp"
#include "ergon/core/problem.hpp"

namespace ergon {

/// Rows of one column in order of time. Where a time is repeated, the column jumps there: the first of these rows is its limit from
/// the left, the last one its value from this time on.
struct TimeTable {
  std::vector<double> times_s;
  std::vector<double> values;  ///< of a real column
  std::vector<std::int64_t>
      integers{};  ///< of integers, booleans (0 or 1) and enumerations (values of items)
  std::vector<std::string> texts{};
};

/// Which two columns of a CSV file are wanted, and what the second one holds.
struct TableColumn {
  std::string name;  ///< empty: the first that is not the time
  std::string time;  ///< empty: "time" or "t", in any case, with or without a unit: "Time [s]"
  PortType type = PortType::real;
  std::vector<EnumerationItem> items{};  ///< of an enumeration: its cells hold names or values of these
  bool is_unsigned = false;  ///< integers from 0 to 2⁶⁴ − 1, kept as those with sign of the same bits
};

/// Reads two columns of a CSV file whose first line names them. Cells are separated by commas, or by semicolons or tabs where the
/// header has any; every row has as many as the header. Empty lines and lines that start with # are skipped. Times do not decrease.
/// Reports what is wrong with line and column.
std::optional<TimeTable> read_time_table(const std::string& path, const TableColumn& column,
                                         const SourceLocation& where, ProblemList& problems);

/// Names of all columns beside the time.
std::optional<std::vector<std::string>> read_table_columns(const std::string& path, const std::string& time,
                                                           const SourceLocation& where,
                                                           ProblemList& problems);

}  // namespace ergon

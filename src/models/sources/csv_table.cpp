#include "ergon/models/sources/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "ergon/core/csv_fields.hpp"

namespace ergon {
namespace {

/// One row. Its cells are used again for the next one.
struct Row {
  struct Cell {
    std::string text;
    int column = 0;  ///< of its first character, from 1
  };
  std::vector<Cell> cells;
  int line = 0;
  int end_column = 0;
};

/// False at the end of the file.
bool read_row(CsvFields& fields, Row& row) {
  if (fields.at_end()) return false;
  std::size_t count = 0;
  do {
    if (row.cells.size() == count) row.cells.emplace_back();
    row.cells[count].text = fields.next();
    row.cells[count].column = static_cast<int>(fields.column());
    ++count;
  } while (!fields.line_ended());
  row.cells.resize(count);
  row.line = static_cast<int>(fields.line());
  row.end_column = static_cast<int>(fields.end_column());
  return true;
}

std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

struct Columns {
  std::vector<std::string> names;
  std::size_t time = 0;
  std::size_t value = 0;
};

/// "Time [s]" → time
std::string without_unit_and_case(std::string_view name) {
  const auto unit = name.find_first_of("[(");
  std::string plain(name.substr(0, unit));
  while (!plain.empty() && (plain.back() == ' ' || plain.back() == '\t')) plain.pop_back();
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return plain;
}

/// Which column holds the times: by its name, else the first of those that usually mean it. As many as there
/// are: none does.
std::size_t time_column(const std::vector<std::string>& names, const std::string& wanted) {
  const auto place = [&](const auto& is_it) {
    return static_cast<std::size_t>(std::find_if(names.begin(), names.end(), is_it) - names.begin());
  };
  if (!wanted.empty()) return place([&](const std::string& name) { return name == wanted; });
  for (const std::string_view usual : {"time", "t"}) {
    const std::size_t exact = place([&](const std::string& name) { return name == usual; });
    if (exact < names.size()) return exact;
    const std::size_t similar =
        place([&](const std::string& name) { return without_unit_and_case(name) == usual; });
    if (similar < names.size()) return similar;
  }
  return names.size();
}

std::optional<Columns> find_all_columns(const Row& header, const std::string& time, const std::string& path,
                                        ProblemList& problems) {
  Columns columns;
  const auto& cells = header.cells;
  const char* const first_line =
      "The first line names the columns, separated by commas, semicolons or tabs: time,force";
  const auto refuse = [&](int in_line, const std::string& what, const std::string& remedy) {
    problems.error({path, header.line, in_line}, what, remedy);
    return std::nullopt;
  };
  if (std::all_of(cells.begin(), cells.end(),
                  [](const Row::Cell& c) { return finite_number(c.text).has_value(); })) {
    return refuse(1, "The header is missing: the first line holds numbers.", first_line);
  }
  if (cells.size() < 2) {
    return refuse(1, fmt::format("The header '{}' names fewer than two columns.", cells.front().text),
                  first_line);
  }
  for (const Row::Cell& cell : cells) {
    const std::string& name = cell.text;
    if (name.empty()) {
      return refuse(cell.column, fmt::format("Column {} has no name.", columns.names.size() + 1), first_line);
    }
    if (std::find(columns.names.begin(), columns.names.end(), name) != columns.names.end()) {
      return refuse(cell.column, fmt::format("Two columns are called '{}'.", name), "Rename one of them.");
    }
    columns.names.push_back(name);
  }
  columns.time = time_column(columns.names, time);
  if (columns.time == columns.names.size()) {
    return refuse(1,
                  fmt::format("There is no column '{}' among {}.", time.empty() ? "time" : time,
                              fmt::join(columns.names, ", ")),
                  "Call the column of the times, in s, 'time', or name it: time_column = \"…\".");
  }
  return columns;
}

/// `where`: of the scenario, for a column that it names.
std::optional<Columns> find_columns(const Row& header, const TableColumn& column, const std::string& path,
                                    const SourceLocation& where, ProblemList& problems) {
  auto columns = find_all_columns(header, column.time, path, problems);
  if (!columns) return std::nullopt;
  columns->value = columns->time == 0 ? 1 : 0;
  if (column.name.empty()) return columns;
  const auto& names = columns->names;
  columns->value =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), column.name) - names.begin());
  if (columns->value == names.size()) {
    problems.error(where, fmt::format("'{}' has no column '{}'.", path, column.name),
                   did_you_mean(column.name, names));
    return std::nullopt;
  }
  return columns;
}

/// A whole number, also where a tool has written it with a point.
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  constexpr double largest = 9007199254740992.0;  // 2⁵³: beyond it a double does not hold every whole number
  const auto number = finite_number(text);
  if (!number || *number != std::floor(*number) || std::abs(*number) > largest) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// From 0 to 2⁶⁴ − 1, as the integer with sign of the same bits.
std::optional<std::int64_t> unsigned_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return static_cast<std::int64_t>(value);
  const auto number = whole_number(text);  // one with a point
  return number && *number >= 0 ? number : std::nullopt;
}

/// true and false, in any case, or 1 and 0.
std::optional<std::int64_t> truth_value(std::string_view text) {
  const std::string word = without_unit_and_case(text);
  if (word == "true") return 1;
  if (word == "false") return 0;
  const auto number = whole_number(text);
  return number && (*number == 0 || *number == 1) ? number : std::nullopt;
}

std::optional<std::int64_t> item_value(const std::string& text, const std::vector<EnumerationItem>& items) {
  for (const EnumerationItem& item : items) {
    if (item.name == text) return item.value;
  }
  const auto number = whole_number(text);
  const bool is_known = number && std::any_of(items.begin(), items.end(), [&](const EnumerationItem& item) {
                          return item.value == *number;
                        });
  return is_known ? number : std::nullopt;
}

/// Appends the value of one cell; nothing where it was one, else what a cell of this type is.
std::string add_value(const std::string& text, const TableColumn& column, TimeTable& table) {
  const auto add_integer = [&](std::optional<std::int64_t> value, std::string otherwise) {
    if (!value) return otherwise;
    table.integers.push_back(*value);
    return std::string();
  };
  switch (column.type) {
    case PortType::real:
      if (const auto number = finite_number(text)) {
        table.values.push_back(*number);
        return {};
      }
      return "a number";
    case PortType::integer:
      if (column.is_unsigned) return add_integer(unsigned_number(text), "a whole number from 0 to 2^64 - 1");
      return add_integer(whole_number(text), "a whole number");
    case PortType::boolean:
      return add_integer(truth_value(text), "true, false, 1 or 0");
    case PortType::enumeration:
      return add_integer(item_value(text, column.items), "an item of its enumeration");
    case PortType::text:
    case PortType::binary:
      break;
  }
  table.texts.push_back(text);
  return {};
}

/// Appends a row; false after reporting what is wrong with it.
bool add_row(const Row& row, const Columns& columns, const TableColumn& column, const std::string& path,
             ProblemList& problems, TimeTable& table) {
  const auto& cells = row.cells;
  const std::size_t wanted = columns.names.size();
  if (cells.size() != wanted) {
    const int in_line = cells.size() > wanted ? cells[wanted].column : row.end_column;
    problems.error({path, row.line, in_line},
                   fmt::format("This row has {} cells, the header names {} columns.", cells.size(), wanted),
                   "Give one cell per column. Numbers take a decimal point: a comma begins the next cell.");
    return false;
  }
  const auto refuse = [&](std::size_t index, const std::string& expected) {
    problems.error(
        {path, row.line, cells[index].column},
        fmt::format("Column '{}': '{}' is not {}.", columns.names[index], cells[index].text, expected),
        "Write numbers with a decimal point, truth values as true and false.");
    return false;
  };
  const auto time_s = finite_number(cells[columns.time].text);
  if (!time_s) return refuse(columns.time, "a number");
  if (!table.times_s.empty() && *time_s < table.times_s.back()) {
    problems.error({path, row.line, 1}, fmt::format("Time {} follows {}.", *time_s, table.times_s.back()),
                   "Times must not decrease from line to line; where one is repeated, the column jumps.");
    return false;
  }
  const std::string expected = add_value(cells[columns.value].text, column, table);
  if (!expected.empty()) return refuse(columns.value, expected);
  table.times_s.push_back(*time_s);
  return true;
}

/// The second line of result files with units, which has `s` for the time.
bool holds_units(const Row& row, const Columns& columns) {
  if (row.cells.size() != columns.names.size()) return false;
  const std::string& unit = row.cells[columns.time].text;
  return unit == "s" || unit == "[s]";
}

bool can_be_read(const std::string& path, const SourceLocation& where, ProblemList& problems) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    problems.error(where,
                   fmt::format("The table '{}' is {}.", path,
                               std::filesystem::is_directory(status) ? "a folder" : "no ordinary file"),
                   "Name a CSV file.");
    return false;
  }
  return true;
}

/// The file behind its header, which is the first line that holds anything.
struct OpenTable {
  CsvFields fields;
  Row header{};
};

std::optional<OpenTable> open_table(const std::string& path, const SourceLocation& where,
                                    ProblemList& problems) {
  if (!can_be_read(path, where, problems)) return std::nullopt;
  OpenTable file{CsvFields(path, CsvFields::Comments::skipped)};
  if (!file.fields.is_open()) {
    problems.error(where, fmt::format("The table '{}' cannot be opened.", path),
                   "Check 'file': a relative name starts at the folder of the scenario.");
    return std::nullopt;
  }
  if (!read_row(file.fields, file.header)) {
    problems.error(where, fmt::format("The table '{}' is empty.", path),
                   "Its first line names the columns: time,force");
    return std::nullopt;
  }
  const std::string& first = file.header.cells.front().text;
  if (first.find('\0') != std::string::npos || first.starts_with("\xFF\xFE") ||
      first.starts_with("\xFE\xFF")) {
    problems.error({path, file.header.line, 1}, "This is not UTF-8 text (UTF-16, perhaps).",
                   "Save the table as UTF-8.");
    return std::nullopt;
  }
  return file;
}

}  // namespace

std::optional<TimeTable> read_time_table(const std::string& path, const TableColumn& column,
                                         const SourceLocation& where, ProblemList& problems) {
  auto file = open_table(path, where, problems);
  if (!file) return std::nullopt;
  const auto columns = find_columns(file->header, column, path, where, problems);
  if (!columns) return std::nullopt;
  TimeTable table;
  Row row;
  bool is_first = true;
  while (read_row(file->fields, row)) {
    if (std::exchange(is_first, false) && holds_units(row, *columns)) continue;
    if (!add_row(row, *columns, column, path, problems, table)) return std::nullopt;
  }
  if (table.times_s.empty()) {
    problems.error({path, row.line == 0 ? file->header.line : row.line, 1},
                   "The table has no rows below its header.", "Add at least one.");
    return std::nullopt;
  }
  return table;
}

std::optional<std::vector<std::string>> read_table_columns(const std::string& path, const std::string& time,
                                                           const SourceLocation& where,
                                                           ProblemList& problems) {
  const auto file = open_table(path, where, problems);
  if (!file) return std::nullopt;
  auto columns = find_all_columns(file->header, time, path, problems);
  if (!columns) return std::nullopt;
  columns->names.erase(columns->names.begin() + static_cast<std::ptrdiff_t>(columns->time));
  return std::move(columns->names);
}

}  // namespace ergon

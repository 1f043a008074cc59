#include "ergon/models/sources/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "ergon/core/csv_separator.hpp"

namespace ergon {
namespace {

constexpr std::string_view blank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

struct Cell {
  std::string_view text;  ///< as it stands in the line, without blanks around it
  int column = 0;         ///< of its first character, from 1
};

std::vector<Cell> cells_of(std::string_view line, char separator) {
  std::vector<Cell> cells;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (quoted || line[i] != separator)) continue;
    const std::string_view whole = line.substr(begin, i - begin);
    const auto text = trimmed(whole);
    const std::size_t skipped = text.empty() ? 0 : static_cast<std::size_t>(text.data() - whole.data());
    cells.push_back({text, static_cast<int>(begin + skipped) + 1});
    begin = i + 1;
  }
  return cells;
}

/// "a ""b""" → a "b"
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  std::string name;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    name += text[i];
    if (text[i] == '"' && text[i + 1] == '"') ++i;
  }
  return name;
}

std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Reads the next line that says something; `line_number` counts all.
bool next_line(std::istream& stream, std::string& line, int& line_number) {
  while (std::getline(stream, line)) {
    ++line_number;
    // A spreadsheet may put a byte order mark in front.
    if (line_number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '#') return true;
  }
  return false;
}

struct Columns {
  char separator = ',';
  std::vector<std::string> names;
  std::size_t time = 0;
  std::size_t value = 0;
};

/// `where`: of the scenario, for a column that it names.
std::optional<Columns> find_columns(std::string_view header, const std::string& column,
                                    const SourceLocation& at, const SourceLocation& where,
                                    ProblemList& problems) {
  Columns columns;
  columns.separator = csv_separator(header);
  const auto cells = cells_of(header, columns.separator);
  const char* const first_line =
      "The first line names the columns, separated by commas, semicolons or tabs: time,force";
  const auto refuse = [&](int in_line, const std::string& what, const std::string& remedy) {
    problems.error({at.file, at.line, in_line}, what, remedy);
    return std::nullopt;
  };
  if (std::all_of(cells.begin(), cells.end(),
                  [](const Cell& c) { return finite_number(c.text).has_value(); })) {
    return refuse(1, "The header is missing: the first line holds numbers.", first_line);
  }
  if (cells.size() < 2) {
    return refuse(1, fmt::format("The header '{}' names fewer than two columns.", trimmed(header)),
                  first_line);
  }
  for (const Cell& cell : cells) {
    std::string name = unquoted(cell.text);
    if (name.empty()) {
      return refuse(cell.column, fmt::format("Column {} has no name.", columns.names.size() + 1), first_line);
    }
    if (std::find(columns.names.begin(), columns.names.end(), name) != columns.names.end()) {
      return refuse(cell.column, fmt::format("Two columns are called '{}'.", name), "Rename one of them.");
    }
    columns.names.push_back(std::move(name));
  }
  const auto position = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(columns.names.begin(), columns.names.end(), name) -
                                    columns.names.begin());
  };
  columns.time = position("time");
  if (columns.time == columns.names.size()) {
    return refuse(1, fmt::format("There is no column 'time' among {}.", fmt::join(columns.names, ", ")),
                  "Call the column of the times, in s, 'time'.");
  }
  columns.value = columns.time == 0 ? 1 : 0;
  if (column.empty()) return columns;
  columns.value = position(column);
  if (columns.value == columns.names.size()) {
    problems.error(where, fmt::format("'{}' has no column '{}'.", at.file, column),
                   did_you_mean(column, columns.names));
    return std::nullopt;
  }
  return columns;
}

/// The numbers of a row; nothing after reporting.
std::optional<std::pair<double, double>> read_row(std::string_view line, const Columns& columns,
                                                  const SourceLocation& at, ProblemList& problems) {
  const auto cells = cells_of(line, columns.separator);
  const std::size_t wanted = columns.names.size();
  if (cells.size() != wanted) {
    const int in_line = cells.size() > wanted ? cells[wanted].column : static_cast<int>(line.size()) + 1;
    problems.error({at.file, at.line, in_line},
                   fmt::format("This row has {} cells, the header names {} columns.", cells.size(), wanted),
                   "Give one cell per column. Numbers take a decimal point: a comma begins the next cell.");
    return std::nullopt;
  }
  double numbers[2] = {};
  for (int i = 0; i < 2; ++i) {
    const std::size_t index = i == 0 ? columns.time : columns.value;
    const auto number = finite_number(unquoted(cells[index].text));
    if (!number) {
      problems.error(
          {at.file, at.line, cells[index].column},
          fmt::format("'{}' in column '{}' is no number.", cells[index].text, columns.names[index]),
          "Write numbers with a decimal point.");
      return std::nullopt;
    }
    numbers[i] = *number;
  }
  return std::pair{numbers[0], numbers[1]};
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

}  // namespace

std::optional<TimeTable> read_time_table(const std::string& path, const std::string& column,
                                         const SourceLocation& where, ProblemList& problems) {
  if (!can_be_read(path, where, problems)) return std::nullopt;
  std::ifstream stream(path);
  if (!stream) {
    problems.error(where, fmt::format("The table '{}' cannot be opened.", path),
                   "Check 'file': a relative name starts at the folder of the scenario.");
    return std::nullopt;
  }
  std::string line;
  int line_number = 0;
  if (!next_line(stream, line, line_number)) {
    problems.error(where, fmt::format("The table '{}' is empty.", path),
                   "Its first line names the columns: time,force");
    return std::nullopt;
  }
  if (line.find('\0') != std::string::npos || line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) {
    problems.error({path, line_number, 1}, "This is no UTF-8 text (UTF-16, perhaps).",
                   "Save the table as UTF-8.");
    return std::nullopt;
  }
  const auto columns = find_columns(line, column, {path, line_number, 1}, where, problems);
  if (!columns) return std::nullopt;

  TimeTable table;
  while (next_line(stream, line, line_number)) {
    const auto row = read_row(line, *columns, {path, line_number, 1}, problems);
    if (!row) return std::nullopt;
    if (!table.times_s.empty() && !(row->first > table.times_s.back())) {
      problems.error({path, line_number, 1},
                     fmt::format("Time {} follows {}.", row->first, table.times_s.back()),
                     "Times must increase from line to line.");
      return std::nullopt;
    }
    table.times_s.push_back(row->first);
    table.values.push_back(row->second);
  }
  if (table.times_s.empty()) {
    problems.error({path, line_number, 1}, "The table has no rows below its header.", "Add at least one.");
    return std::nullopt;
  }
  return table;
}

}  // namespace ergon

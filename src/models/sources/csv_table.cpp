#include "ergon/models/sources/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

namespace ergon {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\"";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
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
  std::size_t time = 0;
  std::size_t value = 0;
};

std::optional<Columns> find_columns(std::string_view header, const std::string& column,
                                    const SourceLocation& at, const SourceLocation& where,
                                    ProblemList& problems) {
  std::vector<std::string> names;
  for (const std::string_view cell : cells_of(header)) names.emplace_back(cell);
  if (names.size() < 2) {
    problems.error(at, fmt::format("The header '{}' names fewer than two columns.", trimmed(header)),
                   "The first line names the columns, separated by commas: time,force");
    return std::nullopt;
  }
  Columns columns;
  const auto time = std::find(names.begin(), names.end(), "time");
  if (time != names.end()) columns.time = static_cast<std::size_t>(time - names.begin());
  columns.value = columns.time == 0 ? 1 : 0;
  if (column.empty()) return columns;
  const auto value = std::find(names.begin(), names.end(), column);
  if (value == names.end()) {
    problems.error(where, fmt::format("'{}' has no column '{}'.", at.file, column),
                   did_you_mean(column, names));
    return std::nullopt;
  }
  columns.value = static_cast<std::size_t>(value - names.begin());
  return columns;
}

}  // namespace

std::optional<TimeTable> read_time_table(const std::string& path, const std::string& column,
                                         const SourceLocation& where, ProblemList& problems) {
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
  const auto columns = find_columns(line, column, {path, line_number, 1}, where, problems);
  if (!columns) return std::nullopt;

  TimeTable table;
  while (next_line(stream, line, line_number)) {
    const auto cells = cells_of(line);
    for (const auto& [index, list] :
         {std::pair{columns->time, &table.times_s}, std::pair{columns->value, &table.values}}) {
      const std::string_view cell = index < cells.size() ? cells[index] : std::string_view{};
      const auto number = finite_number(cell);
      if (!number) {
        problems.error({path, line_number, 1},
                       fmt::format("'{}' in column {} is no number.", cell, index + 1),
                       "Write numbers with a decimal point and separate them by commas.");
        return std::nullopt;
      }
      list->push_back(*number);
    }
    const std::size_t rows = table.times_s.size();
    if (rows >= 2 && !(table.times_s[rows - 1] > table.times_s[rows - 2])) {
      problems.error({path, line_number, 1},
                     fmt::format("Time {} follows {}.", table.times_s[rows - 1], table.times_s[rows - 2]),
                     "Times must increase from line to line.");
      return std::nullopt;
    }
  }
  if (table.times_s.empty()) {
    problems.error({path, line_number, 1}, "The table has no rows below its header.", "Add at least one.");
    return std::nullopt;
  }
  return table;
}

}  // namespace ergon

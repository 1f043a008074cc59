#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ergon::report {

/// One column: numbers, or texts by number. Empty fields are NaN.
struct CsvColumn {
  std::string name;
  std::vector<double> values;
  std::vector<std::string> texts;  ///< of a column of texts: what its values stand for
  [[nodiscard]] bool is_text() const { return !texts.empty(); }
};

/// A CSV file by columns, the time first.
struct CsvFile {
  std::vector<CsvColumn> columns;
  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().values.size(); }
  [[nodiscard]] const CsvColumn* find(const std::string& name) const;
};

/// Reads a file with one line of names. Separated by commas, semicolons or tabs, quotes allowed; an incomplete last line is left
/// out. Throws InputError, with the line, where it is none.
[[nodiscard]] CsvFile read_csv(const std::filesystem::path& path);

}  // namespace ergon::report

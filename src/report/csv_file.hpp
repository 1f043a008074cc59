#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ergon/report/table.hpp"

namespace ergon::report {

/// A CSV file by columns, the time first. It stays on the disk: made, it has been read and checked once; a column is read when it is
/// asked for, together with those behind it as far as `buffered_values` reach. Columns that are asked for in their order cost one pass
/// over the file per buffer, and a small file is read once.
class CsvFile final : public Table {
 public:
  /// 16 MB: two columns of a million rows.
  static constexpr std::size_t usual_buffer = 2'000'000;

  /// Reads a file with one line of names, and where there is one a second with units, which begins with `s`. Separated by commas, semicolons or tabs, quotes allowed; an incomplete last line is left
  /// out. Throws InputError, with the line, if it is not a table. `buffered_values` are kept between two calls of `column`.
  explicit CsvFile(std::filesystem::path path, std::size_t buffered_values = usual_buffer);

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] const std::vector<std::string>& units() const override { return units_; }
  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] bool is_text(std::size_t column) const override { return is_text_[column]; }
  [[nodiscard]] CsvColumn column(std::size_t number) const override;

 private:
  void read_from(std::size_t column) const;

  std::filesystem::path path_;
  std::size_t buffered_values_;
  std::vector<std::string> names_;
  std::vector<std::string> units_;
  std::vector<bool> is_text_;
  std::size_t rows_ = 0;
  mutable std::vector<CsvColumn>
      buffer_;  ///< columns from buffer_begin_ on; those that were given away have no name
  mutable std::size_t buffer_begin_ = 0;
};

}  // namespace ergon::report

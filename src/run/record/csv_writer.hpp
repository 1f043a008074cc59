#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/run/record/result_file.hpp"
#include "ergon/run/record/row_writer.hpp"

namespace ergon {

/// A field of a header line: quoted where it contains a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(std::string_view text);

/// Whether the second line of a file holds the units of its columns.
enum class UnitLine { none, second };

/// Writes rows as CSV: reals and integers with all their digits, booleans as true and false, enumerations by the names of their
/// items, texts as they are, bytes in hexadecimal; quoted where RFC 4180 wants it. Reals get the shortest digits that read back to the
/// same bits; whole lines only are written.
/// So a process killed with SIGKILL loses about 0.1 s and leaves complete lines, but for a kill during a
/// write: the kernel then cuts it short between two pages (LineMender takes care of that).
/// A full disk does not end the run: the file is cut back to its last complete line and close() tells.
class CsvWriter final : public RowWriter {
 public:
  /// Opens the file afresh and writes the header `time,names…`. Throws InputError if it cannot be opened, or is not a regular
  /// file (a link is not followed). One that is continued is left alone until `cut_back` tells from where on; rows before that are
  /// forgotten. Positions are lengths of the file in bytes.
  CsvWriter(const ResultFile& file, std::span<const std::string> names);
  CsvWriter(const ResultFile& file, std::vector<RowColumn> columns, UnitLine unit_line = UnitLine::none);
  ~CsvWriter() override;
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

 private:
  void take(const double* rows, const std::string* texts, std::size_t count) override;
  void flush_taken() override { flush_text(); }
  std::optional<std::string> close_file() override;
  std::uint64_t position_in_file() override { return file_size_; }
  void cut_file(std::uint64_t position) override;

  void format_row(const double* row, const std::string* texts);
  char* append_typed(char* out, const RowColumn& column, double value, const std::string*& texts);
  /// So that another `bytes` fit behind `out`, in the text that is under way; where `out` then is.
  char* with_room(char* out, std::size_t bytes);
  void flush_text();
  void write_all(const char* data, std::size_t size);

  std::filesystem::path path_;
  std::vector<RowColumn> typed_columns_;  ///< empty where all are reals
  int file_ = -1;
  std::vector<char> text_;
  std::size_t text_size_ = 0;
  std::uint64_t file_size_ = 0;
  int error_number_ = 0;
};

}  // namespace ergon

#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// What separates the fields of a CSV file whose first line is `header`: semicolons where it has any outside
/// of quotes, else tabs where it has any, else commas.
[[nodiscard]] char csv_separator(std::string_view header);

/// Goes through a CSV file field by field, with a piece of it in memory. Fields in quotes may hold
/// separators, line breaks and quotes ("a ""b"""); blanks around fields, a byte order mark and empty lines do
/// not count.
class CsvFields {
 public:
  /// Lines that begin with # are skipped, or are lines as others.
  enum class Comments { skipped, kept };
  explicit CsvFields(const std::filesystem::path& path, Comments comments = Comments::kept);

  [[nodiscard]] bool is_open() const { return stream_.is_open(); }
  /// Nothing but empty lines follows.
  [[nodiscard]] bool at_end();
  /// Valid until the next call.
  std::string_view next();

  // Of the field that was read last.
  [[nodiscard]] std::size_t line() const { return line_of_field_; }
  /// Of its first character, in bytes from 1.
  [[nodiscard]] std::size_t column() const { return column_; }
  /// Behind its last character.
  [[nodiscard]] std::size_t end_column() const { return end_column_; }
  [[nodiscard]] bool line_ended() const { return line_ended_; }
  /// It is followed by a line break, not by the end of the file.
  [[nodiscard]] bool line_break_seen() const { return line_break_seen_; }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 18U;

  bool read_more();
  bool has(std::size_t count) { return at_ + count < end_ || (read_more() && at_ + count < end_); }
  void advance(std::size_t count);
  void begin_new_line();
  void skip_empty_lines();
  std::size_t length_to_line_break();
  std::size_t length_to_end_of_field();
  std::string_view quoted();
  void end_field();

  std::ifstream stream_;
  Comments comments_;
  char separator_ = ',';
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;    ///< of what was read
  std::size_t line_ = 1;   ///< where `at_` is
  std::size_t taken_ = 0;  ///< of this line
  std::size_t line_of_field_ = 1;
  std::size_t column_ = 1;
  std::size_t end_column_ = 1;
  bool between_lines_ = true;
  bool line_ended_ = false;
  bool line_break_seen_ = false;
  std::string unquoted_;
};

}  // namespace ergon

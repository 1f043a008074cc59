#include "ergon/report/csv_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ergon/core/csv_separator.hpp"
#include "ergon/core/problem.hpp"

namespace ergon::report {
namespace {

/// Goes through a file field by field, with a piece of it in memory.
class Fields {
 public:
  explicit Fields(const std::filesystem::path& path) : stream_(path, std::ios::binary) {
    if (!stream_) {
      throw InputError({}, fmt::format("Cannot read '{}'.", path.string()),
                       "Give a folder that 'ergon run' has written, or a CSV file.");
    }
    separator_ = csv_separator(first_line());
  }

  [[nodiscard]] bool at_end() { return at_ == end_ && !read_more(); }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] bool line_ended() const { return line_ended_; }
  /// After the last field: whether its line was a whole one.
  [[nodiscard]] bool line_break_seen() const { return line_break_seen_; }

  /// Valid until the next call.
  std::string_view next() {
    if (line_ended_) ++line_;
    line_ended_ = line_break_seen_ = false;
    if (!at_end() && buffer_[at_] == '"') return quoted();
    const std::size_t length = length_to_end_of_field();
    std::string_view field(buffer_.data() + at_, length);
    at_ += length;
    end_field();
    while (!field.empty() && (field.back() == '\r' || field.back() == ' ')) field.remove_suffix(1);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    return field;
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 18U;

  /// What was read and not yet gone through moves to the front; false at the end of the file.
  bool read_more() {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= at_;
    at_ = 0;
    if (buffer_.size() < end_ + piece) buffer_.resize(end_ + piece);
    stream_.read(buffer_.data() + end_, static_cast<std::streamsize>(piece));
    end_ += static_cast<std::size_t>(stream_.gcount());
    return stream_.gcount() > 0;
  }
  std::size_t length_to_end_of_field() {
    std::size_t length = 0;
    do {
      while (at_ + length < end_ && !ends_field(buffer_[at_ + length])) ++length;
    } while (at_ + length == end_ && read_more());
    return length;
  }
  [[nodiscard]] bool ends_field(char c) const { return c == separator_ || c == '\n'; }
  std::string_view first_line() {
    std::size_t length = 0;
    do {
      while (at_ + length < end_ && buffer_[at_ + length] != '\n') ++length;
    } while (at_ + length == end_ && read_more());
    return {buffer_.data() + at_, length};
  }
  std::string_view quoted() {
    unquoted_.clear();
    for (++at_; !at_end(); ++at_) {
      if (buffer_[at_] != '"') {
        unquoted_ += buffer_[at_];
        continue;
      }
      ++at_;
      if (at_end() || buffer_[at_] != '"') break;
      unquoted_ += '"';
    }
    at_ += length_to_end_of_field();
    end_field();
    return unquoted_;
  }
  /// After the last character of a field, which stays where it is.
  void end_field() {
    if (at_ == end_) {  // of the file, too: who looks for the end of a field reads on
      line_ended_ = true;
      return;
    }
    line_ended_ = line_break_seen_ = buffer_[at_] == '\n';
    ++at_;
  }

  std::ifstream stream_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;  ///< of what was read
  char separator_ = ',';
  std::size_t line_ = 1;
  bool line_ended_ = false;
  bool line_break_seen_ = false;
  std::string unquoted_;
};

constexpr double empty = std::numeric_limits<double>::quiet_NaN();

std::optional<double> parsed_number(std::string_view field) {
  if (field.empty()) return empty;
  if (field.front() == '+') field.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return field.find("e-") != field.npos ? 0.0 : empty;
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// Numbers of the texts of one column, in the order in which they come.
class TextNumbers {
 public:
  double number_of(std::string_view text, std::vector<std::string>& texts) {
    const auto [found, is_new] = numbers_.try_emplace(std::string(text), static_cast<double>(texts.size()));
    if (is_new) texts.emplace_back(text);
    return found->second;
  }

 private:
  std::unordered_map<std::string, double> numbers_;
};

}  // namespace

CsvFile::CsvFile(std::filesystem::path path, std::size_t buffered_values)
    : path_(std::move(path)), buffered_values_(buffered_values) {
  Fields fields(path_);
  while (!fields.at_end() && !fields.line_ended()) names_.emplace_back(fields.next());
  if (names_.empty() || names_.front().empty() || parsed_number(names_.front())) {
    throw InputError({path_.string(), 1, 1}, "This is not a table: its first line has no names.",
                     "The first line must name the columns, the time first.");
  }
  const std::size_t columns = names_.size();
  is_text_.assign(columns, false);
  bool fits = true;
  for (const std::string& name : names_) buffer_.push_back({name, {}, {}});
  while (!fields.at_end()) {
    const std::size_t line = fields.line() + 1;
    fits = fits && (rows_ + 1) * columns <= buffered_values_;
    if (!fits) buffer_.clear();
    std::size_t i = 0;
    bool of_units = false;
    do {
      const std::string_view field = fields.next();
      if (i == 0) of_units = rows_ == 0 && units_.empty() && (field == "s" || field == "[s]");
      if (of_units) {
        units_.emplace_back(field);
      } else if (i < columns) {
        const std::optional<double> value = parsed_number(field);
        if (!value) is_text_[i] = true;
        if (fits) buffer_[i].values.push_back(value.value_or(empty));
      }
      ++i;
    } while (!fields.line_ended());
    if (i == columns && (fields.line_break_seen() || fields.at_end())) {
      if (!of_units) ++rows_;
      continue;
    }
    const bool blank = i == 1 && columns > 1;
    if (!fields.line_break_seen() || (blank && fields.at_end())) {
      // The line that a killed run was about to write.
      for (CsvColumn& column : buffer_) column.values.resize(rows_);
      break;
    }
    throw InputError({path_.string(), static_cast<int>(line), 1},
                     fmt::format("There are {} fields in this line, but {} columns.", i, columns),
                     "The file is damaged; write it again.");
  }
  if (is_text_[0]) {
    throw InputError({path_.string(), 2, 1},
                     fmt::format("The first column, '{}', must be the time, but holds text.", names_[0]),
                     "Put the time first.");
  }
  // That a column holds texts is known now; they are read when they are asked for.
  if (std::find(is_text_.begin(), is_text_.end(), true) != is_text_.end()) buffer_.clear();
}

CsvColumn CsvFile::column(std::size_t number) const {
  const auto place = [&] { return number - buffer_begin_; };
  if (number < buffer_begin_ || place() >= buffer_.size() || buffer_[place()].name.empty()) read_from(number);
  const bool whole_file = buffer_.size() == names_.size();
  if (whole_file) return buffer_[place()];
  return std::exchange(buffer_[place()], {});
}

void CsvFile::read_from(std::size_t column) const {
  buffer_.clear();
  buffer_begin_ = column;
  const std::size_t count =
      std::clamp<std::size_t>(buffered_values_ / std::max<std::size_t>(rows_, 1), 1, names_.size() - column);
  std::vector<TextNumbers> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    buffer_.push_back({names_[column + i], {}, {}});
    buffer_[i].values.reserve(rows_);
  }
  Fields fields(path_);
  bool as_before = true;
  for (std::size_t i = 0; i < names_.size(); ++i) as_before = as_before && fields.next() == names_[i];
  as_before = as_before && fields.line_ended();
  for (std::size_t i = 0; i < units_.size(); ++i) as_before = as_before && fields.next() == units_[i];
  for (std::size_t row = 0; row < rows_ && as_before; ++row) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string_view field = fields.next();
      as_before = as_before && fields.line_ended() == (i + 1 == names_.size());
      if (i < column || i >= column + count) continue;
      CsvColumn& here = buffer_[i - column];
      const std::optional<double> value =
          is_text_[i] ? numbers[i - column].number_of(field, here.texts) : parsed_number(field);
      as_before = as_before && value;
      here.values.push_back(value.value_or(empty));
    }
  }
  if (as_before) return;
  buffer_.clear();
  throw InputError({path_.string(), 0, 0}, "This file has changed while it was read.",
                   "Wait for the run that writes it, then try again.");
}

}  // namespace ergon::report

#include "ergon/report/csv_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ergon/core/csv_fields.hpp"
#include "ergon/core/problem.hpp"

namespace ergon::report {
namespace {

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
  CsvFields fields(path_);
  if (!fields.is_open()) {
    throw InputError({}, fmt::format("Cannot read '{}'.", path_.string()),
                     "Give a folder that 'ergon run' has written, or a CSV file.");
  }
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
    if (!fields.line_break_seen()) {
      // The line that a killed run was about to write.
      for (CsvColumn& column : buffer_) column.values.resize(rows_);
      break;
    }
    throw InputError({path_.string(), static_cast<int>(fields.line()), 1},
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
  CsvFields fields(path_);
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

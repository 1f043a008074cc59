#include "ergon/report/csv_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "ergon/core/problem.hpp"

namespace ergon::report {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) {
    throw InputError({}, fmt::format("Cannot read '{}'.", path.string()),
                     "Give a folder that 'ergon run' has written, or a CSV file.");
  }
  std::string text(static_cast<std::size_t>(stream.tellg()), '\0');
  stream.seekg(0);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

/// Goes through a file field by field.
class Fields {
 public:
  Fields(const std::string& text, char separator) : text_(text), separator_(separator) {}

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] bool line_ended() const { return line_ended_; }
  /// After the last field: whether its line was a whole one.
  [[nodiscard]] bool line_break_seen() const { return line_break_seen_; }

  std::string_view next() {
    if (line_ended_) ++line_;
    line_ended_ = line_break_seen_ = false;
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    std::string_view field(text_.data() + begin, at_ - begin);
    end_field();
    while (!field.empty() && (field.back() == '\r' || field.back() == ' ')) field.remove_suffix(1);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    return field;
  }

 private:
  std::string_view quoted() {
    unquoted_.clear();
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        unquoted_ += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        unquoted_ += text_[++at_];
      } else {
        break;
      }
    }
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    end_field();
    return unquoted_;
  }
  void end_field() {
    if (at_ >= text_.size()) {
      line_ended_ = true;
      return;
    }
    line_ended_ = line_break_seen_ = text_[at_] == '\n';
    ++at_;
  }

  const std::string& text_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool line_ended_ = false;
  bool line_break_seen_ = false;
  std::string unquoted_;
};

char separator_of(const std::string& text) {
  const std::string_view head = std::string_view(text).substr(0, text.find('\n'));
  char best = ',';
  for (const char candidate : {';', '\t'}) {
    if (std::count(head.begin(), head.end(), candidate) > std::count(head.begin(), head.end(), best))
      best = candidate;
  }
  return best;
}

constexpr double empty = std::numeric_limits<double>::quiet_NaN();

std::optional<double> number_of(std::string_view field) {
  if (field.empty()) return empty;
  if (field.front() == '+') field.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return field.find("e-") != field.npos ? 0.0 : empty;
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// Turns columns that are marked into texts by number.
void read_texts(const std::string& text, char separator, const std::vector<bool>& is_text, CsvFile& file) {
  std::vector<std::unordered_map<std::string, double>> numbers(file.columns.size());
  Fields fields(text, separator);
  for (std::size_t i = 0; i < file.columns.size(); ++i) fields.next();
  for (std::size_t row = 0; row < file.rows(); ++row) {
    for (std::size_t i = 0; i < file.columns.size(); ++i) {
      const std::string_view field = fields.next();
      if (!is_text[i]) continue;
      CsvColumn& column = file.columns[i];
      const auto [found, is_new] =
          numbers[i].try_emplace(std::string(field), static_cast<double>(column.texts.size()));
      if (is_new) column.texts.emplace_back(field);
      column.values[row] = found->second;
    }
  }
}

}  // namespace

const CsvColumn* CsvFile::find(const std::string& name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const CsvColumn& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

CsvFile read_csv(const std::filesystem::path& path) {
  const std::string text = content_of(path);
  const char separator = separator_of(text);
  CsvFile file;
  Fields fields(text, separator);
  while (!fields.at_end() && !fields.line_ended())
    file.columns.push_back({std::string(fields.next()), {}, {}});
  if (file.columns.empty() || file.columns.front().name.empty() || number_of(file.columns.front().name)) {
    throw InputError({path.string(), 1, 1}, "This is no table: its first line has no names.",
                     "The first line must name the columns, the time first.");
  }
  const std::size_t columns = file.columns.size();
  std::vector<bool> is_text(columns, false);
  while (!fields.at_end()) {
    const std::size_t line = fields.line() + 1;
    std::size_t i = 0;
    do {
      const std::string_view field = fields.next();
      if (i < columns) {
        const std::optional<double> value = number_of(field);
        if (!value) is_text[i] = true;
        file.columns[i].values.push_back(value.value_or(empty));
      }
      ++i;
    } while (!fields.line_ended());
    if (i == columns && (fields.line_break_seen() || fields.at_end())) continue;
    const bool blank = i == 1 && columns > 1;
    if (!fields.line_break_seen() || (blank && fields.at_end())) {
      // The line that a killed run was about to write.
      const std::size_t rows = file.rows() - 1;
      for (CsvColumn& column : file.columns) column.values.resize(rows);
      break;
    }
    throw InputError({path.string(), static_cast<int>(line), 1},
                     fmt::format("There are {} fields in this line, but {} columns.", i, columns),
                     "The file is damaged; write it anew.");
  }
  if (is_text[0]) {
    throw InputError(
        {path.string(), 2, 1},
        fmt::format("The first column, '{}', is to be the time, but holds text.", file.columns[0].name),
        "Put the time first.");
  }
  if (std::find(is_text.begin(), is_text.end(), true) != is_text.end())
    read_texts(text, separator, is_text, file);
  return file;
}

}  // namespace ergon::report

#include "ergon/core/csv_fields.hpp"

#include <algorithm>

namespace ergon {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

}  // namespace

char csv_separator(std::string_view header) {
  bool quoted = false;
  bool has_tabs = false;
  for (const char c : header) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ';') return ';';
    has_tabs = has_tabs || c == '\t';
  }
  return has_tabs ? '\t' : ',';
}

CsvFields::CsvFields(const std::filesystem::path& path, Comments comments)
    : stream_(path, std::ios::binary), comments_(comments) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (has(byte_order_mark.size() - 1) &&
      std::equal(byte_order_mark.begin(), byte_order_mark.end(), buffer_.begin()))
    at_ += byte_order_mark.size();
  skip_empty_lines();
  const std::size_t length = length_to_line_break();
  separator_ = csv_separator({buffer_.data() + at_, length});
}

bool CsvFields::at_end() {
  if (between_lines_) skip_empty_lines();
  return !has(0);
}

std::string_view CsvFields::next() {
  if (between_lines_) skip_empty_lines();
  between_lines_ = line_ended_ = line_break_seen_ = false;
  while (has(0) && is_blank(buffer_[at_]) && buffer_[at_] != separator_) advance(1);
  line_of_field_ = line_;
  column_ = taken_ + 1;
  if (has(0) && buffer_[at_] == '"') return quoted();
  const std::size_t length = length_to_end_of_field();
  std::string_view field(buffer_.data() + at_, length);
  advance(length);
  end_field();
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

/// What was read and not yet gone through moves to the front; false at the end of the file.
bool CsvFields::read_more() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= at_;
  at_ = 0;
  if (buffer_.size() < end_ + piece) buffer_.resize(end_ + piece);
  stream_.read(buffer_.data() + end_, static_cast<std::streamsize>(piece));
  end_ += static_cast<std::size_t>(stream_.gcount());
  return stream_.gcount() > 0;
}

void CsvFields::advance(std::size_t count) {
  at_ += count;
  taken_ += count;
}

void CsvFields::begin_new_line() {
  ++line_;
  taken_ = 0;
}

void CsvFields::skip_empty_lines() {
  for (std::size_t blanks = 0;; ++blanks) {
    if (!has(blanks)) {
      advance(end_ - at_);
      return;
    }
    const char c = buffer_[at_ + blanks];
    if (is_blank(c) && c != separator_) continue;
    const bool is_comment = c == '#' && comments_ == Comments::skipped;
    if (c != '\n' && !is_comment) return;
    advance(length_to_line_break());
    if (!has(0)) return;
    advance(1);
    begin_new_line();
    blanks = static_cast<std::size_t>(-1);
  }
}

std::size_t CsvFields::length_to_line_break() {
  std::size_t length = 0;
  while (has(length) && buffer_[at_ + length] != '\n') ++length;
  return length;
}

std::size_t CsvFields::length_to_end_of_field() {
  std::size_t length = 0;
  do {
    while (at_ + length < end_ && buffer_[at_ + length] != separator_ && buffer_[at_ + length] != '\n')
      ++length;
  } while (at_ + length == end_ && read_more());
  return length;
}

std::string_view CsvFields::quoted() {
  unquoted_.clear();
  advance(1);
  while (has(0)) {
    const char c = buffer_[at_];
    advance(1);
    if (c == '"') {
      if (!has(0) || buffer_[at_] != '"') break;
      advance(1);
    }
    unquoted_ += c;
    if (c == '\n') begin_new_line();
  }
  advance(length_to_end_of_field());
  end_field();
  return unquoted_;
}

/// After the last character of a field, which stays where it is.
void CsvFields::end_field() {
  end_column_ = taken_ + 1;
  if (at_ == end_) {  // of the file, too: who looks for the end of a field reads on
    between_lines_ = line_ended_ = true;
    return;
  }
  between_lines_ = line_ended_ = line_break_seen_ = buffer_[at_] == '\n';
  advance(1);
  if (line_ended_) begin_new_line();
}

}  // namespace ergon

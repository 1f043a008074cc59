#include "ergon/core/literal_place.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "ergon/core/utf8.hpp"

namespace ergon {
namespace {

/// A file, read byte by byte with its line and column; a column is a character.
class Cursor {
 public:
  explicit Cursor(std::string content) : content_(std::move(content)) {}

  [[nodiscard]] bool at_end() const { return at_ >= content_.size(); }
  [[nodiscard]] char now() const { return content_[at_]; }
  [[nodiscard]] bool starts(std::string_view with) const {
    return std::string_view(content_).substr(at_).starts_with(with);
  }
  void take() {
    const char c = content_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if (at_ >= content_.size() || !continues_character(content_[at_])) {
      ++column_;
    }
  }
  void take(std::size_t bytes) {
    for (; bytes > 0 && !at_end(); --bytes) take();
  }
  bool go_to(int line, int column) {
    while (!at_end() && (line_ < line || (line_ == line && column_ < column))) take();
    return line_ == line && column_ == column;
  }
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] int column() const { return column_; }

 private:
  std::string content_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

/// What the escape at the cursor stands for, and moves behind it; nothing where it is none of those that the text is compared with.
std::optional<std::string_view> take_escape(Cursor& cursor) {
  constexpr std::pair<std::string_view, std::string_view> escapes[] = {
      {"\\n", "\n"}, {"\\t", "\t"}, {"\\r", "\r"}, {"\\\"", "\""}, {"\\\\", "\\"}};
  for (const auto& [written, meant] : escapes) {
    if (!cursor.starts(written)) continue;
    cursor.take(written.size());
    return meant;
  }
  // At the end of a line: white space up to the next character is left out.
  cursor.take();
  const auto is_blank = [&] {
    return !cursor.at_end() && std::string_view(" \t\r\n").find(cursor.now()) != std::string_view::npos;
  };
  if (!is_blank()) return std::nullopt;
  while (is_blank()) cursor.take();
  return "";
}

}  // namespace

std::optional<SourceLocation> place_in_literal(const SourceLocation& literal, std::string_view text,
                                               std::size_t offset) {
  std::error_code error;
  if (literal.line < 1 || offset > text.size() || !std::filesystem::is_regular_file(literal.file, error))
    return std::nullopt;
  std::ifstream stream(literal.file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) return std::nullopt;
  Cursor cursor(std::move(content).str());
  if (!cursor.go_to(literal.line, literal.column)) return std::nullopt;
  const std::string_view quotes[] = {"\"\"\"", "'''", "\"", "'"};
  std::string_view quote;
  for (const std::string_view one : quotes) {
    if (quote.empty() && cursor.starts(one)) quote = one;
  }
  if (quote.empty()) return std::nullopt;
  cursor.take(quote.size());
  if (quote.size() == 3) {  // a line break right behind the quotes is left out
    if (cursor.starts("\r\n")) cursor.take();
    if (cursor.starts("\n")) cursor.take();
  }
  const bool has_escapes = quote.front() == '"';
  for (std::size_t at = 0; at < offset;) {
    if (cursor.at_end()) return std::nullopt;
    if (has_escapes && cursor.now() == '\\') {
      const auto meant = take_escape(cursor);
      if (!meant || !text.substr(at).starts_with(*meant)) return std::nullopt;
      at += meant->size();
    } else if (cursor.starts("\r\n") && text[at] == '\n') {
      cursor.take(2);
      ++at;
    } else if (cursor.now() == text[at]) {
      cursor.take();
      ++at;
    } else {
      return std::nullopt;
    }
  }
  // The character may be behind the end of a line that goes on.
  if (has_escapes && (cursor.starts("\\\n") || cursor.starts("\\ ") || cursor.starts("\\\r")))
    take_escape(cursor);
  return SourceLocation{literal.file, cursor.line(), cursor.column()};
}

}  // namespace ergon

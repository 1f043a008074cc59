#include "ergon/core/expression/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ergon/core/utf8.hpp"

namespace ergon::expression {
namespace {

constexpr std::size_t max_text_bytes = 1U << 20U;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}
bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

struct Typographic {
  std::string_view written;
  std::string_view meant;
};
constexpr Typographic typographic[] = {{"−", "-"},  {"×", "*"},  {"·", "*"}, {"÷", "/"},
                                       {"≤", "<="}, {"≥", ">="}, {"≠", "!="}};
constexpr std::string_view signs[] = {"<=", ">=", "==", "!=", "+", "-", "*", "/",
                                      "^",  "(",  ")",  ",",  "<", ">", "="};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    while (at_ < text_.size()) next();
    add(Token::Kind::end, at_, "");
    return std::move(tokens_);
  }

 private:
  void add(Token::Kind kind, std::size_t offset, std::string_view text) {
    Token token;
    token.kind = kind;
    token.text = std::string(text);
    token.offset = offset;
    tokens_.push_back(std::move(token));
  }
  [[nodiscard]] bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  void next() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(text_.size(), text_.find('\n', at_));
    } else if (c == '\n' || c == ';') {
      if (depth_ == 0 || c == ';') add(Token::Kind::separator, at_, c == ';' ? ";" : "");
      ++at_;
    } else if (is_decimal(c) || (c == '.' && at_ + 1 < text_.size() && is_decimal(text_[at_ + 1]))) {
      number();
    } else if (c == '[') {
      unit();
    } else if (!typographic_sign() && !sign()) {
      if (!is_letter(c)) throw FormulaError{at_, fmt::format("'{}' has no meaning here.", shown(c))};
      name();
    }
  }

  static std::string shown(char c) {
    return c > ' ' && c < 127 ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }

  void number() {
    Token token;
    token.kind = Token::Kind::number;
    token.offset = at_;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), token.number);
    if (error != std::errc{} || !std::isfinite(token.number))
      throw FormulaError{at_, "This number is too large or too small."};
    const auto length = static_cast<std::size_t>(end - (text_.data() + at_));
    token.text = std::string(text_.substr(at_, length));
    at_ += length;
    tokens_.push_back(std::move(token));
    if (at_ < text_.size() && is_letter(text_[at_]) && !at_typographic())
      throw FormulaError{at_, "A name cannot follow a number directly: write the product with *."};
  }

  void unit() {
    const auto end = text_.find_first_of("]\n", at_);
    if (end == std::string_view::npos || text_[end] != ']')
      throw FormulaError{at_, "This '[' has no ']' in its line."};
    add(Token::Kind::unit, at_, text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
  }

  [[nodiscard]] bool at_typographic() const {
    return starts("²") || starts("³") ||
           std::any_of(std::begin(typographic), std::end(typographic),
                       [&](const Typographic& one) { return starts(one.written); });
  }
  bool typographic_sign() {
    if (starts("²") || starts("³")) {
      const bool is_square = starts("²");
      add(Token::Kind::sign, at_, "^");
      add(Token::Kind::number, at_, is_square ? "2" : "3");
      tokens_.back().number = is_square ? 2.0 : 3.0;
      at_ += 2;
      return true;
    }
    for (const auto& [written, meant] : typographic) {
      if (!starts(written)) continue;
      add(Token::Kind::sign, at_, meant);
      at_ += written.size();
      return true;
    }
    return false;
  }
  bool sign() {
    for (const std::string_view one : signs) {
      if (!starts(one)) continue;
      add(Token::Kind::sign, at_, one);
      if (one == "(") ++depth_;
      if (one == ")" && depth_ > 0) --depth_;
      at_ += one.size();
      return true;
    }
    return false;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_decimal(text_[at_])) && !at_typographic())
      ++at_;
    while (at_ < text_.size() && text_[at_] == '\'') ++at_;
    add(Token::Kind::name, begin, text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

TextPlace place_in(std::string_view text, std::size_t offset) {
  TextPlace place;
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else if (!continues_character(text[i])) {
      ++place.column;
    }
  }
  return place;
}

std::string caret_lines(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const auto before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = text.substr(begin, std::min(text.size(), text.find('\n', begin)) - begin);
  std::string lines = "\n    ";
  for (const char c : line) lines += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return lines + "\n    " + std::string(static_cast<std::size_t>(place_in(text, offset).column) - 1, ' ') +
         "^";
}

std::string Token::described() const {
  switch (kind) {
    case Kind::end:
      return "the end of the text";
    case Kind::separator:
      return text.empty() ? "the end of the line" : "';'";
    case Kind::unit:
      return fmt::format("'[{}]'", text);
    default:
      return fmt::format("'{}'", text);
  }
}

std::vector<Token> tokens_of(std::string_view text) {
  if (text.size() > max_text_bytes) throw FormulaError{0, "The string is longer than a megabyte."};
  return Lexer(text).all();
}

}  // namespace ergon::expression

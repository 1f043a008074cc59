#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ergon::expression {

/// What is wrong with a text, and at which byte.
struct FormulaError {
  std::size_t offset = 0;
  std::string what;
};

/// Line and column of a byte, both from 1 on; a column is a character, not a byte.
struct TextPlace {
  int line = 1;
  int column = 1;
};
TextPlace place_in(std::string_view text, std::size_t offset);
/// The line with this byte, and below it a caret that points to it.
std::string caret_lines(std::string_view text, std::size_t offset);

struct Token {
  enum class Kind {
    number,
    name,       ///< also with primes: x, x', x''
    sign,       ///< an operator or bracket, in ASCII
    unit,       ///< what stands in [ ]
    separator,  ///< the end of a line outside of parentheses, or ';'
    end,
  };
  Kind kind = Kind::end;
  std::string text;
  double number = 0.0;
  std::size_t offset = 0;

  [[nodiscard]] bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  [[nodiscard]] bool ends_statement() const { return kind == Kind::separator || kind == Kind::end; }
  /// For messages: 'x', "the end".
  [[nodiscard]] std::string described() const;
};

/// Splits a text into tokens, the last of which is `end`. Comments go from # to the end of a line. The typographic signs − × ÷ · ² ³
/// are read as - * / * ^2 ^3. Throws FormulaError.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace ergon::expression

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ergon/core/expression/dimension.hpp"
#include "ergon/core/expression/term_graph.hpp"
#include "ergon/core/expression/tokens.hpp"

namespace ergon::expression {

/// A formula that was read: a number with what is known of its unit, or a condition.
struct Formula {
  Term term = 0;
  Dimension dimension{};
  bool is_condition = false;
};

/// What names stand for.
struct Names {
  /// Name with its primes → formula; nothing where there is none.
  std::function<std::optional<Formula>(const std::string& name)> find;
  /// All that there are, for suggestions.
  std::function<std::vector<std::string>()> all;
};

/// Reads formulas from a row of tokens into a graph. The grammar is on docs/expressions.md. Throws FormulaError.
class Parser {
 public:
  Parser(std::vector<Token> tokens, TermGraph& graph, Names names)
      : tokens_(std::move(tokens)), graph_(graph), names_(std::move(names)) {}

  /// A number from here on, up to something that cannot be part of it.
  Formula number();

  [[nodiscard]] const Token& token() const { return tokens_[at_]; }
  [[nodiscard]] const Token& following() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() {
    Token taken = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return taken;
  }
  bool take_if(std::string_view sign);
  void expect(std::string_view sign, const char* purpose);
  /// `der(x)` or a name with primes, as that name: x'.
  std::string derivative_name();

 private:
  Formula disjunction();
  Formula conjunction();
  Formula negation();
  Formula comparison();
  Formula sum();
  Formula product();
  Formula unary();
  Formula power();
  Formula primary();
  Formula call(const Token& name);
  Formula named(const Token& name);
  Formula two_conditions(Operation operation, const Formula& a, const Formula& b) {
    return {graph_.make(operation, a.term, b.term), Dimension::none(), true};
  }
  void need_number(const Formula& formula, std::size_t offset) const;
  void need_condition(const Formula& formula, std::size_t offset) const;
  void need_same(const Formula& a, const Formula& b, std::size_t offset, const char* done) const;

  /// Of recursion: counted where it begins.
  class Depth {
   public:
    Depth(int& depth, std::size_t offset);
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    int& depth_;
  };

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  TermGraph& graph_;
  Names names_;
};

/// Names that nothing else may have: functions, constants, `time` and words.
bool is_reserved(const std::string& name);

/// What a name is worth; nothing where there is no such name.
using NamedValues = std::function<std::optional<double>(const std::string& name)>;
/// The value of a formula of numbers and named values, such as "2*pi/60", or what is wrong with it.
std::variant<double, FormulaError> evaluate_text(std::string_view text, const NamedValues& values = {});

}  // namespace ergon::expression

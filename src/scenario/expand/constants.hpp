#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ergon/core/expression/tokens.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/rational.hpp"

namespace ergon {

struct Value;

/// A number of a scenario: as a fraction where it is one of decimals as they were written, so that times made of it are exact.
struct Number {
  double value = 0.0;
  std::optional<Rational> exact{};

  static Number of(const Rational& exact);
  static Number of(double value);
};

/// Named numbers of a scenario: [constants], and inside of an entry with `count` its number i. What is not found here is looked up in
/// `outer`.
class Constants {
 public:
  explicit Constants(std::shared_ptr<const Constants> outer = {}) : outer_(std::move(outer)) {}

  void set(const std::string& name, const Number& number) { own_[name] = number; }
  [[nodiscard]] const Number* find(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::shared_ptr<const Constants> outer_;
  std::map<std::string, Number> own_;
};

/// What a formula of numbers and constants is worth (docs/expressions.md), or what is wrong with it. Sums, products, quotients and whole
/// powers of exact numbers are exact, where they fit into 64-bit fractions; everything else is carried out with doubles.
std::variant<Number, expression::FormulaError> evaluate_number(std::string_view text,
                                                               const Constants* constants);
/// The number that a value is, or that its formula gives with the constants of the place where it stands.
std::variant<Number, expression::FormulaError> number_of(const Value& value);

/// Reads [constants]: numbers, and formulas of other constants in any order. What is wrong is reported and left out.
std::shared_ptr<const Constants> read_constants(const Value& table, std::shared_ptr<const Constants> outer,
                                                ProblemList& problems);

/// Where a mistake in the formula `value` stands, and its line with a caret as the end of a remedy.
struct FormulaPlace {
  SourceLocation where;
  std::string caret;
};
FormulaPlace place_of(const expression::FormulaError& error, const Value& value);

/// The name of the number of an entry with `count`: 1, 2, …
constexpr const char* counter_name = "i";

}  // namespace ergon

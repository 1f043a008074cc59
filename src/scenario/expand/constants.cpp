#include "ergon/scenario/expand/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ergon/core/expression/parser.hpp"
#include "ergon/core/literal_place.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon {
namespace {

using expression::Formula;
using expression::FormulaError;
using expression::Token;

/// Formulas of + − × ÷, whole powers, numbers and exact constants, in exact fractions. Nothing where there is something else, or where
/// a fraction does not fit.
class ExactFormula {
 public:
  ExactFormula(const std::vector<Token>& tokens, const Constants* constants)
      : tokens_(tokens), constants_(constants) {}

  std::optional<Rational> whole() {
    try {
      const Rational value = sum();
      if (token().kind == Token::Kind::end) return value;
    } catch (const NotExact&) {
      return std::nullopt;
    } catch (const std::overflow_error&) {
      return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  struct NotExact {};

  [[nodiscard]] const Token& token() const { return tokens_[at_]; }
  bool take_if(std::string_view sign) {
    if (!token().is(sign)) return false;
    ++at_;
    return true;
  }

  Rational sum() {
    Rational value = product();
    while (true) {
      if (take_if("+")) {
        value = value + product();
      } else if (take_if("-")) {
        value = value - product();
      } else {
        return value;
      }
    }
  }

  Rational product() {
    Rational value = signed_power();
    while (true) {
      if (take_if("*")) {
        value = value * signed_power();
      } else if (take_if("/")) {
        const Rational divisor = signed_power();
        if (divisor.numerator() == 0) throw NotExact{};
        value = value / divisor;
      } else {
        return value;
      }
    }
  }

  Rational signed_power() {
    if (++depth_ > most_depth) throw NotExact{};
    Rational value;
    if (take_if("-")) {
      value = Rational() - signed_power();
    } else {
      value = take_if("+") ? signed_power() : power();
    }
    --depth_;
    return value;
  }

  Rational power() {
    const Rational base = primary();
    if (!take_if("^")) return base;
    const Rational exponent = signed_power();
    constexpr std::int64_t most = 63;
    if (exponent.denominator() != 1 || exponent.numerator() < 0 || exponent.numerator() > most)
      throw NotExact{};
    Rational value(1, 1);
    for (std::int64_t k = 0; k < exponent.numerator(); ++k) value = value * base;
    return value;
  }

  Rational primary() {
    const Token& now = token();
    if (now.kind == Token::Kind::number) {
      ++at_;
      const auto exact = Rational::from_double(now.number);
      if (!exact) throw NotExact{};
      return *exact;
    }
    if (take_if("(")) {
      const Rational value = sum();
      if (!take_if(")")) throw NotExact{};
      return value;
    }
    const Number* constant =
        now.kind == Token::Kind::name && constants_ != nullptr ? constants_->find(now.text) : nullptr;
    if (constant == nullptr || !constant->exact) throw NotExact{};
    ++at_;
    return *constant->exact;
  }

  static constexpr int most_depth = 100;
  const std::vector<Token>& tokens_;
  const Constants* constants_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// Names that formulas have for themselves, and the counter.
bool is_taken(const std::string& name) {
  return expression::is_reserved(name) || name == counter_name;
}

bool is_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80U; };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits) &&
         std::isdigit(static_cast<unsigned char>(name[0])) == 0;
}

void report(const FormulaError& error, const Entry& entry, ProblemList& problems) {
  const auto [where, caret] = place_of(error, entry.value);
  problems.error(where, fmt::format("'{}' in [constants]: {}", entry.key, error.what),
                 "Give a number, or a formula of numbers and constants (docs/expressions.md)." + caret);
}

}  // namespace

Number Number::of(const Rational& exact) {
  return {exact.value(), exact};
}

Number Number::of(double value) {
  return {value, std::isfinite(value) ? Rational::from_double(value) : std::nullopt};
}

const Number* Constants::find(const std::string& name) const {
  const auto found = own_.find(name);
  if (found != own_.end()) return &found->second;
  return outer_ == nullptr ? nullptr : outer_->find(name);
}

std::vector<std::string> Constants::names() const {
  std::vector<std::string> all = outer_ == nullptr ? std::vector<std::string>{} : outer_->names();
  for (const auto& [name, number] : own_) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  return all;
}

std::variant<Number, FormulaError> evaluate_number(std::string_view text, const Constants* constants) {
  try {
    const std::vector<Token> tokens = expression::tokens_of(text);
    expression::TermGraph graph;
    expression::Names names;
    names.find = [&](const std::string& name) -> std::optional<Formula> {
      const Number* constant = constants == nullptr ? nullptr : constants->find(name);
      if (constant == nullptr) return std::nullopt;
      return Formula{graph.constant(constant->value), expression::Dimension{}};
    };
    names.all = [&] {
      std::vector<std::string> all = {"pi"};
      if (constants != nullptr) {
        for (std::string& name : constants->names()) all.push_back(std::move(name));
      }
      return all;
    };
    expression::Parser parser(tokens, graph, names);
    const Formula formula = parser.number();
    if (parser.token().kind != Token::Kind::end)
      return FormulaError{parser.token().offset,
                          fmt::format("The formula should end before {}.", parser.token().described())};
    const double value =
        graph.node(formula.term).value;  // of constants alone, so carried out while it was read
    if (!std::isfinite(value)) return FormulaError{0, "The value of this formula is not finite."};
    const auto exact = ExactFormula(tokens, constants).whole();
    if (!exact) return Number{value, std::nullopt};
    // A quotient of whole numbers below 2⁵³ is rounded once: 3·0.1 is 0.3. One number alone keeps its digits.
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const bool rounds_once = std::abs(exact->numerator()) <= most && exact->denominator() <= most;
    return Number{rounds_once ? exact->value() : value, exact};
  } catch (const FormulaError& error) {
    return error;
  }
}

std::variant<Number, FormulaError> number_of(const Value& value) {
  if (value.kind == Value::Kind::integer && value.integer != std::numeric_limits<std::int64_t>::min())
    return Number{value.number, Rational(value.integer, 1)};
  if (value.is_number()) return Number::of(value.number);
  if (value.kind == Value::Kind::text) return evaluate_number(value.text, value.constants.get());
  return FormulaError{0, fmt::format("This is {}, not a number.", value.describe())};
}

FormulaPlace place_of(const FormulaError& error, const Value& value) {
  // At its first character the whole string is meant.
  const auto in_file =
      error.offset == 0 ? std::nullopt : place_in_literal(value.where, value.text, error.offset);
  return {in_file.value_or(value.where), expression::caret_lines(value.text, error.offset)};
}

std::shared_ptr<const Constants> read_constants(const Value& table, std::shared_ptr<const Constants> outer,
                                                ProblemList& problems) {
  auto constants = std::make_shared<Constants>(std::move(outer));
  std::vector<const Entry*> open;
  for (const Entry& entry : table.entries) {
    if (!is_name(entry.key) || is_taken(entry.key)) {
      problems.error(entry.where, fmt::format("A constant cannot be called '{}'.", entry.key),
                     is_taken(entry.key) ? "Formulas have a meaning for this name: take another one."
                                         : "Use letters, digits and '_'.");
    } else if (!entry.value.is_number() && entry.value.kind != Value::Kind::text) {
      problems.error(
          entry.value.where,
          fmt::format("'{}' in [constants] must be a number, but is {}.", entry.key, entry.value.describe()),
          "Write it as in: mass = 2.0, or weight = \"9.81*mass\"");
    } else {
      open.push_back(&entry);
    }
  }
  // In any order: what needs one that is not known yet waits for the next round.
  bool progress = true;
  while (progress) {
    progress = false;
    std::erase_if(open, [&](const Entry* entry) {
      Value value = entry->value;
      value.constants = constants;
      const auto number = number_of(value);
      if (const auto* found = std::get_if<Number>(&number)) {
        constants->set(entry->key, *found);
        progress = true;
        return true;
      }
      return false;
    });
  }
  for (const Entry* entry : open) {
    Value value = entry->value;
    value.constants = constants;
    report(std::get<FormulaError>(number_of(value)), *entry, problems);
  }
  return constants;
}

}  // namespace ergon

#include "ergon/core/expression/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numbers>

#include "ergon/core/problem.hpp"

namespace ergon::expression {
namespace {

constexpr int max_depth = 200;

/// What a function asks of the unit of its arguments, and what its own is.
enum class UnitRule {
  plain,  ///< dimensionless arguments, dimensionless result
  same,   ///< that of its arguments, all alike
  ratio,  ///< arguments alike, dimensionless result
  root,   ///< half the exponents
  any,    ///< any argument, result a number
};
struct Function {
  Operation operation;
  int arguments;
  UnitRule rule;
};

const std::map<std::string, Function, std::less<>>& functions() {
  using Op = Operation;
  static const std::map<std::string, Function, std::less<>> all = {
      {"sin", {Op::sine, 1, UnitRule::plain}},
      {"cos", {Op::cosine, 1, UnitRule::plain}},
      {"tan", {Op::tangent, 1, UnitRule::plain}},
      {"asin", {Op::arc_sine, 1, UnitRule::plain}},
      {"acos", {Op::arc_cosine, 1, UnitRule::plain}},
      {"atan", {Op::arc_tangent, 1, UnitRule::plain}},
      {"atan2", {Op::arc_tangent2, 2, UnitRule::ratio}},
      {"sinh", {Op::hyperbolic_sine, 1, UnitRule::plain}},
      {"cosh", {Op::hyperbolic_cosine, 1, UnitRule::plain}},
      {"tanh", {Op::hyperbolic_tangent, 1, UnitRule::plain}},
      {"sqrt", {Op::square_root, 1, UnitRule::root}},
      {"exp", {Op::exponential, 1, UnitRule::plain}},
      {"log", {Op::logarithm, 1, UnitRule::plain}},
      {"log10", {Op::logarithm10, 1, UnitRule::plain}},
      {"min", {Op::minimum, 2, UnitRule::same}},
      {"max", {Op::maximum, 2, UnitRule::same}},
      {"abs", {Op::absolute, 1, UnitRule::same}},
      {"sign", {Op::sign, 1, UnitRule::any}},
      {"floor", {Op::floor, 1, UnitRule::plain}},
      {"mod", {Op::floor, 2, UnitRule::same}},  // a - b*floor(a/b)
  };
  return all;
}

std::vector<std::string> known_words() {
  std::vector<std::string> words = {"if", "and", "or", "not", "time", "pi", "e", "der"};
  for (const auto& [name, function] : functions()) words.push_back(name);
  return words;
}

}  // namespace

bool is_reserved(const std::string& name) {
  static const std::vector<std::string> words = known_words();
  return std::find(words.begin(), words.end(), name) != words.end();
}

Parser::Depth::Depth(int& depth, std::size_t offset) : depth_(depth) {
  if (depth_ >= max_depth) throw FormulaError{offset, "This is nested too deeply."};
  ++depth_;
}

bool Parser::take_if(std::string_view sign) {
  if (!token().is(sign)) return false;
  take();
  return true;
}

void Parser::expect(std::string_view sign, const char* purpose) {
  if (take_if(sign)) return;
  throw FormulaError{token().offset,
                     fmt::format("'{}' is missing {}, before {}.", sign, purpose, token().described())};
}

void Parser::need_number(const Formula& formula, std::size_t offset) const {
  if (formula.is_condition)
    throw FormulaError{offset, "This is a condition, where a number is needed: use if(condition, a, b)."};
}
void Parser::need_condition(const Formula& formula, std::size_t offset) const {
  if (!formula.is_condition)
    throw FormulaError{offset, "This is a number, where a condition such as a < b is needed."};
}
void Parser::need_same(const Formula& a, const Formula& b, std::size_t offset, const char* done) const {
  if (a.dimension.fits(b.dimension)) return;
  throw FormulaError{offset, fmt::format("{} and {} are {}: their units differ.", a.dimension.text(),
                                         b.dimension.text(), done)};
}

Formula Parser::number() {
  const std::size_t offset = token().offset;
  const Formula formula = disjunction();
  need_number(formula, offset);
  return formula;
}

Formula Parser::disjunction() {
  const Depth depth(depth_, token().offset);
  const std::size_t offset = token().offset;
  Formula left = conjunction();
  while (token().kind == Token::Kind::name && token().text == "or") {
    need_condition(left, offset);
    take();
    const std::size_t place = token().offset;
    const Formula right = conjunction();
    need_condition(right, place);
    left = two_conditions(Operation::either, left, right);
  }
  return left;
}

Formula Parser::conjunction() {
  const std::size_t offset = token().offset;
  Formula left = negation();
  while (token().kind == Token::Kind::name && token().text == "and") {
    need_condition(left, offset);
    take();
    const std::size_t place = token().offset;
    const Formula right = negation();
    need_condition(right, place);
    left = two_conditions(Operation::both, left, right);
  }
  return left;
}

Formula Parser::negation() {
  if (token().kind != Token::Kind::name || token().text != "not") return comparison();
  const Depth depth(depth_, token().offset);
  take();
  const std::size_t offset = token().offset;
  const Formula inner = negation();
  need_condition(inner, offset);
  return {graph_.make(Operation::negation, inner.term), Dimension::none(), true};
}

Formula Parser::comparison() {
  static const std::map<std::string, std::pair<Operation, bool>> comparisons = {
      {"<", {Operation::less, false}},   {"<=", {Operation::less_or_equal, false}},
      {">", {Operation::less, true}},    {">=", {Operation::less_or_equal, true}},
      {"==", {Operation::equal, false}}, {"!=", {Operation::not_equal, false}}};
  const std::size_t offset = token().offset;
  const Formula left = sum();
  const auto found = token().kind == Token::Kind::sign ? comparisons.find(token().text) : comparisons.end();
  if (found == comparisons.end()) return left;
  need_number(left, offset);
  const std::size_t place = take().offset;
  const std::size_t right_offset = token().offset;
  const Formula right = sum();
  need_number(right, right_offset);
  need_same(left, right, place, "compared");
  if (token().kind == Token::Kind::sign && comparisons.contains(token().text))
    throw FormulaError{token().offset, "Comparisons do not form a chain: write a < b and b < c."};
  const auto& [operation, swapped] = found->second;
  return swapped ? two_conditions(operation, right, left) : two_conditions(operation, left, right);
}

Formula Parser::sum() {
  std::size_t offset = token().offset;
  Formula left = product();
  while (token().is("+") || token().is("-")) {
    need_number(left, offset);
    const Token sign = take();
    offset = token().offset;
    const Formula right = product();
    need_number(right, offset);
    const bool plus = sign.text == "+";
    need_same(left, right, sign.offset, plus ? "added" : "subtracted");
    left = {graph_.make(plus ? Operation::add : Operation::subtract, left.term, right.term),
            joined(left.dimension, right.dimension)};
  }
  return left;
}

Formula Parser::product() {
  std::size_t offset = token().offset;
  Formula left = unary();
  while (token().is("*") || token().is("/")) {
    need_number(left, offset);
    const bool times = take().text == "*";
    offset = token().offset;
    const Formula right = unary();
    need_number(right, offset);
    left = {graph_.make(times ? Operation::multiply : Operation::divide, left.term, right.term),
            times ? multiplied(left.dimension, right.dimension) : divided(left.dimension, right.dimension)};
  }
  return left;
}

Formula Parser::unary() {
  if (!token().is("-") && !token().is("+")) return power();
  const Depth depth(depth_, token().offset);
  const bool minus = take().text == "-";
  const std::size_t offset = token().offset;
  Formula inner = unary();
  need_number(inner, offset);
  if (minus) inner.term = graph_.make(Operation::negate, inner.term);
  return inner;
}

Formula Parser::power() {
  const std::size_t offset = token().offset;
  const Formula base = primary();
  if (!token().is("^")) return base;
  need_number(base, offset);
  const Depth depth(depth_, token().offset);
  take();
  const std::size_t place = token().offset;
  const Formula exponent = unary();
  need_number(exponent, place);
  if (exponent.dimension.is_known() && !exponent.dimension.is_dimensionless())
    throw FormulaError{place,
                       fmt::format("An exponent has no unit, but this has {}.", exponent.dimension.text())};
  Formula result{graph_.make(Operation::power, base.term, exponent.term), base.dimension};
  if (!base.dimension.is_known()) return result;
  if (graph_.is_constant(exponent.term)) {
    result.dimension = raised(base.dimension, graph_.node(exponent.term).value);
  } else if (!base.dimension.is_dimensionless()) {
    throw FormulaError{place, fmt::format("A power of what has the unit {} needs a number as exponent.",
                                          base.dimension.text())};
  }
  return result;
}

std::string Parser::derivative_name() {
  const Depth depth(depth_, token().offset);
  const Token name = take();
  if (name.kind != Token::Kind::name)
    throw FormulaError{name.offset, fmt::format("A name is needed here, not {}.", name.described())};
  if (name.text != "der") return name.text;
  expect("(", "after 'der'");
  const std::string inner = derivative_name();
  expect(")", "after the name in 'der('");
  return inner + "'";
}

Formula Parser::primary() {
  const Token now = token();
  if (now.kind == Token::Kind::number) {
    take();
    return {graph_.constant(now.number), Dimension::number()};
  }
  if (now.is("(")) {
    const Depth depth(depth_, now.offset);
    take();
    const Formula inner = disjunction();
    expect(")", "for the '(' before");
    return inner;
  }
  if (now.kind != Token::Kind::name || now.text == "and" || now.text == "or" || now.text == "not") {
    throw FormulaError{now.offset,
                       fmt::format("A number, a name or '(' is needed here, not {}.", now.described())};
  }
  if (now.text == "der") {
    Token derived = now;
    derived.text = derivative_name();
    return named(derived);
  }
  take();
  return token().is("(") ? call(now) : named(now);
}

Formula Parser::call(const Token& name) {
  const Depth depth(depth_, name.offset);
  const auto found = functions().find(name.text);
  if (found == functions().end() && name.text != "if") {
    std::vector<std::string> names = {"if"};
    for (const auto& [one, function] : functions()) names.push_back(one);
    throw FormulaError{
        name.offset, fmt::format("There is no function '{}'. {}", name.text, did_you_mean(name.text, names))};
  }
  take();
  std::vector<Formula> arguments;
  std::vector<std::size_t> offsets;
  if (!token().is(")")) {
    do {
      offsets.push_back(token().offset);
      arguments.push_back(disjunction());
    } while (take_if(","));
  }
  const std::size_t end = token().offset;
  expect(")", "after the arguments of a function");
  const auto need_count = [&](std::size_t count) {
    if (arguments.size() == count) return;
    throw FormulaError{arguments.size() > count ? offsets[count] : end,
                       fmt::format("'{}' takes {} argument{}, but has {}.", name.text, count,
                                   count == 1 ? "" : "s", arguments.size())};
  };
  if (name.text == "if") {
    need_count(3);
    need_condition(arguments[0], offsets[0]);
    need_number(arguments[1], offsets[1]);
    need_number(arguments[2], offsets[2]);
    need_same(arguments[1], arguments[2], offsets[2], "alternatives");
    return {graph_.make(Operation::choose, arguments[0].term, arguments[1].term, arguments[2].term),
            joined(arguments[1].dimension, arguments[2].dimension)};
  }
  const Function& function = found->second;
  need_count(static_cast<std::size_t>(function.arguments));
  for (std::size_t i = 0; i < arguments.size(); ++i) need_number(arguments[i], offsets[i]);
  Formula result;
  if (name.text == "mod") {
    const Term a = arguments[0].term, b = arguments[1].term;
    const Term whole = graph_.make(Operation::floor, graph_.make(Operation::divide, a, b));
    result.term = graph_.make(Operation::subtract, a, graph_.make(Operation::multiply, b, whole));
  } else {
    result.term =
        graph_.make(function.operation, arguments[0].term, arguments.size() > 1 ? arguments[1].term : 0);
  }
  const Dimension& first = arguments[0].dimension;
  switch (function.rule) {
    case UnitRule::plain:
      if (first.is_known() && !first.is_dimensionless())
        throw FormulaError{offsets[0],
                           fmt::format("'{}' is taken of what has the unit {}.", name.text, first.text())};
      result.dimension = Dimension::none();
      break;
    case UnitRule::same:
    case UnitRule::ratio:
      if (arguments.size() > 1) need_same(arguments[0], arguments[1], offsets[1], "arguments");
      result.dimension = arguments.size() > 1 ? joined(first, arguments[1].dimension) : first;
      if (function.rule == UnitRule::ratio) result.dimension = Dimension::none();
      break;
    case UnitRule::root:
      result.dimension = raised(first, 0.5);
      break;
    case UnitRule::any:
      result.dimension = Dimension::number();
      break;
  }
  return result;
}

Formula Parser::named(const Token& name) {
  if (name.text == "pi") return {graph_.constant(std::numbers::pi), Dimension::number()};
  if (name.text == "e") return {graph_.constant(std::numbers::e), Dimension::number()};
  if (names_.find) {
    if (const auto found = names_.find(name.text)) return *found;
  }
  if (functions().contains(name.text) || name.text == "if")
    throw FormulaError{name.offset, fmt::format("'{}' is a function: '(' is missing.", name.text)};
  if (name.text == "time") throw FormulaError{name.offset, "There is no 'time' here."};
  std::vector<std::string> names = {"pi"};
  if (names_.all) names = names_.all();
  throw FormulaError{name.offset,
                     fmt::format("'{}' is not defined. {}", name.text, did_you_mean(name.text, names))};
}

std::variant<double, FormulaError> evaluate_text(std::string_view text, const NamedValues& values) {
  try {
    TermGraph graph;
    Names names;
    names.find = [&](const std::string& name) -> std::optional<Formula> {
      const auto value = values ? values(name) : std::nullopt;
      if (!value) return std::nullopt;
      return Formula{graph.constant(*value), Dimension{}};
    };
    Parser parser(tokens_of(text), graph, names);
    const Formula formula = parser.number();
    if (parser.token().kind != Token::Kind::end) {
      return FormulaError{parser.token().offset,
                          fmt::format("The formula should end before {}.", parser.token().described())};
    }
    return graph.node(formula.term).value;  // of constants alone, so carried out while it was read
  } catch (const FormulaError& error) {
    return error;
  }
}

}  // namespace ergon::expression

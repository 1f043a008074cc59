#include "ergon/models/equations/equation_statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ergon/core/literal_place.hpp"
#include "ergon/models/equations/equation_text.hpp"

namespace ergon {

using expression::FormulaError;
using expression::Operation;
using expression::Parser;
using expression::Term;
using expression::Token;

namespace equation_text {

bool is_keyword(const std::string& word) {
  static const std::set<std::string> all = {"input", "parameter", "state", "output", "energy", "power"};
  return all.contains(word);
}

/// Ports of scenarios are named so.
void check_name(const Token& token, bool primes) {
  if (token.kind != Token::Kind::name)
    throw FormulaError{token.offset, fmt::format("A name is needed here, not {}.", token.described())};
  const std::string plain = token.text.substr(0, token.text.find('\''));
  if (!primes && plain != token.text)
    throw FormulaError{token.offset, "Only states and their equations have primes."};
  if (expression::is_reserved(plain))
    throw FormulaError{token.offset, fmt::format("'{}' is the name of something else already.", plain)};
}

Unit read_unit(Parser& parser) {
  if (parser.token().kind != Token::Kind::unit) return {};
  const Token token = parser.take();
  const auto unit = Unit::parse(token.text);
  if (!unit)
    throw FormulaError{token.offset,
                       fmt::format("'{}' is not a unit. Write it as in [N*m] or [m/s^2].", token.text)};
  return *unit;
}

void skip_statement(Parser& parser) {
  while (!parser.token().ends_statement()) parser.take();
}

void end_statement(Parser& parser) {
  if (!parser.token().ends_statement())
    throw FormulaError{parser.token().offset,
                       fmt::format("The line should end here, before {}.", parser.token().described())};
  parser.take();
}

double to_SI(double value, const Unit& unit) {
  return value * unit.factor + unit.offset;
}

std::string state_key(const std::string& name) {
  std::string before;
  std::string after;
  std::size_t size = name.size();
  for (; size > 0 && name[size - 1] == '\''; --size) {
    before += "der(";
    after += ")";
  }
  return before + name.substr(0, size) + after;
}

Term solve_linear(expression::TermGraph& graph, const Term (&sides)[2], std::uint32_t symbol,
                  std::size_t offset) {
  const auto& [left, right] = sides;
  const auto has = [&](Term term) { return graph.depends_on(term, symbol); };
  if (!has(right)) {
    const auto node = graph.node(left);
    if (node.operation == Operation::symbol) return right;
    if (node.operation == Operation::multiply) {
      const auto [a, b, c] = node.operands;
      if (graph.is_symbol(b) && !has(a)) return graph.make(Operation::divide, right, a);
      if (graph.is_symbol(a) && !has(b)) return graph.make(Operation::divide, right, b);
    }
  }
  const Term residual = graph.make(Operation::subtract, left, right);
  const Term slope = graph.derivative(residual, symbol);
  if (has(slope))
    throw FormulaError{offset, "This equation is not linear in its derivative: solve it for that."};
  const Term rest = graph.substitute(residual, symbol, graph.constant(0.0));
  return graph.make(Operation::divide, graph.make(Operation::negate, rest), slope);
}

}  // namespace equation_text

using equation_text::check_name;
using equation_text::read_unit;

void report_formula(const FormulaError& error, const std::string& text, const std::string& owner,
                    const std::string& key, const SourceLocation& where, ProblemList& problems) {
  const std::string remedy =
      "The grammar is on docs/expressions.md." + expression::caret_lines(text, error.offset);
  if (auto in_file = place_in_literal(where, text, error.offset))
    return problems.error(std::move(*in_file), fmt::format("'{}': {}", owner, error.what), remedy);
  const auto place = expression::place_in(text, error.offset);
  problems.error(
      where,
      fmt::format("'{}': line {}, column {} of '{}': {}", owner, place.line, place.column, key, error.what),
      remedy);
}

std::vector<Port> read_port_names(const std::string& text, const std::string& description) {
  expression::TermGraph graph;
  Parser at(expression::tokens_of(text), graph, {});
  std::vector<Port> ports;
  do {
    const Token name = at.token();
    check_name(name, false);
    at.take();
    if (std::any_of(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name.text; }))
      throw FormulaError{name.offset, fmt::format("'{}' is there twice.", name.text)};
    const Unit unit = read_unit(at);
    ports.push_back({name.text, unit, 1, description});
  } while (at.take_if(","));
  if (at.token().kind != Token::Kind::end)
    throw FormulaError{at.token().offset,
                       fmt::format("A ',' is needed here, not {}.", at.token().described())};
  return ports;
}

}  // namespace ergon

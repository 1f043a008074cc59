#include "ergon/models/equations/matrix_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ergon/core/expression/parser.hpp"
#include "ergon/models/equations/equation_text.hpp"

namespace ergon {
namespace {

using expression::Formula;
using expression::FormulaError;
using expression::Parser;
using expression::TermGraph;
using expression::Token;

constexpr const char* constants_key = "constants";

expression::Names names_from(const std::map<std::string, double>& values, TermGraph& graph) {
  expression::Names names;
  names.find = [&](const std::string& name) -> std::optional<Formula> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return Formula{graph.constant(found->second), {}};
  };
  names.all = [&] {
    std::vector<std::string> all = {"pi"};
    for (const auto& [name, value] : values) all.push_back(name);
    return all;
  };
  return names;
}

/// A formula of constants.
double read_number(Parser& parser, const TermGraph& graph) {
  const std::size_t offset = parser.token().offset;
  const double value = graph.node(parser.number().term).value;
  if (!std::isfinite(value)) throw FormulaError{offset, "This value is not finite."};
  return value;
}

MatrixValues parse_matrix(const std::string& text, const std::map<std::string, double>& constants) {
  TermGraph graph;
  Parser parser(expression::tokens_of(text), graph, names_from(constants, graph));
  MatrixValues matrix;
  while (true) {
    while (parser.token().kind == Token::Kind::separator) parser.take();
    if (parser.token().kind == Token::Kind::end) return matrix;
    const std::size_t offset = parser.token().offset;
    std::size_t columns = 0;
    do {
      matrix.values.push_back(read_number(parser, graph));
      ++columns;
    } while (parser.take_if(","));
    if (!parser.token().ends_statement())
      throw FormulaError{
          parser.token().offset,
          fmt::format("A ',' or the end of the row is needed here, not {}.", parser.token().described())};
    if (matrix.rows > 0 && columns != matrix.columns)
      throw FormulaError{
          offset, fmt::format("This row has {} entries, those above have {}.", columns, matrix.columns)};
    matrix.columns = columns;
    ++matrix.rows;
  }
}

}  // namespace

std::vector<std::pair<std::string, double>> read_constants(const std::string& text) {
  TermGraph graph;
  std::map<std::string, double> known;
  std::vector<std::pair<std::string, double>> constants;
  Parser parser(expression::tokens_of(text), graph, names_from(known, graph));
  while (true) {
    while (parser.token().kind == Token::Kind::separator || parser.token().is(",")) parser.take();
    if (parser.token().kind == Token::Kind::end) return constants;
    const Token name = parser.take();
    if (name.kind != Token::Kind::name || name.text.ends_with('\'') || expression::is_reserved(name.text))
      throw FormulaError{name.offset, fmt::format("A new name is needed here, not {}.", name.described())};
    parser.expect("=", "after the name");
    const double value = read_number(parser, graph);
    if (!known.emplace(name.text, value).second)
      throw FormulaError{name.offset, fmt::format("'{}' is there twice.", name.text)};
    constants.emplace_back(name.text, value);
    if (!parser.token().ends_statement() && !parser.token().is(","))
      throw FormulaError{parser.token().offset,
                         fmt::format("A ',' is needed here, not {}.", parser.token().described())};
  }
}

ParameterInfo constants_parameter() {
  return {constants_key, "", "", "named numbers for the matrices, as in \"m = 2, k = 10\""};
}

void extend_by_constants(const GivenParameters& given, ModelInfo& info) {
  const auto found = given.find(constants_key);
  const auto* text = found == given.end() ? nullptr : std::get_if<std::string>(&found->second.value);
  if (text == nullptr) return;
  try {
    for (const auto& [name, value] : read_constants(*text)) {
      const auto same = [&, wanted = name](const ParameterInfo& one) { return one.name == wanted; };
      if (std::none_of(info.parameters.begin(), info.parameters.end(), same))
        info.parameters.push_back({name, "", value, "constant of the matrices"});
    }
  } catch (const FormulaError&) {
    return;  // reported where the model is made
  }
}

std::optional<std::map<std::string, double>> constants_of(const ModelRequest& request,
                                                          ProblemList& problems) {
  const std::string& text = request.parameters.text(constants_key);
  std::map<std::string, double> values;
  try {
    for (const auto& [name, value] : read_constants(text)) {
      const auto given = request.parameters.values().find(name);
      const double* other =
          given == request.parameters.values().end() ? nullptr : std::get_if<double>(&given->second);
      if (given != request.parameters.values().end() && other == nullptr)
        throw FormulaError{0,
                           fmt::format("'{}' is a parameter of the model already: take another name.", name)};
      values[name] = other == nullptr ? value : *other;
    }
  } catch (const FormulaError& error) {
    report_formula(error, text, request.name, constants_key,
                   request.parameters.where(constants_key, request.where), problems);
    return std::nullopt;
  }
  return values;
}

std::optional<MatrixValues> matrix_of(const ModelRequest& request, const std::string& key,
                                      const std::map<std::string, double>& constants, ProblemList& problems) {
  std::string text = request.parameters.text(key);
  SourceLocation where = request.parameters.where(key, request.where);
  if (text.ends_with(".csv")) {
    const std::filesystem::path path = std::filesystem::path(request.base_directory) / text;
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) {
      problems.error(where, fmt::format("'{}': the matrix file '{}' cannot be read.", request.name, text),
                     "Check its name; it starts at the folder of the scenario.");
      return std::nullopt;
    }
    where = {path.string(), 0, 0};
    text = content.str();
  }
  try {
    return parse_matrix(text, constants);
  } catch (const FormulaError& error) {
    if (where.line == 0 && where.file.ends_with(".csv")) {
      const auto place = expression::place_in(text, error.offset);
      where.line = place.line;
      where.column = place.column;
    }
    report_formula(error, text, request.name, key, where, problems);
    return std::nullopt;
  }
}

}  // namespace ergon

#pragma once

#include <string>

#include "ergon/core/expression/parser.hpp"
#include "ergon/core/unit.hpp"

/// What statements of the equation language are made of (docs/equations.md). All throw expression::FormulaError.
namespace ergon::equation_text {

/// A word that begins a declaration, where a name follows it.
bool is_keyword(const std::string& word);
/// That a token is a name that may be declared; `primes`: also one of a derivative.
void check_name(const expression::Token& token, bool primes);
/// A unit in brackets, where there is one.
Unit read_unit(expression::Parser& parser);
void skip_statement(expression::Parser& parser);
void end_statement(expression::Parser& parser);
double to_SI(double value, const Unit& unit);
/// How a state is known outside of its text: x' is der(x), as primes in keys of scenarios need care.
std::string state_key(const std::string& name);
/// left = right for the symbol, in which both are linear. What is written as x' = … or m*x' = … is computed as written. `offset`:
/// where the equation is.
expression::Term solve_linear(expression::TermGraph& graph, const expression::Term (&sides)[2],
                              std::uint32_t symbol, std::size_t offset);

}  // namespace ergon::equation_text

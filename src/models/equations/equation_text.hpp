#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/expression/tokens.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/unit.hpp"
#include "ergon/models/equations/equation_system.hpp"

namespace ergon {

/// A parameter or the start value of a state that a text declares, in the unit that it names. The state x' is named der(x).
struct DeclaredValue {
  std::string name;
  Unit unit;
  double value = 0.0;
};
struct EquationDeclarations {
  std::vector<DeclaredValue> parameters;
  std::vector<DeclaredValue> states;
};

/// Values other than those of the text, by name, in the units of the text.
struct EquationValues {
  std::map<std::string, double> parameters;
  std::map<std::string, double> states;
};

/// Reads the declarations of a text alone (docs/equations.md). Throws expression::FormulaError.
EquationDeclarations read_equation_declarations(const std::string& text);
/// Reads a text of equations. Throws expression::FormulaError.
EquationSystem read_equations(const std::string& text, const EquationValues& values);

/// Reads formulas without states. Throws expression::FormulaError.
EquationSystem read_formulas(const std::string& text);

/// Reports a mistake in the text that is parameter `key` of `owner`, with line, column and a caret.
void report_formula(const expression::FormulaError& error, const std::string& text, const std::string& owner,
                    const std::string& key, const SourceLocation& where, ProblemList& problems);

/// Names with units, as "force [N], torque [N*m]": scalar ports. Throws expression::FormulaError.
std::vector<Port> read_port_names(const std::string& text, const std::string& description);

}  // namespace ergon

#include "ergon/models/equations/expression_element.hpp"

#include <algorithm>

#include "ergon/models/equations/compiled_equations.hpp"
#include "ergon/models/equations/equation_text.hpp"

namespace ergon {
namespace {

constexpr const char* formulas_key = "formulas";
constexpr const char* default_formulas = "input a, b\noutput out = a*b\n";

class ExpressionElement final : public Element, public Differentiable {
 public:
  explicit ExpressionElement(EquationSystem system)
      : c_(std::move(system)),
        outputs_(c_.output_terms.make_frame()),
        jacobian_(c_.feedthrough.make_frame()) {
    c_.description.algebraic = true;
  }
  [[nodiscard]] Description describe() const override { return c_.description; }
  void evaluate(const double* u, double* y) const override {
    std::copy_n(u, c_.inputs, outputs_.begin());
    c_.output_terms.run(outputs_.data());
    c_.output_terms.results(outputs_.data(), y);
  }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double /*t*/, const double* u, double* jacobian) const override {
    std::fill_n(jacobian, c_.outputs * c_.inputs, 0.0);
    std::copy_n(u, c_.inputs, jacobian_.begin());
    c_.feedthrough.run(jacobian_.data());
    for (std::size_t k = 0; k < c_.feedthrough_entries.size(); ++k) {
      const auto& [row, column] = c_.feedthrough_entries[k];
      jacobian[row * c_.inputs + column] = c_.feedthrough.result(jacobian_.data(), k);
    }
  }

 private:
  CompiledEquations c_;
  mutable std::vector<double> outputs_, jacobian_;  // scratch of evaluations
};

}  // namespace

ElementInfo expression_element() {
  ElementInfo info;
  info.name = "expression";
  info.summary = "outputs as formulas of inputs";
  info.parameters = {
      {formulas_key, "", default_formulas, "lines: input, parameter, output (docs/equations.md)"}};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    const std::string& text = given.text(formulas_key);
    try {
      EquationSystem system = read_formulas(text);
      return std::make_unique<ExpressionElement>(std::move(system));
    } catch (const expression::FormulaError& error) {
      report_formula(error, text, "expression", formulas_key, given.where(formulas_key, {}), problems);
      return nullptr;
    }
  };
  info.examples = {{"polar",
                    {{formulas_key,
                      {"input x [m], y [m]\nparameter scale = 2\nr = sqrt(x^2 + y^2)\noutput radius [mm] = "
                       "r, angle [deg] = atan2(y, x), ramp = "
                       "scale*max(x, 0)",
                       {}}}}}};
  return info;
}

}  // namespace ergon

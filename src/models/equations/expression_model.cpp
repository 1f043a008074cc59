#include "ergon/models/equations/expression_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/models/equations/equation_model.hpp"
#include "ergon/models/equations/equation_text.hpp"

namespace ergon {
namespace {

constexpr const char* text_key = "equations";

constexpr const char* oscillator_text = R"(input force [N]
parameter m [kg] = 1, c [N*s/m] = 0, k [N/m] = 0
state x [m] = 0, x' = 0
m*x'' = force - c*x' - k*x
output position [m] = x, velocity [m/s] = x'
energy stored = m*x'^2/2 + k*x^2/2
energy kinetic = m*x'^2/2
power dissipated = c*x'^2
power force = force*x'
)";

/// A far end that moves, a source inside, units other than SI, the time.
constexpr const char* driven_text = R"(input far [mm], far_velocity [mm/s]
parameter m [kg] = 2, k [N/mm] = 0.05, c [N*s/m] = 0.4
parameter drive [N] = 0.3, omega [rad/s] = 3
state x [mm] = 20, v [m/s] = 0.1
stretch = x - far
pull = k*stretch + c*(v - far_velocity)
push = drive*cos(omega*time)
x' = v
m*v' = push - pull - k*x
output position [m] = x, velocity = v, force [N] = pull
energy stored = m*v^2/2 + k*stretch^2/2 + k*x^2/2
energy kinetic = m*v^2/2
power dissipated = c*(v - far_velocity)^2 + max(-push*v, 0)
power supplied = max(push*v, 0)
power far_velocity = -c*(v - far_velocity)*far_velocity
)";

constexpr const char* first_order_text = R"(input inflow
parameter tau [s] = 0.5
state level = 0.3
tau*level' = inflow - level*abs(level)
output level, rate = level'
)";

ParameterInfo declared_parameter(const DeclaredValue& value, const char* help) {
  return {value.name, value.unit.text, value.value, help};
}

void extend(const GivenParameters& given, ModelInfo& info) {
  const auto text = given.find(text_key);
  const auto* equations = text == given.end() ? nullptr : std::get_if<std::string>(&text->second.value);
  try {
    const auto declared = read_equation_declarations(equations == nullptr ? oscillator_text : *equations);
    for (const DeclaredValue& value : declared.parameters)
      if (value.name != text_key)
        info.parameters.push_back(declared_parameter(value, "parameter of the equations"));
    for (const DeclaredValue& value : declared.states)
      info.initial.push_back(declared_parameter(value, "state at the start"));
  } catch (const expression::FormulaError&) {
    return;  // reported where the model is made
  }
}

std::unique_ptr<Subsystem> make_expression(const ModelRequest& request, ProblemList& problems) {
  const std::string& text = request.parameters.text(text_key);
  EquationValues values;
  for (const auto& [name, value] : request.parameters.values())
    if (const double* number = std::get_if<double>(&value)) values.parameters[name] = *number;
  for (const auto& [name, value] : request.initial.values())
    if (const double* number = std::get_if<double>(&value)) values.states[name] = *number;
  try {
    return make_equations(read_equations(text, values), request, problems);
  } catch (const expression::FormulaError& error) {
    report_formula(error, text, request.name, text_key, request.parameters.where(text_key, request.where),
                   problems);
    return nullptr;
  }
}

}  // namespace

ModelInfo expression_model() {
  ModelInfo info;
  info.name = "equations.expression";
  info.summary = "a model of your own, as formulas of its states, inputs and parameters";
  info.parameters = {{text_key, "", std::string(oscillator_text),
                      "lines: input, parameter, state, equations such as m*x'' = force - k*x, output, energy "
                      "(docs/equations.md)"}};
  info.extend = extend;
  info.make = make_expression;
  info.examples = {{"driven", {{text_key, {driven_text, {}}}}},
                   {"swinging",
                    {{text_key, {std::string(oscillator_text), {}}}, {"k", {40.0, {}}}, {"c", {0.5, {}}}},
                    {{"x", {0.2, {}}}, {"der(x)", {-1.0, {}}}}},
                   {"level", {{text_key, {first_order_text, {}}}}}};
  return info;
}

}  // namespace ergon

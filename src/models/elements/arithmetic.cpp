#include "ergon/models/elements/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {

Description Gain::describe() const {
  Description description;
  description.inputs = {{"in", {}, 1, "any signal"}};
  description.outputs = {{"out", {}, 1, "gain * in + offset"}};
  description.feedthrough = {{0, 0}};
  description.algebraic = true;
  return description;
}

Description Sum::describe() const {
  Description description;
  for (std::size_t i = 0; i < inputs_; ++i) {
    description.inputs.push_back({fmt::format("in{}", i + 1), {}, 1, "any signal"});
    description.feedthrough.push_back({0, i});
  }
  description.outputs = {{"out", {}, 1, "sum of the inputs"}};
  description.algebraic = true;
  return description;
}

void Sum::evaluate(const double* u, double* y) const {
  double sum = u[0];
  for (std::size_t i = 1; i < inputs_; ++i) sum += u[i];
  y[0] = sum;
}

void Sum::output_jacobian(double /*t*/, const double* /*u*/, double* jacobian) const {
  std::fill_n(jacobian, inputs_, 1.0);
}

ElementInfo gain_element() {
  ElementInfo info;
  info.name = "gain";
  info.summary = "out = gain * in + offset";
  info.parameters = {{"gain", "", 1.0, "factor"}, {"offset", "", 0.0, "what is added"}};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<Gain>(given.number("gain"), given.number("offset"));
  };
  info.examples = {{"affine", {{"gain", {-2.5, {}}}, {"offset", {0.75, {}}}}}};
  return info;
}

ElementInfo sum_element() {
  ElementInfo info;
  info.name = "sum";
  info.summary = "out = in1 + in2 + ...";
  info.parameters = {{"inputs", "", 2.0, "number of inputs", {}, 1.0}};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    constexpr double max_inputs = 10000.0;
    const double inputs = given.number("inputs");
    if (inputs != std::floor(inputs) || inputs > max_inputs) {
      problems.error({}, fmt::format("A sum has 'inputs' = {}.", inputs),
                     fmt::format("Give a whole number from 1 to {}.", max_inputs));
      return nullptr;
    }
    return std::make_unique<Sum>(static_cast<std::size_t>(inputs));
  };
  info.examples = {{"of five", {{"inputs", {5.0, {}}}}}};
  return info;
}

}  // namespace ergon

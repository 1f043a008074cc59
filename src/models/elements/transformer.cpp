#include "ergon/models/elements/transformer.hpp"

namespace ergon {

Description ModulatedTransformer::describe() const {
  Description description;
  description.inputs = {{"effort", {}, 1, "effort that side a sends"},
                        {"flow", {}, 1, "flow that side b sends"},
                        {"ratio", {}, 1, "flow of a over flow of b, in SI units"}};
  description.outputs = {{"effort_out", {}, 1, "ratio * effort, to side b"},
                         {"flow_out", {}, 1, "ratio * flow, to side a"}};
  description.feedthrough = {{effort_out, effort}, {effort_out, ratio}, {flow_out, flow}, {flow_out, ratio}};
  description.algebraic = true;
  return description;
}

void ModulatedTransformer::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  double* of_effort = jacobian;
  double* of_flow = jacobian + inputs;
  of_effort[effort] = u[ratio];
  of_effort[flow] = 0.0;
  of_effort[ratio] = u[effort];
  of_flow[effort] = 0.0;
  of_flow[flow] = u[ratio];
  of_flow[ratio] = u[flow];
}

ElementInfo transformer_element() {
  ElementInfo info;
  info.name = "transformer";
  info.summary = "effort_out = ratio * effort, flow_out = ratio * flow: a gear whose ratio is a signal";
  info.make = [](const ParameterSet& /*given*/, ProblemList& /*problems*/) {
    return std::make_unique<ModulatedTransformer>();
  };
  return info;
}

}  // namespace ergon

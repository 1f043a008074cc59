#include <cmath>

#include "ergon/coupling/plan/coupling_plan.hpp"

namespace ergon {

/// Finds inputs of one subsystem that get an output and its rate from one other subsystem.
void CouplingPlan::pair_rates() {
  if (!layout_.pairs_rates) return;
  const auto single_term = [&](Index input) -> const LinkTerm* {
    const auto& link = system_.links[input];
    return link && link->terms.size() == 1 && !link->terms.front().differentiate ? &link->terms.front()
                                                                                 : nullptr;
  };
  for (const Node& node : system_.nodes) {
    if (node.description->algebraic) continue;
    for (Index v = node.first_input; v < node.first_input + node.input_lanes.reals; ++v) {
      const LinkTerm* rate = single_term(v);
      if (rate == nullptr) continue;
      const SignalName& rate_output = system_.outputs[rate->output];
      const Node& source = system_.nodes[rate_output.node];
      const std::string& of = source.description->outputs[rate_output.port].rate_of;
      if (of.empty()) continue;
      for (Index x = node.first_input; x < node.first_input + node.input_lanes.reals; ++x) {
        const LinkTerm* value = single_term(x);
        if (value == nullptr) continue;
        const SignalName& output = system_.outputs[value->output];
        if (output.node != rate_output.node || output.element != rate_output.element ||
            source.description->outputs[output.port].name != of) {
          continue;
        }
        const Unit& displacement_unit = node.description->inputs[system_.inputs[x].port].unit;
        const Unit& velocity_unit = node.description->inputs[system_.inputs[v].port].unit;
        ExchangeProgram::HermitePair pair{inputs_[x].offset,
                                          inputs_[v].offset,
                                          outputs_[value->output].stage,
                                          outputs_[value->output].offset,
                                          outputs_[rate->output].offset,
                                          value->gain,
                                          value->offset,
                                          rate->gain,
                                          rate->offset,
                                          1.0};
        pair.velocity_to_rate = rate_factor(velocity_unit, displacement_unit);
        // What arrives must still be a value and its rate: gains may have made something else of them.
        const double gain_of_rate =
            value->gain * rate_factor(source.description->outputs[rate_output.port].unit,
                                      source.description->outputs[output.port].unit);
        const double told = pair.velocity_to_rate * rate->gain;
        if (rate->offset != 0.0 || !(std::abs(told - gain_of_rate) <= 1e-12 * std::abs(gain_of_rate)))
          continue;
        is_hermite_[x] = is_hermite_[v] = true;
        stages_[inputs_[x].stage].exchange.add_hermite(pair);
      }
    }
  }
}

}  // namespace ergon

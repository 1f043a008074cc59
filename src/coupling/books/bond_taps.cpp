#include "ergon/coupling/books/bond_taps.hpp"

namespace ergon {

BondTaps::BondTaps(const PowerBond& bond, const CouplingPlan& plan) {
  for (const BondComponent& c : bond.components) {
    efforts_.push_back({plan.output(c.effort_output), bond.scale * c.effort_output_to_SI, true});
    flows_.push_back({plan.output(c.flow_output), c.flow_output_to_SI, !c.flow_differentiated});
    Tap displacement;
    if (c.flow_differentiated) {
      displacement = {plan.output(c.flow_output), c.flow_output_to_SI, true};
    } else if (c.displacement_output) {
      displacement = {plan.output(*c.displacement_output), c.displacement_output_to_SI, true};
    } else {
      displacement.exists = false;
    }
    displacements_.push_back(displacement);
  }
}

double BondTaps::move(const Point& point, double H_s, std::size_t i, double& flow,
                      double& displacement) const {
  const double flow0 = flow;
  const double displacement0 = displacement;
  if (displacements_[i].exists) {
    displacement = sample(point, displacements_[i]);
    if (flows_[i].exists) {
      flow = sample(point, flows_[i]);
    } else {
      flow = H_s > 0.0 ? (displacement - displacement0) / H_s : 0.0;
    }
    return displacement - displacement0;
  }
  flow = sample(point, flows_[i]);
  return 0.5 * (flow0 + flow) * H_s;
}

}  // namespace ergon

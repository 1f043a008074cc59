#include "ergon/coupling/monitors/bond_taps.hpp"

namespace ergon {

BondTaps::BondTaps(const PowerBond& bond, const std::vector<SlotAddress>& outputs) {
  for (const BondComponent& c : bond.components) {
    efforts_.push_back({outputs[c.effort_output], bond.scale * c.effort_output_to_SI, true});
    flows_.push_back({outputs[c.flow_output], c.flow_output_to_SI, !c.flow_differentiated});
    Tap displacement;
    if (c.flow_differentiated) {
      displacement = {outputs[c.flow_output], c.flow_output_to_SI, true};
    } else if (c.displacement_output) {
      displacement = {outputs[*c.displacement_output], c.displacement_output_to_SI, true};
    } else {
      displacement.exists = false;
    }
    displacements_.push_back(displacement);
  }
}

double BondTaps::move(const std::vector<Stage>& stages, Tick k, double H_s, std::size_t i, double& flow,
                      double& displacement) const {
  const double flow0 = flow;
  const double displacement0 = displacement;
  if (displacements_[i].exists) {
    displacement = sample(stages, k, displacements_[i]);
    if (flows_[i].exists) {
      flow = sample(stages, k, flows_[i]);
    } else {
      flow = H_s > 0.0 ? (displacement - displacement0) / H_s : 0.0;
    }
    return displacement - displacement0;
  }
  flow = sample(stages, k, flows_[i]);
  return 0.5 * (flow0 + flow) * H_s;
}

}  // namespace ergon

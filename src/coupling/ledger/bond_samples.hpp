#pragma once

#include "ergon/coupling/plan/bond_table.hpp"
#include "ergon/coupling/state/point.hpp"

namespace ergon {

/// The newest effort of a component in SI units, times the scale of its bond, so that effort × flow is power.
[[nodiscard]] inline double effort_sample(const Point& point, const BondComponentRow& c) {
  return point.sample(c.effort.at) * c.effort_to_power;
}

/// Flow and displacement of a component in SI units, from those of the point `H_s` before, which are replaced. Where only one of
/// them is exchanged, the other is its difference or its mean over the step. Returns the displacement over the step. H_s = 0: the
/// first point.
inline double move_samples(const Point& point, double H_s, const BondComponentRow& c, double& flow,
                           double& displacement) {
  const double flow0 = flow;
  const double displacement0 = displacement;
  const auto sample = [&](const BondNumber& number) { return point.sample(number.at) * number.to_SI; };
  if (!c.has_displacement) {
    flow = sample(c.flow);
    return 0.5 * (flow0 + flow) * H_s;
  }
  displacement = sample(c.displacement);
  if (c.flow_differentiated) {
    flow = H_s > 0.0 ? (displacement - displacement0) / H_s : 0.0;
  } else {
    flow = sample(c.flow);
  }
  return displacement - displacement0;
}

}  // namespace ergon

#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// product: out = in1·in2·…
ElementInfo product_element();
/// saturation: out = in within [lower, upper]
ElementInfo saturation_element();
/// dead-zone: out = 0 between its ends, and the distance to them outside
ElementInfo dead_zone_element();
/// lookup: out by a table in one variable, linear between its points and constant or linear outside
ElementInfo lookup_element();
/// lookup-2d: out by a table in two variables, bilinear between its points and constant outside
ElementInfo lookup_2d_element();

}  // namespace ergon

#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// Laws between reals, integers and booleans: evaluated in the exchange, without a state.
ElementInfo switch_element();   // out = on ? a : b
ElementInfo compare_element();  // out = in >= threshold
ElementInfo round_element();    // out = in as a whole number

}  // namespace ergon

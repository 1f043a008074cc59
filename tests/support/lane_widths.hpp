#pragma once

#include "ergon/numerics/lanes.hpp"

namespace ergon::testing {

/// Does it with the registers that this machine has, and with those that every machine has.
template <class Work>
void for_all_lane_widths(const Work& work) {
  work();
#if defined(__x86_64__)
  const bool as_it_is = lanes::four_at_once;
  lanes::four_at_once = false;
  work();
  lanes::four_at_once = as_it_is;
#endif
}

}  // namespace ergon::testing

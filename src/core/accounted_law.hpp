#pragma once

#include "ergon/core/api.hpp"

namespace ergon {

/// Marks an Element whose `stored_J` and `dissipation_W` account for all power at its ports, so that energy balances may use them
/// where nothing has a displacement to work along (heat, fluids).
class ERGON_API AccountedLaw {
 public:
  virtual ~AccountedLaw() = default;
};

}  // namespace ergon

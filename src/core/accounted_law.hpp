#pragma once

namespace ergon {

/// Marks an Element whose `stored_J` and `dissipation_W` account for all power at its ports, so that energy balances may use them
/// where nothing has a displacement to work along (heat, fluids).
class AccountedLaw {
 public:
  virtual ~AccountedLaw() = default;
};

}  // namespace ergon

#pragma once

#include <optional>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon {

/// The direct gains of every bond at t₀, in every run and check run alike. Nothing of a bond whose effort an element gives or that is
/// observed only, whose sender has inputs that are not reals, where a component lacks a displacement, or where the sender allows no way of
/// probing. Senders go on, bit for bit, as if they had not been asked; one that cannot be set back fails (SubsystemFailure).
/// Trial steps are taken only where nothing else is known of a bond's energy: not where both ends keep accounts, and not in a
/// `sequential` scheme, of which the interface says nothing.
[[nodiscard]] std::vector<std::optional<BondGains>> probe_bonds(const CoupledSystem& system,
                                                                const StepRecord& start, bool sequential);

/// Of one bond at the present point, without trial steps.
[[nodiscard]] std::optional<BondGains> probe_bond(const CoupledSystem& system, Index bond,
                                                  const StepRecord& present);

}  // namespace ergon

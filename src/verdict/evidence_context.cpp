#include <algorithm>

#include "ergon/verdict/evidence.hpp"

namespace ergon {

EvidenceContext::EvidenceContext(const CoupledSystem& frozen_system, VerdictOptions verdict_options)
    : system(frozen_system),
      options(std::move(verdict_options)),
      bonds(system.bonds.size()),
      powers(system.bonds.size()),
      groups(energy_groups(system)) {
  for (std::size_t b = 0; b < options.stale_bonds.size(); ++b) bonds[b].stale = options.stale_bonds[b];
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Index b : groups[g].bonds()) bonds[b].group = g;
  }
}

void EvidenceContext::choose(const StepRecord& first_point) {
  const std::span<const BondRecord> records = first_point.bonds();
  for (Index b = 0; b < bonds.size(); ++b) {
    Bond& bond = bonds[b];
    bond.has_imbalance = records[b].has_imbalance && !options.ignore_accounts;
    // Both ends of a bond that is observed only hold its law: what arrives at one did not leave the other.
    const bool in_both_accounts = system.bonds[b].observed_only && !system.bonds[b].law_booked_once;
    bond.judged_by = is_balanced(groups[bond.group]) ? EnergyEvidence::balance
                     : in_both_accounts              ? EnergyEvidence::none
                     : bond.has_imbalance            ? EnergyEvidence::imbalance
                     : !options.sequential           ? EnergyEvidence::interface
                                                     : EnergyEvidence::none;
  }
}

}  // namespace ergon

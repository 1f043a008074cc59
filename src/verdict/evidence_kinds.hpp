#pragma once

#include "ergon/verdict/evidence.hpp"

namespace ergon {

// One file each, named as the function; limits are in verdict_limits.hpp.
std::unique_ptr<Evidence> bond_power_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> bond_imbalance_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> black_box_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> interface_energy_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> unmonitored_bond_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> correction_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> effort_sampling_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> convergence_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> group_balance_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> source_sampling_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> contact_residual_evidence(EvidenceContext& context);
std::unique_ptr<Evidence> unwatched_input_evidence(EvidenceContext& context);

}  // namespace ergon

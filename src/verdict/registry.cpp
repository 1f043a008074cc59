#include <vector>

#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/register_evidence.hpp"

namespace ergon {
namespace {

std::vector<EvidenceMaker>& all_evidence() {
  static std::vector<EvidenceMaker> all = {
      bond_power_evidence,      // overflow, sudden changes of the residual power
      bond_imbalance_evidence,  // (3) of single bonds
      black_box_evidence,  // one mass and spring per side; before (2), which keeps silent where it judges
      interface_energy_evidence,  // (2), growth
      unmonitored_bond_evidence,  // bonds that nothing judges
      correction_evidence,        // work and limits of corrections
      effort_sampling_evidence,   // samples per period of the efforts
      convergence_evidence,       // residuals of implicit steps
      group_balance_evidence,     // accounts of all subsystems that bonds join
      source_sampling_evidence,   // signals between their samples
      unwatched_input_evidence,   // connections that are not bonds
      contact_residual_evidence,  // solvers inside subsystems
  };
  return all;
}

}  // namespace

std::span<const EvidenceMaker> evidence_registry() {
  return all_evidence();
}

void register_evidence(EvidenceMaker maker) {
  all_evidence().push_back(maker);
}

}  // namespace ergon

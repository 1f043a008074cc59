#pragma once

#include <string>
#include <vector>

#include "ergon/fmi/description/model_description.hpp"

namespace ergon::fmi {

/// A pair of variables that may be an end of a power bond: one goes in, the other comes out, and their units make a power. A
/// proposal, no more: no FMU says which way power is positive.
struct BondProposal {
  std::string effort;
  std::string flow;
  std::string displacement;  ///< empty: none was found
  bool effort_is_input = false;
  std::string why;
};
std::vector<BondProposal> propose_bonds(const ModelDescription& model);

}  // namespace ergon::fmi

#include "ergon/fmi/subsystem/bond_proposals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ergon::fmi {
namespace {

bool is_port(const Variable& v) {
  return is_float(v.type) && (v.causality == Causality::input || v.causality == Causality::output);
}

/// How much two names have in common: the length of the prefix, up to the last dot or underscore.
std::size_t kinship(const std::string& a, const std::string& b) {
  std::size_t common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
  while (common > 0 && a[common - 1] != '.' && a[common - 1] != '_') --common;
  return common;
}

/// Forces, torques, voltages and pressures contain a mass, velocities, currents and volume flows do not.
bool is_effort(const Unit& unit) {
  return unit.exponents[1] > 0;
}

}  // namespace

std::vector<BondProposal> propose_bonds(const ModelDescription& model) {
  struct Candidate {
    const Variable* input;
    const Variable* output;
    std::size_t rank;  ///< higher first
    std::string why;
  };
  std::vector<Candidate> candidates;
  const auto terminal_of = [&](const Variable& v) -> const Terminal* {
    for (const Terminal& terminal : model.terminals) {
      for (const TerminalMember& member : terminal.members) {
        if (member.variable == v.name) return &terminal;
      }
    }
    return nullptr;
  };
  for (const Variable& in : model.variables) {
    if (!is_port(in) || in.causality != Causality::input) continue;
    const Unit unit_in = unit_of(model, in);
    if (unit_in.is_unspecified()) continue;
    for (const Variable& out : model.variables) {
      if (!is_port(out) || out.causality != Causality::output ||
          out.dimensions.size() != in.dimensions.size())
        continue;
      const Unit unit_out = unit_of(model, out);
      if (unit_out.is_unspecified() || !product_is_power(unit_in, unit_out)) continue;
      // A power times a number is a power, too, and no bond.
      if (is_effort(unit_in) == is_effort(unit_out)) continue;
      const Terminal* terminal = terminal_of(in);
      if (terminal != nullptr && terminal == terminal_of(out)) {
        candidates.push_back(
            {&in, &out, 1000, fmt::format("both are members of the terminal '{}'", terminal->name)});
      } else {
        candidates.push_back({&in, &out, kinship(in.name, out.name),
                              fmt::format("{} × {} is a power", unit_in.text, unit_out.text)});
      }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
  std::vector<BondProposal> proposals;
  std::set<const Variable*> taken;
  for (const Candidate& c : candidates) {
    if (taken.contains(c.input) || taken.contains(c.output)) continue;
    taken.insert(c.input);
    taken.insert(c.output);
    BondProposal proposal;
    proposal.effort_is_input = is_effort(unit_of(model, *c.input));
    const Variable& flow = proposal.effort_is_input ? *c.output : *c.input;
    proposal.effort = (proposal.effort_is_input ? *c.input : *c.output).name;
    proposal.flow = flow.name;
    proposal.why = c.why;
    // A displacement goes the way of the flow.
    std::size_t best = 0;
    for (const Variable& v : model.variables) {
      if (!is_port(v) || v.causality != flow.causality || &v == &flow || taken.contains(&v)) continue;
      const Unit unit = unit_of(model, v);
      if (unit.is_unspecified() || !is_rate_of(unit_of(model, flow), unit)) continue;
      const std::size_t rank = 1 + kinship(v.name, flow.name);
      if (rank > best) {
        best = rank;
        proposal.displacement = v.name;
      }
    }
    proposals.push_back(std::move(proposal));
  }
  return proposals;
}

}  // namespace ergon::fmi

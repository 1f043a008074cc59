#include <fmt/format.h>

#include <cmath>

#include "core/freeze.hpp"

namespace ergon {

void Freezer::make_bonds() {
  for (const BondSpec& spec : graph_.bonds_) {
    for (const PowerBond& other : system_->bonds) {
      if (other.name == spec.name) {
        problems_.error(spec.where, fmt::format("Two bonds are called '{}'.", spec.name),
                        "Rename one of them.");
      }
    }
    make_bond(spec);
  }
}

std::optional<std::vector<Freezer::BondPair>> Freezer::pair_ports(const BondSpec& spec,
                                                                  const std::vector<std::string>& a,
                                                                  const std::vector<std::string>& b,
                                                                  const char* kind) {
  if (a.size() != b.size()) {
    problems_.error(
        spec.where,
        fmt::format("Bond '{}': side a lists {} {} ports, side b {}.", spec.name, a.size(), kind, b.size()),
        "List the ports of both ends in the same order.");
    return std::nullopt;
  }
  std::vector<BondPair> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto port_a = resolve(a[i], spec.where);
    const auto port_b = resolve(b[i], spec.where);
    if (!port_a || !port_b) return std::nullopt;
    if (port_a->is_input == port_b->is_input) {
      const char* both = port_a->is_input ? "inputs" : "outputs";
      problems_.error(spec.where,
                      fmt::format("Bond '{}': the {} ports '{}' and '{}' are both {}.", spec.name, kind, a[i],
                                  b[i], both),
                      "One end must give the quantity and the other take it. Two ends that both give their "
                      "motion need a law "
                      "between them ([[element]]); there is then one bond per end.");
      return std::nullopt;
    }
    BondPair pair;
    pair.source_at_a = !port_a->is_input;
    pair.source = pair.source_at_a ? *port_a : *port_b;
    pair.receiver = pair.source_at_a ? *port_b : *port_a;
    if (!check_units(pair.source, pair.receiver, spec.where)) return std::nullopt;
    pairs.push_back(pair);
  }
  return pairs;
}

bool Freezer::check_bond_units(const BondSpec& spec, const PortSlice& effort, const PortSlice& flow) {
  if (effort.count != flow.count) {
    problems_.error(spec.where,
                    fmt::format("Bond '{}': effort '{}' has {} components, flow '{}' has {}.", spec.name,
                                name_of(effort), effort.count, name_of(flow), flow.count),
                    "Effort and flow of a bond have one component each for each other.");
    return false;
  }
  const Unit& e = port_of(effort).unit;
  const Unit& f = port_of(flow).unit;
  if (spec.scale || e.is_unspecified() || f.is_unspecified() || product_is_power(e, f)) return true;
  problems_.error(spec.where,
                  fmt::format("Bond '{}': '{}' [{}] times '{}' [{}] is not a power.", spec.name,
                              name_of(effort), e.text, name_of(flow), f.text),
                  "Choose ports whose product is in watts, or give 'scale', the factor that makes it one.");
  return false;
}

void Freezer::link_bond_term(const BondSpec& spec, const PortSlice& from, const PortSlice& to,
                             bool differentiate, bool is_effort) {
  for (Index i = 0; i < to.count; ++i) {
    const auto taken = pending_.find(to.first + i);
    // Several bonds may push at one effort input: their efforts add up. A motion has one source only.
    if (taken != pending_.end() && !(is_effort && taken->second.from_bond)) {
      problems_.error(spec.where,
                      fmt::format("Bond '{}' ends at '{}', which already gets '{}'.", spec.name, name_of(to),
                                  taken->second.sources_said.front()),
                      "Remove the connection (the bond makes it), or use another input.");
      return;
    }
  }
  const std::optional<Index> bond = is_effort ? std::optional<Index>(system_->bonds.size())
                                              : std::nullopt;  // the bond about to be appended
  add_terms(from, to, 1.0, 0.0, differentiate, bond, spec.where);
  for (Index i = 0; i < to.count; ++i) {
    PendingLink& pending = pending_[to.first + i];
    pending.from_bond = true;
    pending.link.degree = spec.degree;
    pending.link.feedthrough = spec.feedthrough;
  }
}

void Freezer::make_kinematic_links(const BondSpec& spec, PowerBond& bond, const std::vector<BondPair>& flows,
                                   const std::vector<BondPair>& displacements) {
  for (const auto* pairs : {&flows, &displacements}) {
    for (const BondPair& pair : *pairs) {
      link_bond_term(spec, pair.source, pair.receiver, false, false);
      for (Index i = 0; i < pair.receiver.count; ++i)
        bond.effort_node_inputs.push_back(pair.receiver.first + i);
    }
  }
  // Where a displacement and its rate arrive together, prediction may use x̂ = x + Hẋ + ½H²a.
  for (std::size_t p = 0; p < std::min(flows.size(), displacements.size()); ++p) {
    for (Index i = 0; i < displacements[p].receiver.count; ++i) {
      pending_[displacements[p].receiver.first + i].link.kinematic_partner = flows[p].receiver.first + i;
    }
  }
}

void Freezer::make_bond(const BondSpec& spec) {
  if (spec.scale && (!std::isfinite(*spec.scale) || *spec.scale == 0.0)) {
    problems_.error(spec.where,
                    fmt::format("Bond '{}': scale must be a finite number other than 0.", spec.name),
                    "Give the factor that turns effort × flow into watts.");
  }
  if (spec.a.effort.empty() || spec.b.effort.empty()) {
    problems_.error(spec.where, fmt::format("Bond '{}' exchanges no effort.", spec.name),
                    "Displacement/displacement coupling has no power bond: use [[connection]] for it.");
    return;
  }
  const auto efforts = pair_ports(spec, spec.a.effort, spec.b.effort, "effort");
  const auto displacements = pair_ports(spec, spec.a.displacement, spec.b.displacement, "displacement");
  if (!efforts || !displacements) return;

  PowerBond bond;
  bond.name = spec.name;
  bond.where = spec.where;
  bond.scale = spec.scale.value_or(1.0);
  const bool effort_from_a = efforts->front().source_at_a;
  bond.sign_into_b = effort_from_a ? 1.0 : -1.0;
  bond.effort_node = efforts->front().source.node;
  bond.flow_node = efforts->front().receiver.node;
  const BondEnd& giver = effort_from_a ? spec.a : spec.b;  // of the effort
  const BondEnd& mover = effort_from_a ? spec.b : spec.a;  // of the flow

  // The flow may be missing at either end: then it is the rate of the displacement.
  std::vector<BondPair> flows;
  std::vector<PortSlice> flow_sources;
  bool differentiated = false;
  if (!mover.flow.empty() && !giver.flow.empty()) {
    const auto pairs = pair_ports(spec, spec.a.flow, spec.b.flow, "flow");
    if (!pairs) return;
    flows = *pairs;
    for (const BondPair& pair : flows) flow_sources.push_back(pair.source);
  } else if (!mover.flow.empty()) {
    for (const std::string& port : mover.flow) {
      const auto slice = resolve(port, false, spec.where);
      if (!slice) return;
      flow_sources.push_back(*slice);
    }
  } else if (!displacements->empty()) {
    differentiated = true;
    for (std::size_t i = 0; i < displacements->size(); ++i) {
      flow_sources.push_back((*displacements)[i].source);
      if (i >= giver.flow.size()) continue;
      const auto receiver = resolve(giver.flow[i], true, spec.where);
      if (!receiver) return;
      const Unit& rate = port_of(*receiver).unit;
      const Unit& position = port_of((*displacements)[i].source).unit;
      if (!rate.is_unspecified() && !position.is_unspecified() && !is_rate_of(rate, position)) {
        problems_.error(
            spec.where,
            fmt::format("Bond '{}': '{}' [{}] is not the rate of '{}' [{}].", spec.name, giver.flow[i],
                        rate.text, name_of((*displacements)[i].source), position.text),
            "Give the flow port of the other end.");
        return;
      }
      link_bond_term(spec, (*displacements)[i].source, *receiver, true, false);
      for (Index k = 0; k < receiver->count; ++k) bond.effort_node_inputs.push_back(receiver->first + k);
    }
  } else {
    problems_.error(spec.where, fmt::format("Bond '{}' exchanges neither flow nor displacement.", spec.name),
                    "Give the flow port of the end that takes the effort.");
    return;
  }
  if (flow_sources.size() != efforts->size()) {
    problems_.error(spec.where,
                    fmt::format("Bond '{}' has {} efforts and {} flows.", spec.name, efforts->size(),
                                flow_sources.size()),
                    "List one flow (or displacement) for each effort, in the same order.");
    return;
  }
  for (std::size_t p = 0; p < efforts->size(); ++p) {
    const BondPair& effort = (*efforts)[p];
    const PortSlice& flow = flow_sources[p];
    if (effort.source_at_a != effort_from_a || (p < flows.size() && flows[p].source_at_a == effort_from_a) ||
        effort.source.node != bond.effort_node || flow.node != bond.flow_node) {
      problems_.error(spec.where,
                      fmt::format("Bond '{}': efforts must go one way and flows the other.", spec.name),
                      "Split it into one bond per direction and pair of subsystems.");
      return;
    }
    if (!differentiated && !check_bond_units(spec, effort.source, flow)) return;
    const Unit& effort_out = port_of(effort.source).unit;
    const Unit& effort_in = port_of(effort.receiver).unit;
    for (Index i = 0; i < effort.source.count; ++i) {
      BondComponent c;
      c.effort_output = effort.source.first + i;
      c.effort_input = effort.receiver.first + i;
      c.effort_output_to_SI = effort_out.factor;
      c.effort_input_to_SI = effort_in.is_unspecified() ? effort_out.factor : effort_in.factor;
      c.flow_output = flow.first + i;
      c.flow_differentiated = differentiated;
      c.flow_output_to_SI = port_of(flow).unit.factor;
      if (p < flows.size()) {
        const Unit& flow_in = port_of(flows[p].receiver).unit;
        c.flow_input = flows[p].receiver.first + i;
        c.has_flow_input = true;
        c.flow_input_to_SI = flow_in.is_unspecified() ? c.flow_output_to_SI : flow_in.factor;
      }
      bond.components.push_back(c);
      bond.flow_node_inputs.push_back(c.effort_input);
    }
    link_bond_term(spec, effort.source, effort.receiver, false, true);
  }
  make_kinematic_links(spec, bond, flows, *displacements);
  system_->bonds.push_back(std::move(bond));
}

}  // namespace ergon

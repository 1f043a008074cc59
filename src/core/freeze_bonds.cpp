#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "ergon/core/freeze.hpp"

namespace ergon {

namespace {

constexpr std::string_view bond_effort = "effort";

/// A gyrator as a transformer: with effort and flow of side a exchanged, e_b = r·f_a and e_a = r·f_b have its form.
BondSpec as_transformer(BondSpec spec) {
  if (spec.kind == BondKind::gyrator) std::swap(spec.a.effort, spec.a.flow);
  return spec;
}

}  // namespace

void Freezer::make_bonds() {
  std::unordered_set<std::string_view>
      names;  // of the specifications: those of bonds move while the list grows
  for (const BondSpec& spec : graph_.bonds_) {
    if (names.contains(spec.name)) {
      problems_.error(spec.where, fmt::format("Two bonds are called '{}'.", spec.name),
                      "Rename one of them.");
    }
    const std::size_t before = system_->bonds.size();
    if (check_ratio(spec)) make_bond(as_transformer(spec));
    if (system_->bonds.size() > before) names.insert(spec.name);
  }
}

std::optional<std::vector<Freezer::BondPair>> Freezer::pair_ports(const BondSpec& spec,
                                                                  const std::vector<std::string>& a,
                                                                  const std::vector<std::string>& b,
                                                                  std::string_view kind) {
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
    if (!port_a || !port_b || !check_real(*port_a, spec) || !check_real(*port_b, spec)) return std::nullopt;
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
    const bool fits = spec.ratio_has_unit() ? check_ratio_unit(spec, pair, kind == bond_effort)
                                            : check_same_quantity(spec, pair);
    if (!fits) return std::nullopt;
    pairs.push_back(pair);
  }
  return pairs;
}

/// The efforts of a bond of which one end takes none: outputs that nobody reads.
std::optional<std::vector<Freezer::BondPair>> Freezer::observed_efforts(const BondSpec& spec) {
  const bool from_a = spec.b.effort.empty();
  std::vector<BondPair> pairs;
  for (const std::string& port : from_a ? spec.a.effort : spec.b.effort) {
    const auto source = resolve(port, false, spec.where);
    if (!source || !check_real(*source, spec)) return std::nullopt;
    pairs.push_back({*source, {}, from_a});
  }
  return pairs;
}

/// Where only the displacement is sent, the flow inputs of the effort's sender get its rate.
std::optional<std::vector<Freezer::BondPair>> Freezer::pair_rates(
    const BondSpec& spec, const BondEnd& effort_side, const std::vector<BondPair>& displacements) {
  if (effort_side.flow.size() > displacements.size()) {
    problems_.error(spec.where,
                    fmt::format("Bond '{}' has {} flow inputs and {} displacements to differentiate.",
                                spec.name, effort_side.flow.size(), displacements.size()),
                    "List one displacement for each flow, in the same order.");
    return std::nullopt;
  }
  std::vector<BondPair> pairs;
  for (std::size_t i = 0; i < effort_side.flow.size(); ++i) {
    const auto receiver = resolve(effort_side.flow[i], true, spec.where);
    if (!receiver || !check_real(*receiver, spec)) return std::nullopt;
    const PortSlice& displacement = displacements[i].source;
    const Unit& rate = port_of(*receiver).unit;
    const Unit& position = port_of(spec.ratio ? displacements[i].receiver : displacement).unit;
    if (!rate.is_unspecified() && !position.is_unspecified() && !is_rate_of(rate, position)) {
      problems_.error(spec.where,
                      fmt::format("Bond '{}': '{}' [{}] is not the rate of '{}' [{}].", spec.name,
                                  effort_side.flow[i], rate.text, name_of(displacement), position.text),
                      "Give the flow port of the other end.");
      return std::nullopt;
    }
    if (receiver->count != displacement.count) {
      problems_.error(
          spec.where,
          fmt::format("Bond '{}': '{}' (size {}) is not the rate of '{}' (size {}).", spec.name,
                      effort_side.flow[i], receiver->count, name_of(displacement), displacement.count),
          "Take a slice, as in port[0:3], or use ports of one size.");
      return std::nullopt;
    }
    pairs.push_back({displacement, *receiver, displacements[i].source_at_a});
  }
  return pairs;
}

bool Freezer::check_bond_units(const BondSpec& spec, const PortSlice& effort, const PortSlice& flow,
                               bool flow_is_displacement) {
  if (effort.count != flow.count) {
    problems_.error(spec.where,
                    fmt::format("Bond '{}': effort '{}' has {} components, flow '{}' has {}.", spec.name,
                                name_of(effort), effort.count, name_of(flow), flow.count),
                    "Effort and flow of a bond have one component each for each other.");
    return false;
  }
  const Unit& e = port_of(effort).unit;
  Unit f = port_of(flow).unit;
  if (flow_is_displacement && !f.is_unspecified()) f = Unit::per_second(f);
  if (spec.scale || e.is_unspecified() || f.is_unspecified() || product_is_power(e, f)) return true;
  problems_.error(spec.where,
                  fmt::format("Bond '{}': '{}' [{}] times '{}' [{}] is not a power.", spec.name,
                              name_of(effort), e.text, name_of(flow), f.text),
                  "Choose ports whose product is in watts, or give 'scale', the factor that makes it one.");
  return false;
}

void Freezer::link_bond_term(const BondSpec& spec, const PortSlice& from, const PortSlice& to,
                             bool differentiate, bool is_effort, double gain) {
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
  // A ratio with a unit is one between numbers in SI units: what has no unit is in them, and other dimensions are converted by factors.
  if (spec.ratio_has_unit()) {
    const double from_SI = port_of(from).unit.to_SI();
    const double to_SI = port_of(to).unit.to_SI();
    gain *= from_SI / to_SI / conversion(port_of(from).unit, port_of(to).unit).gain;
  }
  add_terms(from, to, gain, 0.0, differentiate, bond, spec.where);
  for (Index i = 0; i < to.count; ++i) {
    PendingLink& pending = pending_[to.first + i];
    pending.from_bond = true;
    pending.link.degree = spec.predictor.empty() || spec.degree ? spec.degree : 0;
    pending.link.feedthrough = spec.feedthrough;
  }
}

void Freezer::make_kinematic_links(const BondSpec& spec, PowerBond& bond, const std::vector<BondPair>& flows,
                                   const std::vector<BondPair>& displacements, bool differentiated,
                                   double transfer) {
  for (const auto* pairs : {&flows, &displacements}) {
    for (const BondPair& pair : *pairs) {
      link_bond_term(spec, pair.source, pair.receiver, differentiated && pairs == &flows, false, transfer);
      for (Index i = 0; i < pair.receiver.count; ++i)
        bond.effort_node_inputs.push_back(pair.receiver.first + i);
    }
  }
  // Where a displacement and its rate arrive together, prediction may use x̂ = x + Hẋ + ½H²a.
  for (std::size_t p = 0; !differentiated && p < std::min(flows.size(), displacements.size()); ++p) {
    const Unit& rate = port_of(flows[p].receiver).unit;
    const Unit& position = port_of(displacements[p].receiver).unit;
    const bool fits = rate.is_unspecified() || position.is_unspecified() || is_rate_of(rate, position);
    if (flows[p].receiver.count != displacements[p].receiver.count || !fits) continue;
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
  if (spec.a.effort.empty() && spec.b.effort.empty()) {
    problems_.error(
        spec.where, fmt::format("Bond '{}' names no effort.", spec.name),
        "Displacement/displacement coupling exchanges none: use [[connection]] for it, or name the effort "
        "output of one end to have the bond monitored.");
    return;
  }
  const bool observed_only = spec.a.effort.empty() || spec.b.effort.empty();
  const auto efforts =
      observed_only ? observed_efforts(spec) : pair_ports(spec, spec.a.effort, spec.b.effort, "effort");
  const auto displacements = pair_ports(spec, spec.a.displacement, spec.b.displacement, "displacement");
  if (!efforts || !displacements) return;

  PowerBond bond;
  bond.name = spec.name;
  bond.where = spec.where;
  bond.scale = spec.scale.value_or(1.0);
  const bool effort_from_a = efforts->front().source_at_a;
  bond.sign_into_b = effort_from_a ? 1.0 : -1.0;
  bond.observed_only = observed_only;
  bond.law_booked_once = spec.law_booked_once;
  bond.effort_node = efforts->front().source.node;
  const BondEnd& effort_side = effort_from_a ? spec.a : spec.b;  // of the effort
  const BondEnd& flow_side = effort_from_a ? spec.b : spec.a;    // of the flow
  const double transfer = transfer_of(spec, effort_from_a);
  const double flow_sign = spec.effort_of_a_opposite ? -1.0 : 1.0;
  // What has no unit is in that of the other end; with a ratio that has one, in SI units.
  const auto to_SI_or = [&](const Unit& own, const Unit& other) {
    return own.is_unspecified() && !spec.ratio_has_unit() ? other.to_SI() : own.to_SI();
  };

  // The flow may be missing at either end: then it is the rate of the displacement.
  std::vector<BondPair> flows;
  std::vector<PortSlice> flow_sources;
  const bool differentiated = flow_side.flow.empty();
  if (!flow_side.flow.empty() && !effort_side.flow.empty()) {
    const auto pairs = pair_ports(spec, spec.a.flow, spec.b.flow, "flow");
    if (!pairs) return;
    flows = *pairs;
    for (const BondPair& pair : flows) flow_sources.push_back(pair.source);
  } else if (!flow_side.flow.empty()) {
    for (const std::string& port : flow_side.flow) {
      const auto slice = resolve(port, false, spec.where);
      if (!slice) return;
      flow_sources.push_back(*slice);
    }
  } else if (!displacements->empty()) {
    const auto pairs = pair_rates(spec, effort_side, *displacements);
    if (!pairs) return;
    flows = *pairs;
    for (const BondPair& pair : *displacements) flow_sources.push_back(pair.source);
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
  bond.flow_node = observed_only ? flow_sources.front().node : efforts->front().receiver.node;
  const auto joins = [&](const BondPair& pair, Index from, Index to) {
    return pair.source.node == from && pair.receiver.node == to;
  };
  bool two_sided = true;
  for (const BondPair& p : *efforts) {
    two_sided = two_sided && (observed_only ? p.source.node == bond.effort_node
                                            : joins(p, bond.effort_node, bond.flow_node));
  }
  for (const BondPair& p : flows) two_sided = two_sided && joins(p, bond.flow_node, bond.effort_node);
  for (const BondPair& p : *displacements)
    two_sided = two_sided && joins(p, bond.flow_node, bond.effort_node);
  for (const PortSlice& flow : flow_sources) two_sided = two_sided && flow.node == bond.flow_node;
  if (!two_sided) {
    report_scattered_end(spec);
    return;
  }
  if (spec.ratio) {  // each end by itself; a gyrator has exchanged the names of one of them, not their product
    if (!check_end_power(spec, spec.a.effort, spec.a.flow) ||
        !check_end_power(spec, spec.b.effort, spec.b.flow))
      return;
  } else {
    for (std::size_t p = 0; p < efforts->size(); ++p) {
      if (!check_bond_units(spec, (*efforts)[p].source, flow_sources[p], differentiated)) return;
    }
  }
  for (std::size_t p = 0; p < efforts->size(); ++p) {
    const BondPair& effort = (*efforts)[p];
    const PortSlice& flow = flow_sources[p];
    const Unit& effort_out = port_of(effort.source).unit;
    const Unit& effort_in = observed_only ? effort_out : port_of(effort.receiver).unit;
    const double gain = (spec.effort_gain.empty() ? 1.0 : spec.effort_gain[p]) * transfer;
    for (Index i = 0; i < effort.source.count; ++i) {
      BondComponent c;
      c.transfer = transfer;
      c.effort_output = effort.source.first + i;
      if (!observed_only) c.effort_input = effort.receiver.first + i;
      c.effort_output_to_SI = gain * to_SI_or(effort_out, effort_in);
      c.effort_input_to_SI = to_SI_or(effort_in, effort_out);
      c.flow_output = flow.first + i;
      c.flow_differentiated = differentiated;
      c.flow_output_to_SI = port_of(flow).unit.to_SI();
      if (p < flows.size()) {
        const Unit& flow_in = port_of(flows[p].receiver).unit;
        c.flow_input = flows[p].receiver.first + i;
        c.has_flow_input = true;
        const double flow_in_to_SI = to_SI_or(flow_in, port_of(flow).unit);
        c.flow_output_to_SI = to_SI_or(port_of(flow).unit, flow_in);
        c.flow_input_to_SI = flow_in_to_SI / (flow_sign * transfer);
      }
      if (p < displacements->size() && (*displacements)[p].source.count == flow.count) {
        const PortSlice& displacement = (*displacements)[p].source;
        const Unit& position = port_of(displacement).unit;
        const Unit& rate = port_of(flow).unit;
        const bool known = !position.is_unspecified() && !rate.is_unspecified();
        if (differentiated || !known || is_rate_of(rate, position)) {
          c.displacement_output = displacement.first + i;
          c.displacement_output_to_SI = position.is_unspecified() ? c.flow_output_to_SI : position.to_SI();
        }
      }
      bond.components.push_back(c);
      if (!observed_only) bond.flow_node_inputs.push_back(c.effort_input);
    }
    if (!observed_only) link_bond_term(spec, effort.source, effort.receiver, false, true, gain);
  }
  make_kinematic_links(spec, bond, flows, *displacements, differentiated, flow_sign * transfer);
  bond.predictor = spec.predictor.empty() && spec.degree ? "polynomial" : spec.predictor;
  system_->bonds.push_back(std::move(bond));
}

}  // namespace ergon

// Bonds with a ratio: what may be joined, and what arrives of what is sent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/core/freeze.hpp"

namespace ergon {

bool Freezer::check_ratio(const BondSpec& spec) {
  const bool is_gyrator = spec.kind == BondKind::gyrator;
  if (!spec.ratio && !is_gyrator) return true;
  if (!spec.ratio) {
    problems_.error(spec.where, fmt::format("Bond '{}' is a gyrator without a ratio.", spec.name),
                    "Give it, as in: ratio = \"0.05 V.s/rad\".");
    return false;
  }
  if (const double r = spec.ratio->in_SI(); !std::isfinite(r) || r == 0.0 || !std::isfinite(1.0 / r)) {
    problems_.error(spec.where, fmt::format("Bond '{}': 'ratio' is {}.", spec.name, spec.ratio->value),
                    "Give a finite number other than 0.");
    return false;
  }
  if (spec.scale) {
    problems_.error(spec.where, fmt::format("Bond '{}' has a 'ratio' and a 'scale'.", spec.name),
                    "Put the factor into the ratio: power passes through it unchanged.");
    return false;
  }
  if (is_gyrator && !(spec.a.displacement.empty() && spec.b.displacement.empty())) {
    problems_.error(spec.where, fmt::format("Bond '{}' is a gyrator with a displacement.", spec.name),
                    "Name efforts and flows only: a displacement of one end is a momentum of the other.");
    return false;
  }
  if (is_gyrator &&
      (spec.a.effort.empty() || spec.a.flow.empty() || spec.b.effort.empty() || spec.b.flow.empty())) {
    problems_.error(spec.where,
                    fmt::format("Bond '{}' is a gyrator, and an end lacks effort or flow.", spec.name),
                    "Name effort and flow of both ends.");
    return false;
  }
  return true;
}

bool Freezer::check_same_quantity(const BondSpec& spec, const BondPair& pair) {
  const Unit& from = port_of(pair.source).unit;
  const Unit& to = port_of(pair.receiver).unit;
  const bool differ = !from.is_unspecified() && !to.is_unspecified() && !from.same_dimension(to);
  if (!spec.ratio || !differ) return check_units(pair.source, pair.receiver, spec.where);
  problems_.error(spec.where,
                  fmt::format("Bond '{}': 'ratio' is a plain number between '{}' [{}] and '{}' [{}].",
                              spec.name, name_of(pair.source), from.text, name_of(pair.receiver), to.text),
                  fmt::format("Give it a unit, as in: ratio = \"{} {}\".", spec.ratio->value,
                              spec.kind == BondKind::gyrator ? "V.s/rad" : "m2"));
  return false;
}

/// r·(flow of b) is the flow of a, r·(effort of a) the effort of b; ends of a gyrator are exchanged before this is asked.
bool Freezer::check_ratio_unit(const BondSpec& spec, const BondPair& pair, bool is_effort) {
  if (pair.source.count != pair.receiver.count) return check_units(pair.source, pair.receiver, spec.where);
  const bool from_source =
      pair.source_at_a == is_effort;  // what arrives is r times what is sent, else a 1/r of it
  const PortSlice& smaller = from_source ? pair.source : pair.receiver;
  const PortSlice& larger = from_source ? pair.receiver : pair.source;
  const Unit& from = port_of(smaller).unit;
  const Unit& to = port_of(larger).unit;
  const Unit& ratio = spec.ratio->unit;
  if (from.is_unspecified() || to.is_unspecified()) return true;
  bool fits = true;
  for (std::size_t i = 0; i < Unit::base_units; ++i)
    fits = fits && from.exponents[i] + ratio.exponents[i] == to.exponents[i];
  if (fits) return true;
  problems_.error(
      spec.where,
      fmt::format("Bond '{}': ratio [{}] times '{}' [{}] is not '{}' [{}].", spec.name, ratio.text,
                  name_of(smaller), from.text, name_of(larger), to.text),
      spec.kind == BondKind::gyrator
          ? "The ratio of a gyrator is effort of one end over flow of the other."
          : "The ratio of a transformer is flow of a over flow of b, or effort of b over effort of a.");
  return false;
}

bool Freezer::check_end_power(const BondSpec& spec, const std::vector<std::string>& efforts,
                              const std::vector<std::string>& flows) {
  for (std::size_t i = 0; i < std::min(efforts.size(), flows.size()); ++i) {
    const auto effort = resolve(efforts[i], spec.where);
    const auto flow = resolve(flows[i], spec.where);
    if (!effort || !flow || !check_bond_units(spec, *effort, *flow, false)) return false;
  }
  return true;
}

/// What arrives over what is sent, in SI units.
double Freezer::transfer_of(const BondSpec& spec, bool effort_from_a) {
  if (!spec.ratio) return 1.0;
  return effort_from_a ? spec.ratio->in_SI() : 1.0 / spec.ratio->in_SI();
}

/// An end of a bond is one subsystem. A gear of two gains, one for the effort and one for the flow, is the usual way to miss that.
void Freezer::report_scattered_end(const BondSpec& spec) {
  for (const auto& [end, name] : {std::pair(&spec.a, 'a'), std::pair(&spec.b, 'b')}) {
    std::optional<PortSlice> first;
    for (const auto* ports : {&end->effort, &end->flow, &end->displacement}) {
      for (const std::string& port : *ports) {
        const auto slice = resolve(port, spec.where);
        if (!slice) return;
        if (!first) first = slice;
        if (slice->node == first->node) continue;
        problems_.error(
            spec.where,
            fmt::format("Bond '{}': end {} has ports of two subsystems or elements, '{}' and '{}'.",
                        spec.name, name, name_of(*first), name_of(*slice)),
            "Name ports of one of them at each end. Instead of gains on the way give the bond a "
            "'ratio' or effort_sign = -1; a ratio that varies is an element with law = "
            "\"transformer\", with a bond to each side.");
        return;
      }
    }
  }
  problems_.error(
      spec.where,
      fmt::format("Bond '{}': efforts must go one way, flows and displacements the other.", spec.name),
      "Split it into one bond per direction and pair of subsystems.");
}

}  // namespace ergon

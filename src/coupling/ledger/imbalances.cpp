#include "ergon/coupling/ledger/imbalances.hpp"

#include <algorithm>

namespace ergon {

Imbalances::Imbalances(const CouplingPlan& plan)
    : spans_(plan.bonds().size()), start_J_(plan.bonds().size()), readings_(plan.bonds().size()) {
  const auto accounts_for = [&](Index node, std::span<const Index> bond_inputs) {
    return plan.system().nodes[node].subsystem->energy_account() != nullptr && !bond_inputs.empty();
  };
  for (const BondRow& bond : plan.bonds().rows()) {
    Span& span = spans_[bond.number];
    span.begin = span.end = static_cast<std::uint32_t>(inputs_.size());
    span.sender = static_cast<std::uint32_t>(bond.sender);
    span.receiver = static_cast<std::uint32_t>(bond.receiver);
    // An effort input that is shared is not this bond's alone.
    const bool shared = std::any_of(bond.components.begin(), bond.components.end(),
                                    [](const BondComponentRow& c) { return c.effort_input_shared; });
    if (shared || !accounts_for(bond.sender, bond.sender_inputs) ||
        !accounts_for(bond.receiver, bond.receiver_inputs))
      continue;
    for (const auto& of_end : {bond.sender_inputs, bond.receiver_inputs}) {
      for (const Index input : of_end) inputs_.push_back(static_cast<std::uint32_t>(input));
    }
    span.end = static_cast<std::uint32_t>(inputs_.size());
  }
}

inline double Imbalances::received_J(const Span& span, const Point& point, const Accounts& accounts) const {
  accounts.read_received(span.sender, point);
  accounts.read_received(span.receiver, point);
  const std::span<const double> received_J = accounts.received_J();
  double total = 0.0;
  for (std::uint32_t i = span.begin; i < span.end; ++i) total += received_J[inputs_[i]];
  return total;
}

void Imbalances::start(const Point& point, const Accounts& accounts) {
  for (Index b = 0; b < spans_.size(); ++b) {
    start_J_[b] = has_accounts(spans_[b]) ? received_J(spans_[b], point, accounts) : 0.0;
    readings_[b] = {};
  }
}

inline double Imbalances::read_one(Index bond, const BondFigures& figures, const Point& point,
                                   const Accounts& accounts) const {
  Reading& reading = readings_[bond];
  const Span& span = spans_[bond];
  const Tick now = point.tick();
  if (figures.last_point(bond) == now && has_accounts(span) && reading.at != now)
    reading = {now, received_J(span, point, accounts) - start_J_[bond]};
  return reading.energy_J;
}

double Imbalances::read(Index bond, const BondFigures& figures, const Point& point,
                        const Accounts& accounts) const {
  return read_one(bond, figures, point, accounts);
}

void Imbalances::read_all(std::span<double> per_bond, const BondFigures& figures, const Point& point,
                          const Accounts& accounts) const {
  for (Index b = 0; b < per_bond.size(); ++b) per_bond[b] = read_one(b, figures, point, accounts);
}

void Imbalances::archive(Archive& archive) {
  archive(std::span(start_J_));
  archive(std::span(readings_));
}

}  // namespace ergon

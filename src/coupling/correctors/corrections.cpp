#include "ergon/coupling/correctors/corrections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ergon/coupling/plan/energy_groups.hpp"

namespace ergon {
namespace {

/// The bonds that push at one port, and what they ask for.
struct ReceiverRequest {
  std::vector<Index> bonds;
  const CorrectionRequest* request = nullptr;
};

bool same_settings(const CorrectionRequest& a, const CorrectionRequest& b) {
  return a.method == b.method && std::equal(a.settings.begin(), a.settings.end(), b.settings.begin(),
                                            b.settings.end(), [](const auto& x, const auto& y) {
                                              return x.first == y.first && x.second.value == y.second.value;
                                            });
}

/// Groups the requests by receiver: the outputs that give the flow. Reports what does not fit together.
std::vector<ReceiverRequest> group_by_receiver(const CoupledSystem& system,
                                               const std::vector<CorrectionRequest>& requests,
                                               ProblemList& problems) {
  std::map<std::vector<Index>, ReceiverRequest> groups;
  for (const CorrectionRequest& request : requests) {
    const auto bond = std::find_if(system.bonds.begin(), system.bonds.end(),
                                   [&](const PowerBond& b) { return b.name == request.bond; });
    if (bond == system.bonds.end()) {
      problems.error(request.where, fmt::format("There is no bond '{}' to correct.", request.bond),
                     "Name one of the bonds.");
      continue;
    }
    if (bond->observed_only) {
      problems.error(
          request.where,
          fmt::format("Bond '{}' is only observed: its other end takes no effort that could be corrected.",
                      request.bond),
          "Remove the correction, or exchange an effort.");
      continue;
    }
    std::vector<Index> flows;
    for (const BondComponent& c : bond->components) flows.push_back(c.flow_output);
    ReceiverRequest& group = groups[flows];
    if (group.request != nullptr && !same_settings(*group.request, request)) {
      problems.error(
          request.where,
          fmt::format("Bonds '{}' and '{}' act on the same port, but request different corrections.",
                      group.request->bond, request.bond),
          "Give both the same: one correction acts on the sum of their efforts.");
      continue;
    }
    if (group.request == nullptr) group.request = &request;
    if (!group.bonds.empty() && system.bonds[group.bonds.front()].scale != bond->scale) {
      problems.error(request.where,
                     fmt::format("Bonds '{}' and '{}' push at the same port, but with different scales.",
                                 group.request->bond, request.bond),
                     "Give both the same scale, or correct one of them only.");
      continue;
    }
    group.bonds.push_back(static_cast<Index>(bond - system.bonds.begin()));
  }
  std::vector<ReceiverRequest> list;
  for (auto& [flows, group] : groups) list.push_back(std::move(group));
  return list;
}

InterfaceLag lag_of(const CouplingPlan& plan, const BondRow& bond) {
  const CoupledSystem& system = plan.system();
  const StagePlan& sender = plan.stage(bond.sender_stage);
  const StagePlan& receiver = plan.stage(bond.receiver_stage);
  const auto samples_start = [&](Index node) {
    return system.nodes[node].description->samples_input == InputSampling::start;
  };
  InterfaceTiming t;
  t.stale_feedthrough = plan.has_stale_efforts(system.bonds[bond.number]);
  t.sequential = plan.layout().sequential;
  t.sender_step_s = plan.grid().duration_s(plan.sampling_period(sender));
  t.receiver_step_s = plan.grid().duration_s(plan.sampling_period(receiver));
  t.sender_ticks = plan.sampling_period(sender);
  t.receiver_ticks = plan.sampling_period(receiver);
  t.effort_degree = plan.degree(bond.components.front().effort_input.index);
  t.flow_degree = bond.sender_inputs.empty() ? 0 : plan.degree(bond.sender_inputs.front());
  t.sender_samples_start = sender.algebraic || samples_start(bond.sender);
  t.receiver_samples_start = samples_start(bond.receiver);
  return interface_lag(t);
}

CorrectorPlace place_of(const CouplingPlan& plan, const std::vector<Index>& bonds) {
  CorrectorPlace place;
  const BondRow& first = plan.bonds().row(bonds.front());
  place.components = first.components.size();
  place.scale = first.scale;
  place.sequential = plan.layout().sequential;
  place.sender_accounts = true;
  for (const Index b : bonds) {
    const BondRow& bond = plan.bonds().row(b);
    place.lags.push_back(lag_of(plan, bond));
    place.stale = place.stale || place.lags.back().feedthrough_s > 0.0;
    place.degree = std::max(place.degree, plan.degree(bond.components.front().effort_input.index));
    place.sender_accounts =
        place.sender_accounts && plan.system().nodes[bond.sender].subsystem->energy_account() != nullptr;
  }
  return place;
}

void check_group_accounts(const CoupledSystem& system, const std::vector<Index>& bonds,
                          const CorrectionRequest& request, ProblemList& problems) {
  for (const Index b : bonds) {
    for (const Index n : {system.bonds[b].effort_node, system.bonds[b].flow_node}) {
      const Node& node = system.nodes[n];
      if (node.subsystem->energy_account() != nullptr) continue;
      problems.error(
          request.where,
          fmt::format("Bond '{}': {} needs the energy accounts of all that it joins, but '{}' {}.",
                      system.bonds[b].name, request.method, node.name,
                      node.description->algebraic ? "is an element, which keeps none" : "keeps none"),
          "Use method = \"residual-power\", which needs only the coupling variables.");
    }
  }
}

std::vector<CorrectedReceiver::Sender> senders_of(const CouplingPlan& plan, const std::vector<Index>& bonds) {
  const std::vector<bool> fed = inputs_fed_by(plan.system(), bonds);
  std::vector<CorrectedReceiver::Sender> senders;
  for (const Index b : bonds) {
    const Index node = plan.bonds().row(b).sender;
    const auto is_node = [node](const CorrectedReceiver::Sender& sender) { return sender.node == node; };
    if (std::any_of(senders.begin(), senders.end(), is_node)) continue;
    senders.push_back({node, outside_inputs(plan.system(), node, fed)});
  }
  return senders;
}

}  // namespace

Corrections::Corrections(const CouplingPlan& plan, EnergyLedger& ledger, CouplingState& state,
                         ProblemList& problems)
    : system_(plan.system()) {
  const CoupledSystem& system = plan.system();
  std::vector<CorrectionRequest> asked;
  for (const CorrectionRequest& request : plan.options().corrections) {
    if (request.method != "none") asked.push_back(request);
  }
  for (const CorrectionRequest& request : asked) check_correction(request, problems);
  if (problems.has_errors()) return;

  std::vector<Index> leak_bonds;           // of all receivers that ask for the balance of their group
  std::map<std::size_t, bool> leak_asked;  // those receivers, and whether they want half-step energies
  for (ReceiverRequest& group : group_by_receiver(system, asked, problems)) {
    const CorrectorInfo& info = *find_corrector(group.request->method);
    const CorrectionSettings settings(*group.request);
    CorrectorPlace place = place_of(plan, group.bonds);
    auto corrector = info.make(place, settings, problems);
    if (corrector != nullptr && place.needs == CorrectorNeeds::group_accounts)
      check_group_accounts(system, group.bonds, *group.request, problems);
    if (corrector == nullptr || problems.has_errors()) continue;
    if (place.needs == CorrectorNeeds::group_accounts) {
      leak_asked[receivers_.size()] = place.half_step_energies;
      leak_bonds.insert(leak_bonds.end(), group.bonds.begin(), group.bonds.end());
    }
    receivers_.emplace_back(plan, group.bonds, std::move(corrector), place);
    requests_.push_back(*group.request);
    if (place.needs == CorrectorNeeds::sender_accounts)
      receivers_.back().ask_accounts(senders_of(plan, group.bonds));
  }
  if (problems.has_errors() || receivers_.empty()) return;
  watch_leaks(plan, ledger, leak_bonds, leak_asked);
  reserve_room(plan, ledger, state);
}

/// One balance for each group that the bonds of these receivers form.
void Corrections::watch_leaks(const CouplingPlan& plan, EnergyLedger& ledger,
                              const std::vector<Index>& leak_bonds,
                              const std::map<std::size_t, bool>& half_step_wanted) {
  leak_of_receiver_.assign(receivers_.size(), no_leak);
  for (const BondGroup& group : bond_groups(plan.system(), leak_bonds)) {
    std::vector<std::size_t> members;  // receivers
    bool half_step = false;
    for (const auto& [r, wanted] : half_step_wanted) {
      const Index first = receivers_[r].bonds().front();
      if (std::find(group.bonds.begin(), group.bonds.end(), first) == group.bonds.end()) continue;
      members.push_back(r);
      half_step = half_step || wanted;
    }
    const std::size_t leak = ledger.watch_leak(plan, group, half_step);
    for (const std::size_t r : members) {
      leak_of_receiver_[r] = leak;
      receivers_[r].wait_for(ledger.leak(leak).stages_of_members());
    }
  }
}

void Corrections::reserve_room(const CouplingPlan& plan, EnergyLedger& ledger, CouplingState& state) {
  in_force_.assign(plan.bonds().component_count(), 0.0);
  notes_.resize(plan.bonds().size());
  std::vector<Index> corrected;
  for (const CorrectedReceiver& receiver : receivers_) {
    std::vector<std::size_t>& places = places_.emplace_back();
    for (const CorrectedReceiver::Target& target : receiver.targets()) {
      places.push_back(state.stage(target.stage).reserve_addition(target.slot));
    }
    for (const Index b : receiver.bonds()) {
      notes_[b].acts = true;
      corrected.push_back(b);
    }
  }
  ledger.expect_corrections(corrected);
}

void Corrections::start(const Point& point, const EnergyLedger& ledger, CouplingState& state) {
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    receivers_[r].start(point, ledger);
    hand_out(r, state);
  }
}

void Corrections::set_gains(std::span<const std::optional<BondGains>> at_start, ProbeGains probe,
                            ProblemList& problems) {
  probe_ = std::move(probe);
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    CorrectedReceiver& receiver = receivers_[r];
    if (receiver.wanted_gains() == EffortGains::none) continue;
    for (std::size_t b = 0; b < receiver.bonds().size(); ++b) {
      const bool each_point = receiver.wanted_gains() == EffortGains::each_point;
      const auto& stepped = at_start[receiver.bonds()[b]];
      const std::optional<BondGains> probed = probe_(receiver.bonds()[b]);
      const std::optional<BondGains>& known = probed || each_point ? probed : stepped;
      if (known) {
        receiver.set_gains(b, *known);
        continue;
      }
      problems.error(
          requests_[r].where,
          fmt::format("Bond '{}': the sender of its effort does not show how the effort answers to "
                      "displacement and flow{}.",
                      system_.bonds[receiver.bonds()[b]].name, each_point ? " at each point" : ""),
          each_point && stepped ? "Use gains = \"start\"." : "Use variant = \"banked\".");
    }
  }
}

void Corrections::answer(const Point& point, const EnergyLedger& ledger, CouplingState& state) {
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    if (!receivers_[r].is_due(point)) continue;
    if (receivers_[r].wanted_gains() == EffortGains::each_point) {
      for (std::size_t b = 0; b < receivers_[r].bonds().size(); ++b) {
        if (const auto gains = probe_(receivers_[r].bonds()[b])) receivers_[r].set_gains(b, *gains);
      }
    }
    receivers_[r].update(point, ledger, leak_share_J(r, ledger));
    hand_out(r, state);
  }
}

/// The ledger counts the correction, in equal shares, as part of what their bonds applied.
void Corrections::hand_out(std::size_t r, CouplingState& state) {
  const CorrectedReceiver& receiver = receivers_[r];
  for (std::size_t i = 0; i < receiver.targets().size(); ++i) {
    state.stage(receiver.targets()[i].stage).set_addition(places_[r][i], receiver.additions()[i]);
  }
  for (const BondRow* bond : receiver.bond_rows()) {
    notes_[bond->number].capped = receiver.capped();
    for (std::size_t i = 0; i < receiver.targets().size(); ++i)
      in_force_[bond->first_component + i] = receiver.share(i);
  }
}

double Corrections::leak_share_J(std::size_t receiver, const EnergyLedger& ledger) const {
  if (leak_of_receiver_[receiver] == no_leak) return 0.0;
  const LeakMonitor& leak = ledger.leak(leak_of_receiver_[receiver]);
  double all = 0.0;
  double same_group = 0.0;
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    if (leak_of_receiver_[r] != leak_of_receiver_[receiver]) continue;
    all += leak.step_work_J(receivers_[r].bonds());
    same_group += 1.0;
  }
  const double share = all > 0.0 ? leak.step_work_J(receivers_[receiver].bonds()) / all : 1.0 / same_group;
  return share * leak.leak_J();
}

void Corrections::archive(Archive& archive) {
  archive.section("corrections");
  for (CorrectedReceiver& receiver : receivers_) receiver.archive(archive);
  archive(std::span(in_force_));
  archive(std::span(notes_));
}

}  // namespace ergon

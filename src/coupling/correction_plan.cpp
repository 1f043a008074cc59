#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "ergon/coupling/engine_impl.hpp"

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

/// Whether the efforts of a bond depend at the same instant on an input of their giver.
bool feeds_through(const CoupledSystem& system, const PowerBond& bond, Index input) {
  const Node& giver = system.nodes[bond.effort_node];
  return std::any_of(giver.description.feedthrough.begin(), giver.description.feedthrough.end(),
                     [&](const FeedthroughPair& pair) {
                       return system.inputs[input].port == pair.input &&
                              std::any_of(bond.components.begin(), bond.components.end(),
                                          [&](const BondComponent& c) {
                                            return system.outputs[c.effort_output].port == pair.output;
                                          });
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
          fmt::format("Bonds '{}' and '{}' push at the same port, but ask for different corrections.",
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

/// Each node's representative under "joined by one of these bonds".
std::vector<Index> join_nodes(const CoupledSystem& system, const std::vector<Index>& bonds) {
  std::vector<Index> parent(system.nodes.size());
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index n) {
    while (parent[n] != n) n = parent[n];
    return n;
  };
  for (const Index b : bonds) parent[root(system.bonds[b].effort_node)] = root(system.bonds[b].flow_node);
  for (Index n = 0; n < parent.size(); ++n) parent[n] = root(n);
  return parent;
}

}  // namespace

InterfaceLag Engine::Impl::lag_of(const PowerBond& bond) const {
  const Stage& giver = stages[output_address[bond.components.front().effort_output].stage];
  const Stage& receiver = stages[output_address[bond.components.front().flow_output].stage];
  const auto degree = [&](Index input) {
    return system.links[input] ? system.links[input]->degree.value_or(options.degree) : 0;
  };
  const auto samples_start = [&](Index node) {
    return system.nodes[node].description.samples_input == InputSampling::start;
  };
  InterfaceTiming t;
  t.stale_feedthrough =
      !giver.algebraic &&
      std::any_of(bond.effort_node_inputs.begin(), bond.effort_node_inputs.end(), [&](Index input) {
        return feeds_through(system, bond, input) && mode_of(input) == FeedthroughMode::stale;
      });
  t.sequential = scheme->visible_at_once;
  t.giver_step_s = grid.duration_s(sampling_period(giver));
  t.receiver_step_s = grid.duration_s(sampling_period(receiver));
  t.effort_degree = degree(bond.components.front().effort_input);
  t.flow_degree = bond.effort_node_inputs.empty() ? 0 : degree(bond.effort_node_inputs.front());
  t.giver_samples_start = giver.algebraic || samples_start(bond.effort_node);
  t.receiver_samples_start = samples_start(bond.flow_node);
  return interface_lag(t);
}

CorrectorPlace Engine::Impl::place_of(const std::vector<Index>& bonds) const {
  CorrectorPlace place;
  const PowerBond& first = system.bonds[bonds.front()];
  place.components = first.components.size();
  place.scale = first.scale;
  place.sequential = scheme->visible_at_once;
  place.giver_accounts = true;
  for (const Index b : bonds) {
    const PowerBond& bond = system.bonds[b];
    place.lags.push_back(lag_of(bond));
    place.stale = place.stale || place.lags.back().feedthrough_s > 0.0;
    const auto& link = system.links[bond.components.front().effort_input];
    place.extrapolates = place.extrapolates || link->degree.value_or(options.degree) > 0;
    place.giver_accounts =
        place.giver_accounts && system.nodes[bond.effort_node].subsystem->energy_account() != nullptr;
  }
  return place;
}

void Engine::Impl::check_group_accounts(const std::vector<Index>& bonds, const CorrectionRequest& request,
                                        ProblemList& problems) const {
  for (const Index b : bonds) {
    for (const Index n : {system.bonds[b].effort_node, system.bonds[b].flow_node}) {
      const Node& node = system.nodes[n];
      if (node.subsystem->energy_account() != nullptr) continue;
      problems.error(
          request.where,
          fmt::format("Bond '{}': energy-leak needs the energy accounts of all that it joins, but '{}' "
                      "{}.",
                      system.bonds[b].name, node.name,
                      node.description.algebraic ? "is an element, which keeps none" : "keeps none"),
          "Use method = \"residual-power\", which needs the coupling variables alone.");
    }
  }
}

std::vector<CorrectedReceiver::Giver> Engine::Impl::givers_of(const std::vector<Index>& bonds) const {
  std::vector<CorrectedReceiver::Giver> givers;
  std::vector<Index> seen;
  for (const Index b : bonds) {
    const Index n = system.bonds[b].effort_node;
    if (std::find(seen.begin(), seen.end(), n) != seen.end()) continue;
    seen.push_back(n);
    const Node& node = system.nodes[n];
    CorrectedReceiver::Giver giver;
    giver.account = node.subsystem->energy_account();
    giver.stage = input_address[node.first_input].stage;
    giver.first_input = input_address[node.first_input].offset;
    for (Index i = 0; i < node.input_count; ++i) {
      const Index input = node.first_input + i;
      const bool ours = std::any_of(bonds.begin(), bonds.end(), [&](Index other) {
        const auto& list = system.bonds[other].effort_node_inputs;
        return std::find(list.begin(), list.end(), input) != list.end();
      });
      if (!ours) giver.outside.push_back(static_cast<std::uint32_t>(i));
    }
    givers.push_back(std::move(giver));
  }
  return givers;
}

void Engine::Impl::plan_corrections(ProblemList& problems) {
  std::vector<CorrectionRequest> asked;
  for (const CorrectionRequest& request : options.corrections) {
    if (request.method != "none") asked.push_back(request);
  }
  for (const CorrectionRequest& request : asked) check_correction(request, problems);
  if (problems.has_errors()) return;

  std::vector<Index> leak_bonds;           // of all receivers that ask for the balance of their group
  std::map<std::size_t, bool> leak_asked;  // those receivers, and whether they want half-step energies
  for (ReceiverRequest& group : group_by_receiver(system, asked, problems)) {
    const CorrectorInfo& info = *find_corrector(group.request->method);
    const CorrectionSettings settings(*group.request);
    CorrectorPlace place = place_of(group.bonds);
    if (info.needs == CorrectorNeeds::group_accounts)
      check_group_accounts(group.bonds, *group.request, problems);
    const bool asks_giver =
        info.needs == CorrectorNeeds::giver_accounts && settings.word("energies", "account") != "interface";
    if (asks_giver && !place.giver_accounts) {
      problems.error(
          group.request->where,
          fmt::format("Bond '{}': passivity needs the energy account of who gives the effort, but it "
                      "keeps none.",
                      group.request->bond),
          "Say energies = \"interface\" with initial_energy, or use method = \"residual-power\".");
    }
    auto corrector = info.make(place, settings, problems);
    if (corrector == nullptr || problems.has_errors()) continue;
    if (info.needs == CorrectorNeeds::group_accounts) {
      leak_asked[receivers.size()] = place.half_step_energies;
      leak_bonds.insert(leak_bonds.end(), group.bonds.begin(), group.bonds.end());
    }
    receivers.emplace_back(system, group.bonds, input_address, output_address, std::move(corrector), place);
    if (asks_giver) receivers.back().ask_accounts(givers_of(group.bonds));
  }
  if (problems.has_errors()) return;

  leak_of_receiver.assign(receivers.size(), no_leak_monitor);
  const std::vector<Index> group_of_node = join_nodes(system, leak_bonds);
  std::map<Index, std::vector<std::size_t>> members;  // of each group: its receivers
  for (const auto& [r, wants_half_step] : leak_asked) {
    members[group_of_node[system.bonds[receivers[r].bonds().front()].flow_node]].push_back(r);
  }
  for (const auto& [group, list] : members) {
    std::vector<Index> bonds;
    bool half_step = false;
    for (const std::size_t r : list) {
      bonds.insert(bonds.end(), receivers[r].bonds().begin(), receivers[r].bonds().end());
      half_step = half_step || leak_asked[r];
      leak_of_receiver[r] = leak_monitors.size();
    }
    leak_monitors.emplace_back(system, bonds, input_address, output_address, stages, half_step);
    for (const std::size_t r : list) receivers[r].wait_for(leak_monitors.back().stages_of_members());
  }
  for (const CorrectedReceiver& receiver : receivers) {
    for (std::size_t i = 0; i < receiver.targets().size(); ++i) {
      const CorrectedReceiver::Target& target = receiver.targets()[i];
      stages[target.stage].corrections.push_back({target.slot, &receiver.additions()[i]});
    }
  }
}

void Engine::Impl::start_books() {
  for (std::size_t b = 0; b < monitors.size(); ++b) monitors[b].start(stages, grid, bond_records[b]);
  for (LeakMonitor& leak : leak_monitors) leak.start(stages, rings, grid, bond_records);
  for (CorrectedReceiver& receiver : receivers) receiver.start(stages, grid, monitors, bond_records);
}

/// Residuals first, then balances, then the corrections that answer them.
void Engine::Impl::learn() {
  for (std::size_t b = 0; b < monitors.size(); ++b) {
    if (monitors[b].is_due(stages, now)) monitors[b].learn(stages, grid, now, bond_records[b]);
  }
  for (LeakMonitor& leak : leak_monitors) {
    if (leak.is_due(stages, now)) leak.learn(stages, rings, grid, now, bond_records);
  }
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    if (receivers[r].is_due(stages, now)) {
      receivers[r].learn(stages, grid, now, leak_share_J(r), monitors, bond_records);
    }
  }
}

/// The leak of a group is paid where most work is done: in proportion to |e₀·Δx| of the last step.
double Engine::Impl::leak_share_J(std::size_t receiver) const {
  if (leak_of_receiver[receiver] == no_leak_monitor) return 0.0;
  const LeakMonitor& leak = leak_monitors[leak_of_receiver[receiver]];
  double all = 0.0;
  double same_group = 0.0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    if (leak_of_receiver[r] != leak_of_receiver[receiver]) continue;
    all += leak.step_work_J(receivers[r].bonds());
    same_group += 1.0;
  }
  const double share = all > 0.0 ? leak.step_work_J(receivers[receiver].bonds()) / all : 1.0 / same_group;
  return share * leak.leak_J();
}

}  // namespace ergon

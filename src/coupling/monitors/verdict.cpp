#include "ergon/coupling/monitors/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/coupling/monitors/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;

const int VerdictMonitor::alarms_needed = limits::looks_that_agree;

VerdictMonitor::VerdictMonitor(const CoupledSystem& system, VerdictOptions options)
    : system_(system),
      options_(std::move(options)),
      bonds_(system.bonds.size()),
      points_until_look_(limits::first_look),
      energies_(system.nodes.size()) {
  for (std::size_t b = 0; b < options_.stale_bonds.size(); ++b) bonds_[b].stale = options_.stale_bonds[b];
  for (EnergyGroup& group : energy_groups(system)) groups_.push_back({std::move(group)});
  constexpr std::size_t most_per_bond = PowerTrace::SuddenChange::most_bursts + 4;
  findings_.reserve(2 * groups_.size() + most_per_bond * bonds_.size() + 1);
  scratch_.reserve(TimeWindows::capacity);
}

std::vector<bool> bonds_with_stale_efforts(const Engine& engine) {
  const CoupledSystem& system = engine.system();
  std::vector<bool> stale;
  for (const PowerBond& bond : system.bonds) {
    const Node& giver = system.nodes[bond.effort_node];
    const auto is_stale = [&](Index input) {
      if (giver.description.algebraic || bond.observed_only ||
          engine.feedthrough_mode(input) != FeedthroughMode::stale)
        return false;
      const auto& pairs = giver.description.feedthrough;
      return std::any_of(pairs.begin(), pairs.end(), [&](const FeedthroughPair& pair) {
        return pair.input == system.inputs[input].port &&
               pair.output == system.outputs[bond.components.front().effort_output].port;
      });
    };
    stale.push_back(std::any_of(bond.effort_node_inputs.begin(), bond.effort_node_inputs.end(), is_stale));
  }
  return stale;
}

// ── While the run goes on ───────────────────────────────────────────────────────────────────────────────────

void VerdictMonitor::choose_evidence(const StepRecord& first_point) {
  for (GroupState& state : groups_) {
    state.balanced = state.group.complete() && !options_.ignore_accounts;
    for (const Index b : state.group.bonds()) {
      BondState& bond = bonds_[b];
      bond.has_imbalance = first_point.bonds()[b].has_imbalance && !options_.ignore_accounts;
      bond.evidence = state.balanced          ? Evidence::balance
                      : bond.has_imbalance    ? Evidence::imbalance
                      : !options_.sequential  ? Evidence::interface
                                              : Evidence::none;
    }
  }
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    bonds_[b].last_time_s = first_point.time_s();
    bonds_[b].trace.start(first_point.bonds()[b]);
  }
}

void VerdictMonitor::inspect(const StepRecord& record) {
  if (!started_) {
    started_ = true;
    start_time_s_ = record.time_s();
    choose_evidence(record);
  }
  last_tick_ = record.tick();
  last_time_s_ = record.time_s();
  while (windows_.must_widen(last_tick_)) {
    windows_.widen();
    for (GroupState& state : groups_) state.group.spurious().widen();
    for (BondState& bond : bonds_) {
      bond.trace.widen();
      bond.imbalance.widen();
    }
  }
  learn_bonds(record);
  sample_energies(record, false);
  if (options_.watch && --points_until_look_ <= 0) look();
}

void VerdictMonitor::learn_bonds(const StepRecord& record) {
  const std::span<const BondRecord> records = record.bonds();
  const std::size_t window = windows_.index(last_tick_);
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    BondState& bond = bonds_[b];
    const double H_s = last_time_s_ - bond.last_time_s;
    if (records[b].last_point != last_tick_ || !(H_s > 0.0)) continue;
    bond.imbalance_J = records[b].imbalance_energy_J;
    bond.trace.learn(records[b], bond.has_imbalance ? bond.imbalance_J : records[b].interface_energy_J, H_s,
                     window);
    bond.last_time_s = last_time_s_;
  }
  for (GroupState& state : groups_) {
    if (state.balanced) state.group.learn(record);
  }
}

void VerdictMonitor::sample_energies(const StepRecord& record, bool at_end) {
  const std::size_t window = windows_.index(last_tick_);
  bool asked = false;
  const auto ask = [&] {
    if (!asked) record.energies(energies_);
    asked = true;
  };
  for (GroupState& state : groups_) {
    if (!state.balanced) continue;
    if (state.points_until_sample > 0) --state.points_until_sample;
    const bool due = state.points_until_sample == 0 || at_end;
    if (!due || !state.group.may_sample(record)) continue;
    ask();
    const bool missed = !state.group.sample(record, energies_, window);
    state.misses = missed ? state.misses + 1 : 0;
    if (missed && state.misses % limits::most_misses != 0) continue;
    state.points_until_sample = limits::points_between_samples;
  }
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    BondState& bond = bonds_[b];
    if (bond.evidence != Evidence::imbalance) continue;
    if (bond.points_until_sample > 0) --bond.points_until_sample;
    const bool due = bond.points_until_sample == 0 || at_end;
    if (!due || record.bonds()[b].last_point != last_tick_) continue;
    ask();
    const EnergyRecord& giver = energies_[system_.bonds[b].effort_node];
    const EnergyRecord& mover = energies_[system_.bonds[b].flow_node];
    bond.imbalance.sample(giver.synchronised_J + mover.synchronised_J,
                          giver.dissipated_J + mover.dissipated_J, record.bonds()[b].imbalance_energy_J,
                          window);
    bond.points_until_sample = limits::points_between_samples;
  }
}

void VerdictMonitor::finish(const StepRecord& last_point, bool energies_hold) {
  if (started_ && energies_hold) sample_energies(last_point, true);
}

void VerdictMonitor::look() {
  points_until_look_ = limits::points_between_looks;
  findings_.clear();
  assess(findings_);
  alarms_ = value_of(findings_) == VerdictValue::unreliable ? alarms_ + 1 : 0;
}

// ── Judging ─────────────────────────────────────────────────────────────────────────────────────────────────

void VerdictMonitor::assess(std::vector<Finding>& findings) const {
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const BondState& bond = bonds_[b];
    if (!bond.trace.finite()) findings.push_back({VerdictValue::unreliable, ReasonKind::not_finite, b});
    // The more telling reason first: it has the interval.
    if (bond.has_imbalance || !options_.sequential) assess_sudden_change(b, findings);
    if (bond.evidence == Evidence::imbalance)
      assess_spurious(bond.imbalance, ReasonKind::bond_imbalance, b, findings);
    if (bond.evidence == Evidence::interface) assess_interface(b, findings);
    if (bond.evidence == Evidence::none)
      findings.push_back({VerdictValue::not_monitored, ReasonKind::not_monitored, b});
    const double limited = bond.trace.limited_share();
    if (bond.evidence == Evidence::interface && limited > limits::correction_limited) {
      findings.push_back({VerdictValue::doubtful, ReasonKind::correction_limited, b, 0, TimeWindows::capacity,
                          limited, limits::correction_limited});
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].balanced)
      assess_spurious(groups_[g].group.spurious(), ReasonKind::energy_balance, g, findings);
    if (!groups_[g].group.unwatched_inputs().empty())
      findings.push_back({VerdictValue::not_monitored, ReasonKind::unwatched_input, g});
  }
}

void VerdictMonitor::assess_spurious(const SpuriousEnergy& spurious, ReasonKind kind, std::size_t subject,
                                     std::vector<Finding>& findings) const {
  const bool of_bond = kind == ReasonKind::bond_imbalance;
  if (!spurious.finite()) {
    // A group is told by its first bond.
    findings.push_back({VerdictValue::unreliable, ReasonKind::not_finite,
                        of_bond ? subject : groups_[subject].group.bonds().front()});
    return;
  }
  if (spurious.samples() < 2) return;  // over at once
  const double ratio = spurious.ratio();
  Finding finding{VerdictValue::reliable, kind, subject};
  finding.ratio = ratio;
  finding.limit = limits::doubtful_energy;
  finding.amount = spurious.largest_J();
  finding.scale = spurious.scale_J();
  if (ratio > limits::doubtful_energy) {
    finding.says = VerdictValue::doubtful;
    if (ratio > limits::unreliable_energy) {
      finding.says = VerdictValue::unreliable;
      finding.limit = limits::unreliable_energy;
    }
    const SpuriousEnergy::Span span = spurious.above(finding.limit);
    finding.first_window = span.first;
    finding.last_window = span.last;
  }
  findings.push_back(finding);
}

void VerdictMonitor::assess_interface(std::size_t b, std::vector<Finding>& findings) const {
  const PowerTrace& trace = bonds_[b].trace;
  const double ratio = trace.created_ratio();
  const double growth = trace.growth();
  Finding finding{VerdictValue::reliable, ReasonKind::interface_energy, b};
  finding.ratio = ratio;
  finding.limit = limits::doubtful_interface;
  finding.amount = trace.created_J();
  finding.scale = trace.swing_J();
  const bool small = ratio <= limits::doubtful_interface;
  // Energy that was created and is still there makes the level rise, energy that was destroyed makes it fall; else it
  // went into dampers, or never came out of them.
  const bool shows =
      trace.created_J() > 0.0 ? growth > limits::steady_level : growth < 1.0 / limits::steady_level;
  if (!small) {
    finding.says = VerdictValue::doubtful;
    if (ratio > limits::unreliable_interface && shows && !bonds_[b].stale &&
        !system_.bonds[b].observed_only) {
      finding.says = VerdictValue::unreliable;
      finding.limit = limits::unreliable_interface;
    }
    const PowerTrace::Span span = trace.creation();
    finding.first_window = span.first;
    finding.last_window = span.last;
  } else if (bonds_[b].stale) {
    finding.says = VerdictValue::doubtful;
    finding.kind = ReasonKind::stale_efforts;
  }
  findings.push_back(finding);
  if (growth < limits::growth || ratio < limits::doubtful_growth) return;
  // Energy that grows g-fold grows by at least (g − 1) × swing. Where (2) is small it may even have the wrong sign.
  const bool proven = ratio > limits::unreliable_growth * (growth - 1.0) && trace.created_J() > 0.0;
  findings.push_back({proven ? VerdictValue::unreliable : VerdictValue::doubtful, ReasonKind::growth, b, 0,
                      TimeWindows::capacity, growth, limits::growth, trace.created_J(), trace.swing_J()});
}

void VerdictMonitor::assess_sudden_change(std::size_t b, std::vector<Finding>& findings) const {
  const auto change = bonds_[b].trace.sudden_change(scratch_);
  if (!change || change->energy_ratio < limits::doubtful_sudden_energy) return;
  const VerdictValue says = change->energy_ratio < limits::unreliable_sudden_energy
                                ? VerdictValue::doubtful
                                : VerdictValue::unreliable;
  for (std::size_t i = 0; i < change->count; ++i) {
    const PowerTrace::SuddenChange::Burst& burst = change->bursts[i];
    findings.push_back({says, ReasonKind::sudden_change, b, burst.windows.first, burst.windows.last,
                        burst.level, limits::sudden_level, change->energy_ratio});
  }
}

VerdictValue VerdictMonitor::value_of(const std::vector<Finding>& findings) {
  const auto any = [&](VerdictValue value) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
      return f.says == value && f.kind != ReasonKind::unwatched_input;
    });
  };
  for (const VerdictValue value :
       {VerdictValue::unreliable, VerdictValue::doubtful, VerdictValue::not_monitored}) {
    if (any(value)) return value;
  }
  return any(VerdictValue::reliable) ? VerdictValue::reliable : VerdictValue::not_monitored;
}

Verdict VerdictMonitor::verdict(const std::optional<Failure>& failure) const {
  Verdict verdict;
  std::vector<Finding> findings;
  if (started_) assess(findings);
  const auto rank = [](VerdictValue value) {
    switch (value) {
      case VerdictValue::unreliable:
        return 0;
      case VerdictValue::doubtful:
        return 1;
      case VerdictValue::not_monitored:
        return 2;
      case VerdictValue::reliable:
        break;
    }
    return 3;
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return rank(a.says) < rank(b.says); });
  verdict.value = failure ? VerdictValue::unreliable : value_of(findings);
  if (failure) verdict.reasons.push_back(reason_of_failure(*failure));
  if (system_.bonds.empty()) verdict.reasons.push_back(reason_of_no_bonds());
  for (const Finding& finding : findings) verdict.reasons.push_back(reason_of(finding));
  return verdict;
}

}  // namespace ergon

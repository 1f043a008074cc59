#include "ergon/verdict/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;
namespace {

/// Where the components of each bond begin, and the end.
std::vector<std::size_t> first_components(const CoupledSystem& system) {
  std::vector<std::size_t> first = {0};
  for (const PowerBond& bond : system.bonds) first.push_back(first.back() + bond.components.size());
  return first;
}

}  // namespace

const int VerdictMonitor::alarms_needed = limits::looks_that_agree;

VerdictMonitor::VerdictMonitor(const CoupledSystem& system, VerdictOptions options)
    : system_(system),
      options_(std::move(options)),
      unwatched_(system.bonds.empty() ? std::vector<std::string>{} : unwatched_inputs(system)),
      bonds_(system.bonds.size()),
      tellings_(system.bonds.size()),
      told_J_(system.bonds.size()),
      traces_(system.bonds.size()),
      group_of_bond_(system.bonds.size()),
      efforts_(first_components(system).back()),
      first_effort_(first_components(system)),
      sources_(system, options_.degree),
      points_until_look_(limits::first_look) {
  for (std::size_t b = 0; b < options_.stale_bonds.size(); ++b) bonds_[b].stale = options_.stale_bonds[b];
  for (EnergyGroup& group : energy_groups(system)) groups_.push_back({std::move(group)});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Index b : groups_[g].group.bonds()) group_of_bond_[b] = g;
  }
  constexpr std::size_t most_per_bond = PowerTraces::SuddenChange::most_bursts + 6;
  findings_.reserve(2 * groups_.size() + most_per_bond * bonds_.size() + sources_.size() + 3);
  scratch_.reserve(TimeWindows::capacity);
}

// ── While the run goes on ───────────────────────────────────────────────────────────────────────────────────

void VerdictMonitor::choose_evidence(const StepRecord& first_point) {
  for (GroupState& state : groups_) {
    state.balanced = state.group.complete() && !options_.ignore_accounts;
    for (const Index b : state.group.bonds()) {
      BondState& bond = bonds_[b];
      const bool has_imbalance = first_point.bonds()[b].has_imbalance && !options_.ignore_accounts;
      tellings_[b].has_imbalance = has_imbalance;
      // Both ends of a bond that is observed only hold its law: what arrives at one did not leave the other.
      const bool in_both_books = system_.bonds[b].observed_only && !system_.bonds[b].law_booked_once;
      bond.evidence = state.balanced          ? Evidence::balance
                      : in_both_books         ? Evidence::none
                      : has_imbalance         ? Evidence::imbalance
                      : !options_.sequential  ? Evidence::interface
                                              : Evidence::none;
    }
  }
  note_evidence();
  traces_.start(first_point.bond_figures(), first_point.time_s());
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    if (bonds_[b].evidence == Evidence::imbalance) imbalances_.push_back({b, 0, {}});
    if (bonds_[b].evidence != Evidence::interface) continue;
    auto blind = BlindBond::probed(system_, b, first_point);
    if (!blind) continue;
    blind->learn(first_point, 0.0, 0);
    blind_.push_back({b, first_point.time_s(), std::move(*blind)});
  }
}

void VerdictMonitor::note_evidence() {
  all_by_interface_ = std::none_of(tellings_.begin(), tellings_.end(),
                                   [](const Telling& telling) { return telling.has_imbalance; });
  any_balanced_ =
      std::any_of(groups_.begin(), groups_.end(), [](const GroupState& state) { return state.balanced; });
  any_learns_ = std::any_of(groups_.begin(), groups_.end(),
                            [](const GroupState& state) { return state.balanced && state.group.learns(); });
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
    for (BlindState& blind : blind_) blind.books.widen();
    for (ImbalanceState& imbalance : imbalances_) imbalance.energy.widen();
    traces_.widen();
    end_quiet_points();
    for (Telling& telling : tellings_) telling.last_window /= 2;
  }
  learn_bonds(record);
  if (sources_.size() > 0) sources_.inspect(record);
  if (!explicit_) learn_residual(record);
  if (quiet_energies_.left > 0) {
    --quiet_energies_.left;
    ++quiet_energies_.passed;
  } else {
    sample_energies(record, false);
    find_quiet_energies();
  }
  if (options_.watch && --points_until_look_ <= 0) look();
}

/// Powers and residual (2) at every point; (3) is dear to read, but cumulative: once in every window at least.
void VerdictMonitor::learn_bonds(const StepRecord& record) {
  const std::size_t window = windows_.index(last_tick_);
  const BondFigures& figures = record.bond_figures();
  for (BlindState& blind : blind_) {
    const double H_s = last_time_s_ - blind.last_time_s;
    if (figures.last_point(blind.bond) != last_tick_ || !(H_s > 0.0)) continue;
    blind.last_time_s = last_time_s_;
    blind.books.learn(record, H_s, window);
  }
  std::size_t learnt = bonds_.size();
  if (!figures.corrected && figures.all_at(last_tick_) &&
      traces_.learn_all(figures, last_time_s_, window, all_by_interface_)) {
    if (quiet_.left > 0 && window == quiet_.window) {
      --quiet_.left;
      ++quiet_.passed;
    } else if (!all_by_interface_) {
      end_quiet_points();
      if (!learn_all_created(record, window)) {
        for (Index b = 0; b < learnt; ++b) learn_bond(record, b, traces_.common_step_s(), window);
      }
      find_quiet_points(window);
    }
  } else {
    end_quiet_points();
    const std::span<const BondRecord> corrected =
        figures.corrected ? record.bonds() : std::span<const BondRecord>{};
    learnt = traces_.learn_powers(figures, last_tick_, last_time_s_, window, [&](Index b, double H_s) {
      if (!corrected.empty()) learn_correction(corrected[b], b, H_s);
      learn_bond(record, b, H_s, window);
    });
  }
  learn_efforts(record, learnt);
  if (!any_learns_) return;
  for (GroupState& state : groups_) {
    if (state.balanced && state.group.learns()) state.group.learn(record);
  }
}

void VerdictMonitor::learn_bond(const StepRecord& record, Index b, double H_s, std::size_t window) {
  Telling& telling = tellings_[b];
  if (!telling.has_imbalance) {
    traces_.learn_interface(b, record.bond_figures().interface_energy_J[b], H_s, window);
  } else if (--telling.points_until <= 0 || window != telling.last_window) [[unlikely]] {
    learn_created(record, b, window);
  }
}

void VerdictMonitor::end_quiet_points() {
  if (quiet_.passed > 0) {
    for (Telling& telling : tellings_) telling.points_until -= quiet_.passed;
  }
  quiet_ = {};
}

void VerdictMonitor::find_quiet_points(std::size_t window) {
  std::int32_t least = limits::points_between_samples;
  for (const Telling& telling : tellings_) {
    if (!telling.has_imbalance || telling.last_window != window) return;
    least = std::min(least, telling.points_until);
  }
  quiet_ = {least - 1, 0, window};
}

void VerdictMonitor::learn_correction(const BondRecord& books, Index b, double H_s) {
  if (books.correction_capped) traces_.learn_limited(b, H_s);
  if (!books.corrected) return;
  bonds_[b].correction_J = std::max(bonds_[b].correction_J, std::abs(books.correction_energy_J));
}

void VerdictMonitor::learn_efforts(const StepRecord& record, std::size_t bonds_at_point) {
  const std::span<const double> efforts = record.efforts();
  if (bonds_at_point == 0 || efforts.empty()) return;
  if (bonds_at_point == bonds_.size()) {
    efforts_.learn(efforts);
    return;
  }
  for (Index b = 0; b < bonds_.size(); ++b) {
    if (record.bond_figures().last_point(b) == last_tick_)
      efforts_.learn(efforts, first_effort_[b], first_effort_[b + 1]);
  }
}

void VerdictMonitor::learn_created(const StepRecord& record, Index b, std::size_t window) {
  tellings_[b].points_until = limits::points_between_samples;
  tellings_[b].last_window = static_cast<std::uint32_t>(window);
  traces_.learn_imbalance(b, record.imbalance_J(b), last_time_s_, window);
}

bool VerdictMonitor::learn_all_created(const StepRecord& record, std::size_t window) {
  const bool all_due = std::all_of(tellings_.begin(), tellings_.end(), [window](const Telling& telling) {
    return telling.has_imbalance && (telling.points_until <= 1 || telling.last_window != window);
  });
  if (!all_due) return false;
  for (Telling& telling : tellings_)
    telling = {true, limits::points_between_samples, static_cast<std::uint32_t>(window)};
  record.imbalances_J(told_J_);
  traces_.learn_imbalances(told_J_, last_time_s_, window);
  return true;
}

void VerdictMonitor::learn_residual(const StepRecord& record) {
  const ImplicitRecord* implicit = record.implicit_steps();
  explicit_ = implicit == nullptr;
  if (explicit_ || implicit->steps == 0) return;
  const double residual = implicit->residual;
  ++residuals_.steps;
  if (!(residual <= limits::doubtful_residual)) ++residuals_.noticed;
  if (!(residual <= limits::unreliable_residual)) ++residuals_.large;
  if (!(residual <= residuals_.largest)) residuals_.largest = residual;
}

void VerdictMonitor::end_quiet_energies() {
  if (quiet_energies_.passed > 0) {
    for (GroupState& state : groups_) {
      if (state.balanced) state.points_until_sample -= quiet_energies_.passed;
    }
    for (ImbalanceState& imbalance : imbalances_) imbalance.points_until_sample -= quiet_energies_.passed;
  }
  quiet_energies_ = {};
}

void VerdictMonitor::find_quiet_energies() {
  std::int32_t least = limits::points_between_samples;
  for (const GroupState& state : groups_) {
    if (state.balanced) least = std::min(least, state.points_until_sample);
  }
  for (const ImbalanceState& imbalance : imbalances_) least = std::min(least, imbalance.points_until_sample);
  quiet_energies_.left = least - 1;
}

void VerdictMonitor::sample_energies(const StepRecord& record, bool at_end) {
  end_quiet_energies();
  const auto window = [&] { return windows_.index(last_tick_); };
  const std::span<GroupState> balanced = any_balanced_ ? std::span(groups_) : std::span<GroupState>{};
  for (GroupState& state : balanced) {
    if (!state.balanced) continue;
    if (state.points_until_sample > 0) --state.points_until_sample;
    const bool due = state.points_until_sample == 0 || at_end;
    if (!due || !state.group.may_sample(record)) continue;
    const bool missed = !state.group.sample(record, window());
    if (!missed && state.group.spurious().at_peak()) {
      for (const Index b : state.group.bonds()) {
        if (tellings_[b].has_imbalance) bonds_[b].imbalance_at_peak_J = record.imbalance_J(b);
      }
    }
    state.misses = missed ? state.misses + 1 : 0;
    if (missed && state.misses % limits::most_misses != 0) continue;
    state.points_until_sample = limits::points_between_samples;
    // A motion that dies out at once is seen in the first points, or never.
    if (state.group.spurious().samples() < limits::dense_samples) state.points_until_sample = 1;
  }
  for (ImbalanceState& imbalance : imbalances_) {
    const Index b = imbalance.bond;
    if (imbalance.points_until_sample > 0) --imbalance.points_until_sample;
    const bool due = imbalance.points_until_sample == 0 || at_end;
    if (!due || record.bond_figures().last_point(b) != last_tick_) continue;
    const EnergyRecord& giver = record.energy(system_.bonds[b].effort_node);
    const EnergyRecord& mover = record.energy(system_.bonds[b].flow_node);
    EnergySample ends;
    ends.stored_J = giver.synchronised_J + mover.synchronised_J;
    ends.kinetic_J = giver.kinetic_J + mover.kinetic_J;
    ends.dissipated_J = giver.non_conservative_J() + mover.non_conservative_J();
    ends.created_J = record.imbalance_J(b);
    for (const EnergyRecord* end : {&giver, &mover}) {
      for (const double work_J : end->received_J) ends.outside_J += work_J;
    }
    ends.outside_J -= ends.created_J;
    imbalance.energy.sample(ends, window());
    imbalance.points_until_sample = limits::points_between_samples;
  }
}

void VerdictMonitor::finish(const StepRecord& last_point, bool energies_hold) {
  if (!started_ || !energies_hold) return;
  sample_energies(last_point, true);
}

void VerdictMonitor::look() {
  points_until_look_ = limits::points_between_looks;
  findings_.clear();
  assess(findings_);
  alarms_ = value_of(findings_) == VerdictValue::unreliable ? alarms_ + 1 : 0;
}

VerdictValue VerdictMonitor::value_of(const std::vector<Finding>& findings) {
  const auto any = [&](VerdictValue value) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.says == value; });
  };
  for (const VerdictValue value :
       {VerdictValue::unreliable, VerdictValue::doubtful, VerdictValue::not_monitored}) {
    if (any(value)) return value;
  }
  return any(VerdictValue::consistent) ? VerdictValue::consistent : VerdictValue::not_monitored;
}

Verdict VerdictMonitor::verdict(const std::optional<Failure>& failure) const {
  Verdict verdict;
  std::vector<Finding> findings;
  if (started_) assess(findings);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return severity(a.says) > severity(b.says); });
  verdict.value = failure ? VerdictValue::unreliable : value_of(findings);
  verdict.energy = verdict.value;
  if (failure) verdict.reasons.push_back(reason_of_failure(*failure));
  if (system_.bonds.empty()) verdict.reasons.push_back(reason_of_no_bonds());
  for (const Finding& finding : findings) verdict.reasons.push_back(reason_of(finding));
  return verdict;
}

void VerdictMonitor::archive(Archive& archive) {
  archive.section("verdict");
  end_quiet_points();
  end_quiet_energies();
  for (GroupState& state : groups_) {
    state.group.archive(archive);
    archive(state.balanced);
    archive(state.points_until_sample);
    archive(state.misses);
  }
  archive(std::span(bonds_));
  archive(std::span(tellings_));
  note_evidence();
  traces_.archive(archive);
  archive(std::span(imbalances_));
  archive(windows_);
  archive(started_);
  archive(start_time_s_);
  archive(last_time_s_);
  archive(last_tick_);
  archive(points_until_look_);
  archive(alarms_);
  archive(residuals_);
  efforts_.archive(archive);
  for (BlindState& blind : blind_) {
    archive(blind.last_time_s);
    blind.books.archive(archive);
  }
  sources_.archive(archive);
}

}  // namespace ergon

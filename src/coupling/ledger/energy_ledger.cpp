#include "ergon/coupling/ledger/energy_ledger.hpp"

#include <map>

namespace ergon {

EnergyLedger::EnergyLedger(const CouplingPlan& plan, PendingSteps& pending)
    : accounts_(plan, pending), imbalances_(plan), table_(plan.bonds()), figures_(plan.bonds().size()) {
  const std::size_t components = table_.component_count();
  efforts_.resize(components);
  flows_.resize(components);
  displacements_.resize(components);
  effort_changes_.resize(components);
  std::map<std::uint32_t, std::uint32_t> rate_groups;
  for (const BondRow& bond : table_.rows()) {
    const auto own = [&bond](auto& numbers) {
      return std::span(numbers).subspan(bond.first_component, bond.components.size());
    };
    bonds_.emplace_back(
        bond, BondMonitor::Share{own(efforts_), own(flows_), own(displacements_), own(effort_changes_)});
    const auto [place, is_new] =
        rate_groups.emplace(bond.rate_group, static_cast<std::uint32_t>(stage_of_rate_group_.size()));
    if (is_new) stage_of_rate_group_.push_back(bond.rate_group);
    figures_.rate_group[bond.number] = place->second;
  }
  figures_.last_points.resize(stage_of_rate_group_.size());
  arrange(std::vector<bool>(bonds_.size(), false));
  if (!bonds_.empty()) numbers_.resize(plan.stages().size());
  records_.resize(bonds_.size());
  for (Index b = 0; b < bonds_.size(); ++b) records_[b].has_imbalance = imbalances_.exists(b);
}

void EnergyLedger::arrange(const std::vector<bool>& corrected) {
  single_component_.clear();
  other_bonds_.clear();
  std::map<SingleComponentBonds::Key, std::size_t> places;
  for (const BondRow& bond : table_.rows()) {
    const auto key = SingleComponentBonds::key_of(bond);
    if (!key || corrected[bond.number]) {
      other_bonds_.push_back(bond.number);
      continue;
    }
    const auto [place, is_new] = places.emplace(*key, single_component_.size());
    if (is_new)
      single_component_.emplace_back(*key, SingleComponentBonds::Arrays{efforts_, flows_, figures_});
    single_component_[place->second].add(bond);
  }
}

void EnergyLedger::expect_corrections(std::span<const Index> bonds) {
  std::vector<bool> corrected(bonds_.size(), false);
  for (const Index b : bonds) corrected[b] = true;
  arrange(corrected);
}

std::size_t EnergyLedger::watch_leak(const CouplingPlan& plan, const BondGroup& group, bool half_step) {
  leaks_.emplace_back(plan, group, half_step);
  return leaks_.size() - 1;
}

void EnergyLedger::start(const Point& point) {
  accounts_.start(point);
  records_hold_ = false;
  for (Index b = 0; b < bonds_.size(); ++b) {
    bonds_[b].start(point, entry(b));
    records_[b].has_imbalance = imbalances_.exists(b);
  }
  imbalances_.start(point, accounts_);
  for (LeakMonitor& leak : leaks_) leak.start(point, accounts_, records_);
}

void EnergyLedger::update(const Point& point, std::span<const double> corrections) {
  accounts_.update(point);
  point.look_up(numbers_);
  records_hold_ = false;
  for (const SingleComponentBonds& bonds : single_component_) bonds.update(point, numbers_);
  if (!other_bonds_.empty()) update_each(point, corrections);
  for (std::size_t p = 0; p < stage_of_rate_group_.size(); ++p) {
    if (numbers_[stage_of_rate_group_[p]].is_sampled) figures_.last_points[p] = point.tick();
  }
  for (LeakMonitor& leak : leaks_) {
    if (leak.is_due(point)) leak.update(point, accounts_, records_);
  }
}

void EnergyLedger::update_each(const Point& point, std::span<const double> corrections) {
  BondMonitor::Interval interval;  // most bonds have the same
  for (const Index b : other_bonds_) {
    if (!bonds_[b].is_due(numbers_)) continue;
    const Tick ticks = point.tick() - figures_.last_point(b);
    if (ticks != interval.ticks) interval = {ticks, point.duration_s(ticks)};
    const BondRow& bond = table_.row(b);
    const auto own =
        corrections.empty() ? corrections : corrections.subspan(bond.first_component, bond.components.size());
    bonds_[b].update(point, numbers_, interval, own, entry(b));
  }
}

std::span<const BondRecord> EnergyLedger::records() const {
  if (!records_hold_) {
    for (Index b = 0; b < records_.size(); ++b) figures_.tell(b, records_[b]);
  }
  records_hold_ = true;
  return records_;
}

void EnergyLedger::note(std::span<const CorrectionNote> notes) {
  figures_.corrected = false;
  for (std::size_t b = 0; b < notes.size(); ++b) {
    records_[b].corrected = notes[b].acts;
    records_[b].correction_capped = notes[b].capped;
    figures_.corrected = figures_.corrected || notes[b].acts || notes[b].capped;
  }
}

void EnergyLedger::take_records() {
  figures_.corrected = false;
  for (Index b = 0; b < records_.size(); ++b) figures_.take(b, records_[b]);
}

void EnergyLedger::archive(Archive& archive) {
  archive.section("books");
  accounts_.archive(archive);
  for (BondMonitor& bond : bonds_) bond.archive(archive);
  for (LeakMonitor& leak : leaks_) leak.archive(archive);
  (void)records();
  archive(std::span(records_));
  if (archive.reads()) take_records();
  imbalances_.archive(archive);
  if (archive.reads()) accounts_.forget();
}

}  // namespace ergon

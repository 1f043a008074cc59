#include "ergon/coupling/books/books.hpp"

#include <map>
#include <numeric>

namespace ergon {

Books::Books(const CouplingPlan& plan)
    : accounts_(plan), imbalances_(plan.system()), figures_(plan.system().bonds.size()) {
  first_component_.push_back(0);
  const std::vector<PowerBond>& bonds = plan.system().bonds;
  for (const PowerBond& bond : bonds)
    first_component_.push_back(first_component_.back() + bond.components.size());
  components_.resize(component_count());
  efforts_.resize(component_count());
  flows_.resize(component_count());
  displacements_.resize(component_count());
  effort_changes_.resize(component_count());
  for (Index b = 0; b < bonds.size(); ++b) {
    const std::size_t first = first_component_[b];
    const std::size_t count = bonds[b].components.size();
    bonds_.emplace_back(
        plan, bonds[b],
        BondMonitor::Share{std::span(components_).subspan(first, count),
                           std::span(efforts_).subspan(first, count), std::span(flows_).subspan(first, count),
                           std::span(displacements_).subspan(first, count),
                           std::span(effort_changes_).subspan(first, count)});
  }
  std::map<std::uint32_t, std::uint32_t> paces;
  for (Index b = 0; b < bonds.size(); ++b) {
    const auto [place, is_new] =
        paces.emplace(bonds_[b].pace(), static_cast<std::uint32_t>(stage_of_pace_.size()));
    if (is_new) stage_of_pace_.push_back(bonds_[b].pace());
    figures_.pace[b] = place->second;
  }
  figures_.last_points.resize(stage_of_pace_.size());
  std::map<PlainBonds::Key, std::size_t> numbers;
  for (Index b = 0; b < bonds.size(); ++b) {
    const auto key = PlainBonds::key_of(bonds_[b]);
    if (!key) {
      other_bonds_.push_back(b);
      continue;
    }
    const auto [place, is_new] = numbers.emplace(*key, plain_.size());
    if (is_new) plain_.emplace_back(*key, PlainBonds::Books{efforts_, flows_, figures_});
    plain_[place->second].add(bonds_[b], b, first_component_[b]);
  }
  all_bonds_.resize(bonds.size());
  std::iota(all_bonds_.begin(), all_bonds_.end(), Index{0});
  if (!bonds.empty()) numbers_.resize(plan.stages().size());
  records_.resize(bonds_.size());
  for (Index b = 0; b < bonds_.size(); ++b) records_[b].has_imbalance = imbalances_.exists(b);
}

std::size_t Books::watch_leak(const CouplingPlan& plan, std::vector<Index> bonds, bool half_step) {
  leaks_.emplace_back(plan, std::move(bonds), half_step);
  return leaks_.size() - 1;
}

void Books::start(const Point& point) {
  accounts_.start(point);
  records_hold_ = false;
  for (Index b = 0; b < bonds_.size(); ++b) {
    bonds_[b].start(point, entry(b));
    records_[b].has_imbalance = imbalances_.exists(b);
  }
  imbalances_.start(point, accounts_);
  for (LeakMonitor& leak : leaks_) leak.start(point, accounts_, records_);
}

void Books::learn(const Point& point, std::span<const double> corrections) {
  accounts_.learn(point);
  point.look_up(numbers_);
  records_hold_ = false;
  if (corrections.empty()) {
    for (const PlainBonds& bonds : plain_) bonds.learn(point, numbers_);
    if (!other_bonds_.empty()) learn_each(point, other_bonds_, corrections);
  } else {
    learn_each(point, all_bonds_, corrections);
  }
  for (std::size_t p = 0; p < stage_of_pace_.size(); ++p) {
    if (numbers_[stage_of_pace_[p]].is_sampled) figures_.last_points[p] = point.tick();
  }
  for (LeakMonitor& leak : leaks_) {
    if (leak.is_due(point)) leak.learn(point, accounts_, records_);
  }
}

void Books::learn_each(const Point& point, std::span<const Index> bonds,
                       std::span<const double> corrections) {
  BondMonitor::Interval interval;  // most bonds have the same
  for (const Index b : bonds) {
    if (!bonds_[b].is_due(numbers_)) continue;
    const Tick ticks = point.tick() - figures_.last_point(b);
    if (ticks != interval.ticks) interval = {ticks, point.duration_s(ticks)};
    const auto own =
        corrections.empty() ? corrections : corrections.subspan(first_component_[b], bonds_[b].components());
    bonds_[b].learn(point, numbers_, interval, own, entry(b));
  }
}

std::span<const BondRecord> Books::records() const {
  if (!records_hold_) {
    for (Index b = 0; b < records_.size(); ++b) figures_.tell(b, records_[b]);
  }
  records_hold_ = true;
  return records_;
}

void Books::note(std::span<const CorrectionNote> notes) {
  figures_.corrected = false;
  for (std::size_t b = 0; b < notes.size(); ++b) {
    records_[b].corrected = notes[b].acts;
    records_[b].correction_capped = notes[b].capped;
    figures_.corrected = figures_.corrected || notes[b].acts || notes[b].capped;
  }
}

void Books::take_records() {
  figures_.corrected = false;
  for (Index b = 0; b < records_.size(); ++b) figures_.take(b, records_[b]);
}

void Books::archive(Archive& archive) {
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

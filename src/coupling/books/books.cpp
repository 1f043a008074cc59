#include "ergon/coupling/books/books.hpp"

#include <map>
#include <numeric>

namespace ergon {

Books::Books(const CouplingPlan& plan) : accounts_(plan) {
  first_component_.push_back(0);
  const std::vector<PowerBond>& bonds = plan.system().bonds;
  for (const PowerBond& bond : bonds)
    first_component_.push_back(first_component_.back() + bond.components.size());
  components_.resize(component_count());
  efforts_.resize(component_count());
  last_motions_.resize(component_count());
  effort_changes_.resize(component_count());
  for (Index b = 0; b < bonds.size(); ++b) {
    const std::size_t first = first_component_[b];
    const std::size_t count = bonds[b].components.size();
    bonds_.emplace_back(plan, bonds[b],
                        BondMonitor::Share{std::span(components_).subspan(first, count),
                                           std::span(efforts_).subspan(first, count),
                                           std::span(last_motions_).subspan(first, count),
                                           std::span(effort_changes_).subspan(first, count)});
  }
  std::map<PlainBonds::Key, std::size_t> numbers;
  for (Index b = 0; b < bonds.size(); ++b) {
    const auto key = PlainBonds::key_of(bonds_[b]);
    if (!key) {
      other_bonds_.push_back(b);
      continue;
    }
    const auto [place, is_new] = numbers.emplace(*key, plain_.size());
    if (is_new) plain_.emplace_back(*key);
    plain_[place->second].add(bonds_[b], b, first_component_[b]);
  }
  all_bonds_.resize(bonds.size());
  std::iota(all_bonds_.begin(), all_bonds_.end(), Index{0});
  if (!bonds.empty()) numbers_.resize(plan.stages().size());
  records_.resize(bonds_.size());
  for (std::size_t b = 0; b < bonds_.size(); ++b) records_[b].has_imbalance = bonds_[b].has_accounts();
  imbalances_.resize(bonds_.size());
}

std::size_t Books::watch_leak(const CouplingPlan& plan, std::vector<Index> bonds, bool half_step) {
  leaks_.emplace_back(plan, std::move(bonds), half_step);
  return leaks_.size() - 1;
}

void Books::start(const Point& point) {
  accounts_.forget();
  for (std::size_t b = 0; b < bonds_.size(); ++b) bonds_[b].start(point, accounts_, records_[b]);
  for (Imbalance& imbalance : imbalances_) imbalance = {};
  for (LeakMonitor& leak : leaks_) leak.start(point, accounts_, records_);
}

void Books::learn(const Point& point, std::span<const double> corrections) {
  accounts_.forget();
  point.look_up(numbers_);
  if (corrections.empty()) {
    for (const PlainBonds& bonds : plain_) bonds.learn(point, numbers_, {efforts_, last_motions_, records_});
    if (!other_bonds_.empty()) learn_each(point, other_bonds_, corrections);
  } else {
    learn_each(point, all_bonds_, corrections);
  }
  for (LeakMonitor& leak : leaks_) {
    if (leak.is_due(point)) leak.learn(point, accounts_, records_);
  }
}

void Books::learn_each(const Point& point, std::span<const Index> bonds,
                       std::span<const double> corrections) {
  Tick last_interval = 0;  // most bonds have the same
  double H_s = 0.0;
  for (const Index b : bonds) {
    if (!bonds_[b].is_due(numbers_)) continue;
    const Tick interval = point.tick() - records_[b].last_point;
    if (interval != last_interval) H_s = point.duration_s(interval);
    last_interval = interval;
    const auto own =
        corrections.empty() ? corrections : corrections.subspan(first_component_[b], bonds_[b].components());
    bonds_[b].learn(point, numbers_, H_s, own, records_[b]);
  }
}

void Books::note(std::span<const CorrectionNote> notes) {
  for (std::size_t b = 0; b < notes.size(); ++b) {
    records_[b].corrected = notes[b].acts;
    records_[b].correction_capped = notes[b].capped;
  }
}

double Books::imbalance_J(Index bond, const Point& point) const {
  Imbalance& imbalance = imbalances_[bond];
  if (bonds_[bond].has_accounts() && imbalance.read_at != point.tick() &&
      records_[bond].last_point == point.tick()) {
    imbalance = {point.tick(), bonds_[bond].imbalance_J(point, accounts_)};
  }
  return imbalance.energy_J;
}

void Books::archive(Archive& archive) {
  archive.section("books");
  for (BondMonitor& bond : bonds_) bond.archive(archive);
  for (LeakMonitor& leak : leaks_) leak.archive(archive);
  archive(std::span(records_));
  archive(std::span(imbalances_));
  if (archive.reads()) accounts_.forget();
}

}  // namespace ergon

#pragma once

#include <span>
#include <vector>

#include "ergon/coupling/ledger/bond_monitor.hpp"
#include "ergon/coupling/ledger/imbalances.hpp"
#include "ergon/coupling/ledger/leak_monitor.hpp"
#include "ergon/coupling/ledger/single_component_bonds.hpp"

namespace ergon {

/// What a corrector tells of a bond.
struct CorrectionNote {
  bool acts = false;    ///< on the receiver of the bond
  bool capped = false;  ///< what it wanted for the next step was limited
};

/// The energy ledger of all bonds. Residuals (1) and (2) are kept at every point of a bond; (3) and the energies of nodes are read
/// from the accounts where somebody asks.
class EnergyLedger {
 public:
  /// `plan` and `pending`, see Accounts, must outlive it.
  EnergyLedger(const CouplingPlan& plan, PendingSteps& pending);
  EnergyLedger(const EnergyLedger&) = delete;
  EnergyLedger& operator=(const EnergyLedger&) = delete;

  /// Watches the balance of a group; returns its number.
  std::size_t watch_leak(const CouplingPlan& plan, const BondGroup& group, bool half_step);

  /// Bonds that correctors act on: what is added counts as part of their efforts. Before the start.
  void expect_corrections(std::span<const Index> bonds);

  /// At t₀, when everything has been evaluated.
  void start(const Point& point);
  /// At every point: residuals first, then balances. `corrections`: efforts added over the steps that ended, one number per
  /// component of every bond (SI, each bond's share); empty: none.
  void update(const Point& point, std::span<const double> corrections);
  /// What the correctors said after that.
  void note(std::span<const CorrectionNote> notes);

  [[nodiscard]] const BondFigures& figures() const { return figures_; }
  /// Put together where somebody asks, once per point.
  [[nodiscard]] std::span<const BondRecord> records() const;
  /// Efforts of all bonds at their last points (SI), one number per component.
  [[nodiscard]] std::span<const double> efforts() const { return efforts_; }
  [[nodiscard]] const BondMonitor& bond(Index bond) const { return bonds_[bond]; }
  [[nodiscard]] const LeakMonitor& leak(std::size_t number) const { return leaks_[number]; }

  [[nodiscard]] const EnergyRecord& energy(Index node, const Point& point) const {
    return accounts_.read(node, point);
  }
  [[nodiscard]] const Accounts& accounts() const { return accounts_; }
  /// (3), as StepRecord::imbalance_J says.
  [[nodiscard]] double imbalance_J(Index bond, const Point& point) const {
    return imbalances_.read(bond, figures_, point, accounts_);
  }
  void imbalances_J(std::span<double> per_bond, const Point& point) const {
    imbalances_.read_all(per_bond, figures_, point, accounts_);
  }

  void archive(Archive& archive);

 private:
  [[nodiscard]] BondMonitor::Entry entry(Index bond) { return {bond, figures_, records_[bond]}; }
  /// Of an archive.
  void take_records();
  /// Which bonds are updated together, and which one by one.
  void arrange(const std::vector<bool>& corrected);
  void update_each(const Point& point, std::span<const double> corrections);

  Accounts accounts_;
  Imbalances imbalances_;
  const BondTable& table_;
  // Flat, in the order of the bonds: walking through them costs no search.
  NumberArray efforts_;
  NumberArray flows_;
  NumberArray displacements_;
  std::vector<double> effort_changes_;
  std::vector<BondMonitor> bonds_;
  std::vector<SingleComponentBonds> single_component_;  ///< these together …
  std::vector<Index> other_bonds_;                      ///< … and those one by one
  std::vector<StageNumbers> numbers_;                   ///< per stage, of the point that is updated
  std::vector<LeakMonitor> leaks_;
  BondFigures figures_;
  std::vector<std::uint32_t> stage_of_rate_group_;
  mutable std::vector<BondRecord> records_;  ///< their figures: as they were put together last
  mutable bool records_hold_ = true;         ///< that was at this point
};

}  // namespace ergon

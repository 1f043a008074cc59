#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/ledger/bond_samples.hpp"
#include "ergon/coupling/ledger/energy_ledger.hpp"
#include "ergon/coupling/state/bond_gains.hpp"

namespace ergon {

/// One place where corrections are added: a subsystem's port that gives the flow of one or more bonds. All efforts that
/// act there are corrected together: limits do not add up over bonds.
class CorrectedReceiver {
 public:
  struct Target {
    std::uint32_t stage = 0;
    std::uint32_t slot = 0;
    double from_SI = 1.0;  ///< from effort × scale in SI to the unit of the input
  };
  /// A sender of these efforts that keeps an energy account.
  struct Sender {
    Index node = 0;
    std::vector<std::uint32_t> outside;  ///< of these bonds: see outside_inputs
    double start_J = 0.0;
  };

  CorrectedReceiver(const CouplingPlan& plan, std::vector<Index> bonds, std::unique_ptr<Corrector> corrector,
                    const CorrectorPlace& place);

  [[nodiscard]] std::span<const Index> bonds() const { return bonds_; }
  [[nodiscard]] std::span<const BondRow* const> bond_rows() const { return rows_; }
  [[nodiscard]] std::span<const Target> targets() const { return targets_; }
  /// What to add to the targets until the next point, in their units.
  [[nodiscard]] std::span<const double> additions() const { return additions_; }

  /// Its points are those that all ends of its bonds reach together (with a leak monitor: all of the group).
  void wait_for(std::span<const std::uint32_t> stages);
  void ask_accounts(std::vector<Sender> senders);
  [[nodiscard]] bool is_due(const Point& point) const;

  /// Direct gains of its bonds; when they are wanted.
  [[nodiscard]] EffortGains wanted_gains() const { return gains_wanted_; }
  void set_gains(std::size_t bond, const BondGains& gains) { gains_[bond] = gains; }

  void start(const Point& point, const EnergyLedger& ledger);
  /// Answers the step that ended here. `leak_J`: its share of the leak of its group.
  void update(const Point& point, const EnergyLedger& ledger, double leak_J);
  /// The limit cut the answer short.
  [[nodiscard]] bool capped() const { return capped_; }
  /// The effort that acts from now on, in SI units and without the bonds' scale: each bond's equal share of it.
  [[nodiscard]] double share(std::size_t component) const;

  void archive(Archive& archive);

 private:
  [[nodiscard]] std::span<double> row(std::size_t r) {
    return {memory_.data() + r * components_, components_};
  }
  /// What bond b misses of its effort, with its own part of how late it is.
  void add_missing(std::size_t b);
  [[nodiscard]] double sender_balance_J(const Sender& sender, const Point& point,
                                        const EnergyLedger& ledger) const;

  std::size_t components_;
  bool half_step_energies_;  ///< of the senders
  std::vector<Index> bonds_;
  std::vector<const BondRow*> rows_;  ///< per bond
  std::vector<Target> targets_;
  std::vector<double> mu_;              ///< per bond
  std::vector<double> ahead_fraction_;  ///< per bond
  std::vector<double> hold_fraction_;   ///< likewise
  std::vector<double> stale_fraction_;  ///< likewise
  EffortGains gains_wanted_;
  std::vector<BondGains> gains_;  ///< per bond, where they are wanted
  double scale_ = 1.0;
  std::vector<std::uint32_t> stages_;
  std::vector<Sender> senders_;
  std::unique_ptr<Corrector> corrector_;

  Tick last_point_ = 0;
  bool capped_ = false;
  /// Rows of `components_`: effort 0, 1; flow 0, 1; displacement; moved; applied; next; lag effort; ahead effort; missing effort.
  std::vector<double> memory_;
  std::vector<double> additions_;
  std::vector<double> residual_energy_J_;  ///< per bond, at the last point
  std::vector<double> late_effort_;        ///< per bond and component: by stale motion, at the last point
};

}  // namespace ergon

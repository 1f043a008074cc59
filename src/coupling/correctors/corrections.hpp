#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ergon/coupling/correctors/corrected_receiver.hpp"
#include "ergon/coupling/ledger/energy_ledger.hpp"

namespace ergon {

/// All correctors of a run. They read the point and the ledger, and answer with efforts to add: `state` gets them as additions
/// to inputs, the ledger as what is in force.
class Corrections {
 public:
  /// Reports requests that do not fit. Watches the balances that some methods act on, and reserves room for the answers.
  Corrections(const CouplingPlan& plan, EnergyLedger& ledger, CouplingState& state, ProblemList& problems);

  [[nodiscard]] bool empty() const { return receivers_.empty(); }
  void start(const Point& point, const EnergyLedger& ledger, CouplingState& state);
  /// How to probe the gains of a bond at the present point; nothing where it cannot be done.
  using ProbeGains = std::function<std::optional<BondGains>(Index bond)>;
  /// At t₀. `at_start`: of every bond, where `probe` has nothing. Reports bonds whose correction needs gains that nobody knows.
  void set_gains(std::span<const std::optional<BondGains>> at_start, ProbeGains probe, ProblemList& problems);
  /// After the ledger was updated at this point.
  void answer(const Point& point, const EnergyLedger& ledger, CouplingState& state);

  /// Efforts that act until the next answer, one number per component of every bond (SI, each bond's share).
  [[nodiscard]] std::span<const double> in_force() const { return in_force_; }
  /// One per bond; empty where nothing is corrected.
  [[nodiscard]] std::span<const CorrectionNote> notes() const { return notes_; }

  void archive(Archive& archive);

 private:
  static constexpr std::size_t no_leak = static_cast<std::size_t>(-1);

  void watch_leaks(const CouplingPlan& plan, EnergyLedger& ledger, const std::vector<Index>& leak_bonds,
                   const std::map<std::size_t, bool>& half_step_wanted);
  void reserve_room(const CouplingPlan& plan, EnergyLedger& ledger, CouplingState& state);
  void hand_out(std::size_t receiver, CouplingState& state);
  /// The leak of a group is paid where most work is done: in proportion to |e₀·Δx| of the last step.
  [[nodiscard]] double leak_share_J(std::size_t receiver, const EnergyLedger& ledger) const;

  const CoupledSystem& system_;
  std::vector<CorrectedReceiver> receivers_;
  std::vector<CorrectionRequest> requests_;  ///< per receiver
  ProbeGains probe_;
  std::vector<std::size_t> leak_of_receiver_;     ///< number of its balance, where it has one
  std::vector<std::vector<std::size_t>> places_;  ///< per receiver and target: number of the addition
  std::vector<double> in_force_;
  std::vector<CorrectionNote> notes_;
};

}  // namespace ergon

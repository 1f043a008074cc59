#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/monitors/bond_monitor.hpp"
#include "ergon/coupling/monitors/leak_monitor.hpp"

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
  /// An energy account of one that pushes here.
  struct Giver {
    const EnergyAccount* account = nullptr;
    std::uint32_t stage = 0;
    std::uint32_t first_input = 0;
    std::vector<std::uint32_t> outside;  ///< inputs that other than these bonds feed, relative to the node
    double start_J = 0.0;
  };

  CorrectedReceiver(const CoupledSystem& system, std::vector<Index> bonds,
                    const std::vector<SlotAddress>& inputs, const std::vector<SlotAddress>& outputs,
                    std::unique_ptr<Corrector> corrector, const CorrectorPlace& place);

  [[nodiscard]] std::span<const Index> bonds() const { return bonds_; }
  [[nodiscard]] std::span<const Target> targets() const { return targets_; }
  /// What to add to the targets until the next point, in their units.
  [[nodiscard]] std::span<const double> additions() const { return additions_; }

  /// Its points are those that all ends of its bonds reach together (with a leak monitor: all of the group).
  void wait_for(std::span<const std::uint32_t> stages);
  void ask_accounts(std::vector<Giver> givers);
  [[nodiscard]] bool is_due(const std::vector<Stage>& stages, Tick k) const;

  void start(const std::vector<Stage>& stages, const TimeGrid& grid, std::span<BondMonitor> monitors,
             std::span<BondRecord> records);
  /// `leak_J`: its share of the leak of its group.
  void learn(const std::vector<Stage>& stages, const TimeGrid& grid, Tick k, double leak_J,
             std::span<BondMonitor> monitors, std::span<BondRecord> records);

  template <class Visitor>
  void visit_state(Visitor&& visit) {
    visit_state_of(*this, visit);
  }
  template <class Visitor>
  void visit_state(Visitor&& visit) const {
    visit_state_of(*this, visit);
  }

 private:
  template <class Self, class Visitor>
  static void visit_state_of(Self& self, Visitor& visit) {
    visit(self.memory_);
    visit(self.additions_);
    visit(self.residual_energy_J_);
    visit(self.last_point_);
    for (auto& giver : self.givers_) visit(giver.start_J);
    visit(self.corrector_->state());
  }
  [[nodiscard]] std::span<double> row(std::size_t r) {
    return {memory_.data() + r * components_, components_};
  }
  void hand_out(std::span<BondMonitor> monitors);
  [[nodiscard]] double giver_balance_J(const Giver& giver, const std::vector<Stage>& stages, double t);

  std::size_t components_;
  bool half_step_energies_;  ///< of the givers
  std::vector<Index> bonds_;
  std::vector<BondTaps> taps_;
  std::vector<Target> targets_;
  std::vector<double> mu_;              ///< per bond
  std::vector<double> ahead_fraction_;  ///< per bond
  double scale_ = 1.0;
  std::vector<std::uint32_t> stages_;
  std::vector<Giver> givers_;
  std::unique_ptr<Corrector> corrector_;

  Tick last_point_ = 0;
  /// Rows of `components_`: effort 0, 1; flow 0, 1; displacement; moved; applied; next; lag effort; ahead effort.
  std::vector<double> memory_;
  std::vector<double> additions_;
  std::vector<double> residual_energy_J_;  ///< per bond, at the last point
  std::vector<double> received_;
};

}  // namespace ergon

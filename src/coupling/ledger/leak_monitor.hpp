#pragma once

#include <span>
#include <vector>

#include "ergon/coupling/ledger/accounts.hpp"
#include "ergon/coupling/ledger/bond_samples.hpp"
#include "ergon/coupling/plan/energy_groups.hpp"
#include "ergon/coupling/state/bond_record.hpp"

namespace ergon {

/// The energy balance of subsystems that are joined by bonds and keep energy accounts.
///   L = Σ (stored + dissipated − supplied) − E₀ − Σ work received through inputs that no bond of the group feeds
///                                                                                    [gonzalez2019, (12)]
/// The work at each bond, effort just held × displacement, leaves one of its ends and enters the other, so it is not in
/// L; it is in the leaks of the single subsystems, which tell who leaks:
///   L_i = ΔE_i + ΔD_i − (± Σ e₀·Δx of its bonds)                                     [gonzalez2019, (10), (11)]
/// A balance exists only at points that all members reach together.
class LeakMonitor {
 public:
  /// `half_step`: ask for energies with velocities of the same instant, and with the plain new efforts.
  LeakMonitor(const CouplingPlan& plan, const BondGroup& group, bool half_step);

  [[nodiscard]] bool is_due(const Point& point) const;
  void start(const Point& point, const Accounts& accounts, std::span<BondRecord> records);
  void update(const Point& point, const Accounts& accounts, std::span<BondRecord> records);

  [[nodiscard]] double leak_J() const { return leak_J_; }
  /// |Σ e₀·Δx| of some bonds of the group over the last step.
  [[nodiscard]] double step_work_J(std::span<const Index> bonds) const;
  [[nodiscard]] const std::vector<std::uint32_t>& stages_of_members() const { return member_stages_; }

  void archive(Archive& archive);

 private:
  struct Member {
    BondGroup::Member of;
    double start_J = 0.0;
    double leak_J = 0.0;
  };
  struct Bond {
    const BondRow* row = nullptr;
    std::size_t sender = 0;  ///< member
    std::size_t receiver = 0;
    std::vector<double> effort{};
    std::vector<double> flow{};
    std::vector<double> displacement{};
    double step_work_J = 0.0;
    double work_J = 0.0;
  };

  [[nodiscard]] double balance_J(const Member& member, const Point& point, const Accounts& accounts) const;
  void write(std::span<BondRecord> records) const;

  bool half_step_;
  std::vector<Member> members_;
  std::vector<Bond> bonds_;
  std::vector<std::uint32_t> member_stages_;
  Tick last_point_ = 0;
  double leak_J_ = 0.0;
};

}  // namespace ergon

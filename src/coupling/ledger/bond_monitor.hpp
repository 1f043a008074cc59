#pragma once

#include <span>

#include "ergon/coupling/plan/bond_table.hpp"
#include "ergon/coupling/state/bond_record.hpp"
#include "ergon/coupling/state/point.hpp"

namespace ergon {

/// Keeps the books of one power bond. Symbols: e, f effort and flow samples; subscript 0 the previous point of the
/// bond, 1 this one; tilde what was applied; H the time between.
///   (1) residual power   dP = e₀·f₁ − e₁·f₀                                     [rodriguez2022, (9)]
///   (2) interface power  ẽ(t₁)·f₁ − e₁·f̃(t₁), with f̃ the flow that e₁ was evaluated with, and ẽ the end value of the
///       effort polynomial. A receiver that samples at the start of its steps h is a leapfrog: what it used last was
///       meant for t₁ − h, so ẽ(t₁) = ẽ(t₁ − h) + (e₁ − e₀) h/H, which is e₁ itself where h = H
///       A bond that is observed only has no effort that was applied: there (2) is e₁·(f₁ − f̃(t₁)), f̃ as it was applied
///   (3) imbalance        of what both ends have received: see Imbalances
/// All are > 0 where the interface injects energy.
class BondMonitor {
 public:
  /// What is kept of its components at the last point (SI): its part of arrays over the components of all bonds.
  struct Share {
    std::span<double> efforts;
    std::span<double> flows;
    std::span<double> displacements;
    std::span<double> effort_change;
  };
  /// `row` must outlive it.
  BondMonitor(const BondRow& row, const Share& share)
      : row_(&row),
        efforts_(share.efforts),
        flows_(share.flows),
        displacements_(share.displacements),
        effort_change_(share.effort_change) {}

  /// A point of the bond: the slower of its two ends has arrived.
  [[nodiscard]] bool is_due(std::span<const StageNumbers> numbers) const {
    return numbers[row_->rate_group].is_sampled;
  }
  /// What is kept of the bond: its figures are the ones of its number.
  struct Entry {
    Index number;
    BondFigures& figures;
    BondRecord& record;  ///< all else
  };
  void start(const Point& point, const Entry& entry);
  struct Interval {
    Tick ticks = 0;
    double H_s = 0.0;
  };
  /// `numbers` are those of the point, `interval` the time since the last point of the bond. `corrections`: the effort that was
  /// added at the receiver over the last step, this bond's share of it (SI), one per component; empty: none.
  void update(const Point& point, std::span<const StageNumbers> numbers, const Interval& interval,
              std::span<const double> corrections, const Entry& entry);
  /// e₁ − e₀ of the last step, per component: known where correctors act.
  [[nodiscard]] std::span<const double> effort_change() const { return effort_change_; }

  void archive(Archive& archive) {
    archive(efforts_);
    archive(flows_);
    archive(displacements_);
    archive(effort_change_);
  }

 private:
  /// Of a sample of the flow's output.
  [[nodiscard]] static double flow_of(const BondComponentRow& c, double& displacement, double sample,
                                      double H_s) {
    const double value = sample * c.flow.to_SI;
    if (!c.flow_differentiated) return value;
    const double rate = H_s > 0.0 ? (value - displacement) / H_s : 0.0;
    displacement = value;
    return rate;
  }

  const BondRow* row_;
  std::span<double> efforts_;
  std::span<double> flows_;
  std::span<double> displacements_;
  std::span<double> effort_change_;
};

}  // namespace ergon

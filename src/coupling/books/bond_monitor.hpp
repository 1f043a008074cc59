#pragma once

#include <span>

#include "ergon/coupling/state/point.hpp"
#include "ergon/coupling/state/step_record.hpp"

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
  /// One component of a bond: where its numbers are.
  struct Component {
    SlotAddress effort_output;
    SlotAddress effort_slot;  ///< this bond's own term at the receiving input
    SlotAddress flow_output;
    SlotAddress flow_input;
    double effort_output_to_SI = 1.0;
    double effort_slot_to_SI = 1.0;
    double flow_output_to_SI = 1.0;
    double flow_input_to_SI = 1.0;
    bool has_flow_input = false;
    bool flow_differentiated = false;
    bool receiver_samples_start = false;
    bool slot_is_term = false;  ///< of a sum: what is added to the sum does not show in it
  };
  /// The components of all bonds stand one after the other: this is what belongs to its own.
  struct Share {
    std::span<Component> components;
    std::span<double> efforts;  ///< at the last point (SI), as those that follow
    std::span<double> flows;
    std::span<double> displacements;
    std::span<double> effort_change;
  };
  BondMonitor(const CouplingPlan& plan, const PowerBond& bond, const Share& share);

  [[nodiscard]] std::size_t components() const { return components_.size(); }
  [[nodiscard]] const Component& component(std::size_t i) const { return components_[i]; }
  [[nodiscard]] bool observed_only() const { return observed_only_; }
  /// The effort is that of an element.
  [[nodiscard]] bool giver_is_element() const { return giver_is_element_; }
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] double sign_into_b() const { return sign_into_b_; }
  [[nodiscard]] std::uint32_t pace() const { return pace_; }
  /// A point of the bond: the slower of its two ends has arrived.
  [[nodiscard]] bool is_due(std::span<const StageNumbers> numbers) const { return numbers[pace_].is_sampled; }
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
  void learn(const Point& point, std::span<const StageNumbers> numbers, const Interval& interval,
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
  [[nodiscard]] static double flow_of(const Component& c, double& displacement, double sample, double H_s) {
    const double value = sample * c.flow_output_to_SI;
    if (!c.flow_differentiated) return value;
    const double rate = H_s > 0.0 ? (value - displacement) / H_s : 0.0;
    displacement = value;
    return rate;
  }

  std::span<Component> components_;
  std::span<double> efforts_;
  std::span<double> flows_;
  std::span<double> displacements_;
  std::span<double> effort_change_;
  bool observed_only_ = false;
  bool giver_is_element_ = false;
  double scale_ = 1.0;
  double sign_into_b_ = 1.0;
  std::uint32_t pace_ = 0;  ///< stage whose points are the bond's points
};

}  // namespace ergon

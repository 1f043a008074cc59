#pragma once

#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/monitors/bond_taps.hpp"
#include "ergon/coupling/step_record.hpp"

namespace ergon {

/// Keeps the books of one power bond. Symbols: e, f effort and flow samples; subscript 0 the previous point of the
/// bond, 1 this one; tilde what was applied; H the time between.
///   (1) residual power   dP = e₀·f₁ − e₁·f₀                                     [rodriguez2022, (9)]
///   (2) interface power  ẽ(t₁)·f₁ − e₁·f̃(t₁), with f̃ the flow that e₁ was evaluated with, and ẽ the end value of the
///       effort polynomial. A receiver that samples at the start of its steps h is a leapfrog: what it used last was
///       meant for t₁ − h, so ẽ(t₁) = ẽ(t₁ − h) + (e₁ − e₀) h/H, which is e₁ itself where h = H
///       A bond that is observed only has no effort that was applied: there (2) is e₁·(f₁ − f̃(t₁)), f̃ as it was applied
///   (3) imbalance        Δreceived by one end + Δreceived by the other, from their accounts
/// All are > 0 where the interface injects energy.
class BondMonitor {
 public:
  BondMonitor(const CoupledSystem& system, const PowerBond& bond, const std::vector<SlotAddress>& inputs,
              const std::vector<SlotAddress>& outputs, const std::vector<std::uint32_t>& effort_slots,
              const std::vector<Stage>& stages);

  /// A point of the bond: the slower of its two ends has arrived.
  [[nodiscard]] bool is_due(const std::vector<Stage>& stages, Tick k) const {
    return stages[pace_].samples.tick(0) == k;
  }
  void start(const std::vector<Stage>& stages, const TimeGrid& grid, BondRecord& record);
  void learn(const std::vector<Stage>& stages, const TimeGrid& grid, Tick k, BondRecord& record);

  /// Both ends account for the work they receive through this bond: (3) exists.
  [[nodiscard]] bool has_accounts() const { return !accounts_.empty(); }
  /// e₁ − e₀ of the last step, per component.
  [[nodiscard]] std::span<const double> effort_change() const { return effort_change_; }
  /// The effort that is added at the receiver from now on, this bond's share of it (SI).
  void set_correction(std::size_t component, double effort) { correction_[component] = effort; }

  template <class Visitor>
  void visit_state(Visitor&& visit) {
    visit(previous_effort_);
    visit(previous_flow_);
    visit(previous_displacement_);
    visit(effort_change_);
    visit(correction_);
    visit(received_start_J_);
  }

 private:
  struct Component {
    SlotAddress effort_output;
    SlotAddress effort_slot;  ///< this bond's own term at the receiving input
    SlotAddress flow_output;
    SlotAddress flow_input;
    double effort_output_to_SI;
    double effort_slot_to_SI;
    double flow_output_to_SI;
    double flow_input_to_SI;
    bool has_flow_input;
    bool flow_differentiated;
    bool receiver_samples_start;
    bool slot_is_term;  ///< of a sum: what is added to the sum does not show in it
  };
  /// An input of this bond and where its newest sample is.
  struct FreshInput {
    Index input = 0;  ///< relative to the node
    SlotAddress source;
    double gain = 1.0;
    double offset = 0.0;
    bool sampled = true;  ///< false: a rate or a sum, which is left as it was applied
  };
  struct Account {
    const EnergyAccount* account = nullptr;
    std::uint32_t stage = 0;
    std::uint32_t first_input = 0;
    std::size_t input_count = 0;
    std::vector<FreshInput> inputs;
  };

  /// Books are closed with the newest samples: the jump of a held displacement is the work of the step that made it, not
  /// of the one after.
  [[nodiscard]] double received_J(const std::vector<Stage>& stages, const TimeGrid& grid, Tick k);
  [[nodiscard]] double flow_sample(const std::vector<Stage>& stages, Tick k, std::size_t i, double H);

  std::vector<Component> components_;
  bool observed_only_ = false;
  double scale_ = 1.0;
  double sign_into_b_ = 1.0;
  std::uint32_t pace_ = 0;  ///< stage whose points are the bond's points
  std::vector<Account> accounts_;
  std::vector<double> account_scratch_;
  std::vector<double> fresh_inputs_;
  std::vector<double> previous_effort_;
  std::vector<double> previous_flow_;
  std::vector<double> previous_displacement_;
  std::vector<double> effort_change_;
  std::vector<double> correction_;
  std::vector<double> received_start_J_{0.0};
};

}  // namespace ergon

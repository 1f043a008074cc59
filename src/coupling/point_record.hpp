#pragma once

#include <optional>
#include <vector>

#include "ergon/coupling/ledger/energy_ledger.hpp"
#include "ergon/coupling/schemes/stepper.hpp"
#include "ergon/coupling/state/point.hpp"
#include "ergon/coupling/state/step_record.hpp"
#include "ergon/coupling/step_control/windows.hpp"

namespace ergon {

/// The present point of an engine, put together from the rooms that know something of it, which must outlive it.
class PointRecord final : public StepRecord {
 public:
  /// `windows`: nothing where steps are fixed.
  PointRecord(const CouplingPlan& plan, const CouplingState& state, const Stepper& stepper,
              const EnergyLedger& ledger, const WindowControl* windows,
              const std::vector<std::optional<BondGains>>& direct_gains)
      : plan_(plan),
        state_(state),
        stepper_(stepper),
        ledger_(ledger),
        windows_(windows),
        direct_gains_(direct_gains) {}

  [[nodiscard]] Tick tick() const override { return state_.now(); }
  [[nodiscard]] double time_s() const override { return plan_.grid().time_s(state_.now()); }
  [[nodiscard]] double output(Index output) const override {
    const SlotAddress place = plan_.output(output);
    if (place.kind == ValueKind::real) return stepper_.output(place);
    return place.kind == ValueKind::integer ? static_cast<double>(integer_output(output)) : 0.0;
  }
  [[nodiscard]] std::int64_t integer_output(Index output) const override {
    const SlotAddress place = plan_.output(output);
    if (place.kind != ValueKind::integer) return 0;
    return state_.stage(place.stage).samples().integers_at(state_.now())[place.offset];
  }
  [[nodiscard]] const std::string& text_output(Index output) const override {
    const SlotAddress place = plan_.output(output);
    if (place.kind != ValueKind::text) return StepRecord::text_output(output);
    return state_.stage(place.stage).samples().texts_at(state_.now())[place.offset];
  }
  [[nodiscard]] double rough_output(Index output) const override {
    if (windows_ != nullptr && !windows_->rough_outputs().empty()) return windows_->rough_outputs()[output];
    const SlotAddress place = plan_.output(output);
    return place.kind == ValueKind::real ? stepper_.predicted_output(place) : this->output(output);
  }
  [[nodiscard]] double applied_input(Index input) const override {
    const SlotAddress place = plan_.input(input);
    if (place.kind == ValueKind::real) return Point(plan_, state_).applied(place);
    if (place.kind == ValueKind::text) return 0.0;
    return static_cast<double>(state_.stage(place.stage).discrete_inputs().integers[place.offset]);
  }
  [[nodiscard]] double evaluated_input(Index input) const override {
    const SlotAddress place = plan_.input(input);
    if (place.kind != ValueKind::real) return applied_input(input);
    return state_.stage(place.stage).output_inputs()[place.offset];
  }
  [[nodiscard]] std::span<const BondRecord> bonds() const override { return ledger_.records(); }
  [[nodiscard]] const BondFigures& bond_figures() const override { return ledger_.figures(); }
  [[nodiscard]] std::span<const double> efforts() const override { return ledger_.efforts(); }
  [[nodiscard]] double imbalance_J(Index bond) const override {
    return ledger_.imbalance_J(bond, Point(plan_, state_));
  }
  void imbalances_J(std::span<double> per_bond) const override {
    ledger_.imbalances_J(per_bond, Point(plan_, state_));
  }
  [[nodiscard]] const BondGains* direct_gains(Index bond) const override {
    return bond < direct_gains_.size() && direct_gains_[bond] ? &*direct_gains_[bond] : nullptr;
  }
  [[nodiscard]] bool is_at_point(Index node) const override {
    return Point(plan_, state_).has_arrived(plan_.first_input_of(node).stage);
  }
  [[nodiscard]] const EnergyRecord& energy(Index node) const override {
    return ledger_.energy(node, Point(plan_, state_));
  }
  [[nodiscard]] const StepControlRecord* step_control() const override {
    return windows_ != nullptr ? &windows_->record() : nullptr;
  }
  [[nodiscard]] const ImplicitRecord* implicit_steps() const override { return stepper_.record(); }

 private:
  const CouplingPlan& plan_;
  const CouplingState& state_;
  const Stepper& stepper_;
  const EnergyLedger& ledger_;
  const WindowControl* windows_;
  const std::vector<std::optional<BondGains>>& direct_gains_;  ///< empty until they are probed
};

}  // namespace ergon

#include "ergon/coupling/ledger/bond_monitor.hpp"

#include <cmath>

namespace ergon {

void BondMonitor::start(const Point& point, const Entry& entry) {
  entry.record = {};
  entry.figures.take(entry.number, entry.record);
  double power = 0.0;
  for (std::size_t i = 0; i < row_->components.size(); ++i) {
    const BondComponentRow& c = row_->components[i];
    efforts_[i] = point.sample(c.effort.at) * c.effort.to_SI;
    flows_[i] = flow_of(c, displacements_[i], point.sample(c.flow.at), 0.0);
    power += efforts_[i] * flows_[i];
  }
  entry.figures.power_into_b_W[entry.number] = row_->sign_into_b * row_->scale * power;
}

void BondMonitor::update(const Point& point, std::span<const StageNumbers> numbers, const Interval& interval,
                         std::span<const double> corrections, const Entry& entry) {
  const BondRow& bond = *row_;
  const double H = interval.H_s;
  double power = 0.0;
  double dP = 0.0;
  double interface_power = 0.0;
  double correction_power = 0.0;
  double correction_square = 0.0;
  for (std::size_t i = 0; i < bond.components.size(); ++i) {
    const BondComponentRow& c = bond.components[i];
    const double e0 = efforts_[i];
    const double f0 = flows_[i];
    const double e1 = numbers[c.effort.at.stage].samples[c.effort.at.offset] * c.effort.to_SI;
    const double f1 = flow_of(c, displacements_[i], numbers[c.flow.at.stage].samples[c.flow.at.offset], H);
    const double correction = corrections.empty() ? 0.0 : corrections[i];
    double e_tilde = e1;
    if (!bond.observed_only) {
      const StageNumbers& receiver = numbers[c.effort_slot.stage];
      e_tilde = receiver.applied[c.effort_slot.offset] * c.effort_input.to_SI;
      if (c.effort_slot_is_term) e_tilde += correction;
      if (bond.receiver_samples_start) {
        // Its last sample was one step h of its own before t₁: carried on along the slope of the true samples.
        e_tilde = receiver.step_ticks == interval.ticks
                      ? e1 + correction
                      : e_tilde + (e1 - e0) * point.duration_s(receiver.step_ticks) / H;
      }
    }
    // Without a flow input: an element had the motion of this point, however it was told of it; others that of the last.
    double f_tilde = bond.sender_is_element ? f1 : f0;
    if (c.has_flow_input) {
      // What its dynamics felt, where the effort does not act on anybody else.
      const StageNumbers& sender = numbers[c.flow_input.at.stage];
      const double* used = bond.observed_only ? sender.applied : sender.used_by_outputs;
      f_tilde = used[c.flow_input.at.offset] * c.flow_input.to_SI;
    }
    power += e1 * f1;
    dP += e0 * f1 - e1 * f0;
    interface_power += e_tilde * f1 - e1 * f_tilde;
    correction_power += correction * f1;
    correction_square += correction * correction;
    effort_change_[i] = e1 - e0;
    efforts_[i] = e1;
    flows_[i] = f1;
  }
  BondRecord& record = entry.record;
  if (record.corrected) {
    record.correction = std::copysign(std::sqrt(correction_square), correction_power);
    record.correction_energy_J += bond.scale * correction_power * H;
  }
  BondFigures& figures = entry.figures;
  const Index b = entry.number;
  figures.power_into_b_W[b] = row_->sign_into_b * row_->scale * power;
  figures.exchanged_energy_J[b] += std::abs(bond.scale * power) * H;
  figures.residual_power_W[b] = bond.scale * dP;
  figures.residual_energy_J[b] += bond.scale * dP * H;
  figures.interface_power_W[b] = bond.scale * interface_power;
  figures.interface_energy_J[b] += bond.scale * interface_power * H;
}

}  // namespace ergon

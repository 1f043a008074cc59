#include "ergon/coupling/books/bond_monitor.hpp"

#include <cmath>

namespace ergon {

BondMonitor::BondMonitor(const CouplingPlan& plan, const PowerBond& bond, const Share& share)
    : components_(share.components),
      efforts_(share.efforts),
      flows_(share.flows),
      displacements_(share.displacements),
      effort_change_(share.effort_change),
      observed_only_(bond.observed_only),
      scale_(bond.scale),
      sign_into_b_(bond.sign_into_b) {
  const CoupledSystem& system = plan.system();
  const Node& receiver = system.nodes[bond.flow_node];
  for (std::size_t i = 0; i < bond.components.size(); ++i) {
    const BondComponent& c = bond.components[i];
    Component& k = components_[i];
    k.effort_output = plan.output(c.effort_output);
    if (!observed_only_) {
      k.effort_slot =
          c.effort_input_shared ? plan.term(c.effort_input, c.effort_term) : plan.input(c.effort_input);
      k.slot_is_term = k.effort_slot.offset != plan.input(c.effort_input).offset;
    }
    k.flow_output = plan.output(c.flow_output);
    if (c.has_flow_input) k.flow_input = plan.input(c.flow_input);
    k.effort_output_to_SI = c.effort_output_to_SI;
    k.effort_slot_to_SI = c.effort_input_to_SI;
    k.flow_output_to_SI = c.flow_output_to_SI;
    k.flow_input_to_SI = c.flow_input_to_SI;
    k.has_flow_input = c.has_flow_input;
    k.flow_differentiated = c.flow_differentiated;
    k.receiver_samples_start =
        receiver.description->samples_input == InputSampling::start && !receiver.description->algebraic;
  }

  const std::uint32_t effort_stage = components_.front().effort_output.stage;
  const std::uint32_t flow_stage = components_.front().flow_output.stage;
  // An element is sampled at points of its own, which are points of the subsystem that it acts on.
  const StagePlan& giver = plan.stage(effort_stage);
  giver_is_element_ = giver.algebraic;
  pace_ = giver.algebraic || giver.period > plan.stage(flow_stage).period ? effort_stage : flow_stage;
}

void BondMonitor::start(const Point& point, const Entry& entry) {
  entry.record = {};
  entry.figures.take(entry.number, entry.record);
  double power = 0.0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& c = components_[i];
    efforts_[i] = point.sample(c.effort_output) * c.effort_output_to_SI;
    flows_[i] = flow_of(c, displacements_[i], point.sample(c.flow_output), 0.0);
    power += efforts_[i] * flows_[i];
  }
  entry.figures.power_into_b_W[entry.number] = sign_into_b_ * scale_ * power;
}

void BondMonitor::learn(const Point& point, std::span<const StageNumbers> numbers, const Interval& interval,
                        std::span<const double> corrections, const Entry& entry) {
  const double H = interval.H_s;
  double power = 0.0;
  double dP = 0.0;
  double interface_power = 0.0;
  double correction_power = 0.0;
  double correction_square = 0.0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& c = components_[i];
    const double e0 = efforts_[i];
    const double f0 = flows_[i];
    const double e1 = numbers[c.effort_output.stage].samples[c.effort_output.offset] * c.effort_output_to_SI;
    const double f1 =
        flow_of(c, displacements_[i], numbers[c.flow_output.stage].samples[c.flow_output.offset], H);
    const double correction = corrections.empty() ? 0.0 : corrections[i];
    double e_tilde = e1;
    if (!observed_only_) {
      const StageNumbers& receiver = numbers[c.effort_slot.stage];
      e_tilde = receiver.applied[c.effort_slot.offset] * c.effort_slot_to_SI;
      if (c.slot_is_term) e_tilde += correction;
      if (c.receiver_samples_start) {
        // Its last sample was one step h of its own before t₁: carried on along the slope of the true samples.
        e_tilde = receiver.step_ticks == interval.ticks
                      ? e1 + correction
                      : e_tilde + (e1 - e0) * point.duration_s(receiver.step_ticks) / H;
      }
    }
    // Without a flow input: an element had the motion of this point, however it was told of it; others that of the last.
    double f_tilde = giver_is_element_ ? f1 : f0;
    if (c.has_flow_input) {
      // What its dynamics felt, where the effort does not act on anybody else.
      const StageNumbers& giver = numbers[c.flow_input.stage];
      const double* used = observed_only_ ? giver.applied : giver.used_by_outputs;
      f_tilde = used[c.flow_input.offset] * c.flow_input_to_SI;
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
    record.correction_energy_J += scale_ * correction_power * H;
  }
  BondFigures& figures = entry.figures;
  const Index b = entry.number;
  figures.power_into_b_W[b] = sign_into_b_ * scale_ * power;
  figures.exchanged_energy_J[b] += std::abs(scale_ * power) * H;
  figures.residual_power_W[b] = scale_ * dP;
  figures.residual_energy_J[b] += scale_ * dP * H;
  figures.interface_power_W[b] = scale_ * interface_power;
  figures.interface_energy_J[b] += scale_ * interface_power * H;
}

}  // namespace ergon

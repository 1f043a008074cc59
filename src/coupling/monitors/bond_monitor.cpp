#include "ergon/coupling/monitors/bond_monitor.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {

BondMonitor::BondMonitor(const CoupledSystem& system, const PowerBond& bond,
                         const std::vector<SlotAddress>& inputs, const std::vector<SlotAddress>& outputs,
                         const std::vector<std::uint32_t>& effort_slots, const std::vector<Stage>& stages)
    : observed_only_(bond.observed_only), scale_(bond.scale), sign_into_b_(bond.sign_into_b) {
  const Node& receiver = system.nodes[bond.flow_node];
  for (std::size_t i = 0; i < bond.components.size(); ++i) {
    const BondComponent& c = bond.components[i];
    Component k{};
    k.effort_output = outputs[c.effort_output];
    if (!observed_only_) {
      k.effort_slot = {inputs[c.effort_input].stage, effort_slots[i]};
      k.slot_is_term = effort_slots[i] != inputs[c.effort_input].offset;
    }
    k.flow_output = outputs[c.flow_output];
    if (c.has_flow_input) k.flow_input = inputs[c.flow_input];
    k.effort_output_to_SI = c.effort_output_to_SI;
    k.effort_slot_to_SI = c.effort_input_to_SI;
    k.flow_output_to_SI = c.flow_output_to_SI;
    k.flow_input_to_SI = c.flow_input_to_SI;
    k.has_flow_input = c.has_flow_input;
    k.flow_differentiated = c.flow_differentiated;
    k.receiver_samples_start =
        receiver.description.samples_input == InputSampling::start && !receiver.description.algebraic;
    components_.push_back(k);
  }
  previous_effort_.resize(components_.size());
  previous_flow_.resize(components_.size());
  previous_displacement_.resize(components_.size());
  effort_change_.resize(components_.size());
  correction_.resize(components_.size());

  const std::uint32_t effort_stage = components_.front().effort_output.stage;
  const std::uint32_t flow_stage = components_.front().flow_output.stage;
  // An element is sampled at points of its own, which are points of the subsystem that it acts on.
  pace_ = stages[effort_stage].algebraic                            ? effort_stage
          : stages[effort_stage].period > stages[flow_stage].period ? effort_stage
                                                                    : flow_stage;

  // (3) needs both ends' accounts, and an effort input that is this bond's alone.
  const bool shared = std::any_of(bond.components.begin(), bond.components.end(),
                                  [](const BondComponent& c) { return c.effort_input_shared; });
  const auto add_account = [&](Index node_index, const std::vector<Index>& bond_inputs) {
    const Node& node = system.nodes[node_index];
    const EnergyAccount* account = node.subsystem->energy_account();
    if (account == nullptr || bond_inputs.empty()) return false;
    Account a;
    a.account = account;
    a.stage = inputs[node.first_input].stage;
    a.first_input = inputs[node.first_input].offset;
    a.input_count = node.input_count;
    for (const Index input : bond_inputs) {
      const std::vector<LinkTerm>& terms = system.links[input]->terms;
      const LinkTerm& term = terms.front();
      a.inputs.push_back({input - node.first_input, outputs[term.output], term.gain, term.offset,
                          terms.size() == 1 && !term.differentiate});
    }
    account_scratch_.resize(std::max(account_scratch_.size(), node.input_count));
    fresh_inputs_.resize(account_scratch_.size());
    accounts_.push_back(std::move(a));
    return true;
  };
  if (shared || !add_account(bond.effort_node, bond.effort_node_inputs) ||
      !add_account(bond.flow_node, bond.flow_node_inputs)) {
    accounts_.clear();
  }
}

double BondMonitor::received_J(const std::vector<Stage>& stages, const TimeGrid& grid, Tick k) {
  double total = 0.0;
  for (const Account& a : accounts_) {
    std::copy_n(stages[a.stage].output_inputs() + a.first_input, a.input_count, fresh_inputs_.begin());
    for (const FreshInput& f : a.inputs) {
      if (!f.sampled) continue;
      fresh_inputs_[f.input] =
          f.gain * stages[f.source.stage].samples.sample_at(k)[f.source.offset] + f.offset;
    }
    a.account->received_J(grid.time_s(k), fresh_inputs_.data(),
                          std::span(account_scratch_).first(a.input_count));
    for (const FreshInput& f : a.inputs) total += account_scratch_[f.input];
  }
  return total;
}

double BondMonitor::flow_sample(const std::vector<Stage>& stages, Tick k, std::size_t i, double H) {
  const Component& c = components_[i];
  const double value =
      stages[c.flow_output.stage].samples.sample_at(k)[c.flow_output.offset] * c.flow_output_to_SI;
  if (!c.flow_differentiated) return value;
  const double rate = H > 0.0 ? (value - previous_displacement_[i]) / H : 0.0;
  previous_displacement_[i] = value;
  return rate;
}

void BondMonitor::start(const std::vector<Stage>& stages, const TimeGrid& grid, BondRecord& record) {
  record = {};
  std::fill(correction_.begin(), correction_.end(), 0.0);
  record.has_imbalance = !accounts_.empty();
  double power = 0.0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& c = components_[i];
    previous_effort_[i] =
        stages[c.effort_output.stage].samples.sample_at(0)[c.effort_output.offset] * c.effort_output_to_SI;
    previous_flow_[i] = flow_sample(stages, 0, i, 0.0);
    power += previous_effort_[i] * previous_flow_[i];
  }
  record.power_into_b_W = sign_into_b_ * scale_ * power;
  received_start_J_[0] = received_J(stages, grid, 0);
}

void BondMonitor::learn(const std::vector<Stage>& stages, const TimeGrid& grid, Tick k, BondRecord& record) {
  const Tick interval = k - record.last_point;
  const double H = grid.duration_s(interval);
  double power = 0.0;
  double dP = 0.0;
  double interface_power = 0.0;
  double correction_power = 0.0;
  double correction_square = 0.0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& c = components_[i];
    const double e0 = previous_effort_[i];
    const double f0 = previous_flow_[i];
    const double e1 =
        stages[c.effort_output.stage].samples.sample_at(k)[c.effort_output.offset] * c.effort_output_to_SI;
    const double f1 = flow_sample(stages, k, i, H);
    const double correction = correction_[i];
    double e_tilde = observed_only_
                         ? e1
                         : stages[c.effort_slot.stage].applied()[c.effort_slot.offset] * c.effort_slot_to_SI;
    if (c.slot_is_term) e_tilde += correction;
    if (c.receiver_samples_start && !observed_only_) {
      const Stage& receiver = stages[c.effort_slot.stage];
      const Tick receiver_step = receiver.next - receiver.start;
      // Its last sample was one step h of its own before t₁: carried on along the slope of the true samples.
      e_tilde = receiver_step == interval ? e1 + correction
                                          : e_tilde + (e1 - e0) * grid.duration_s(receiver_step) / H;
    }
    double f_tilde = f0;
    if (c.has_flow_input) {
      const Stage& giver = stages[c.flow_input.stage];
      // What its dynamics felt, where the effort does not act on anybody else.
      const double* used = observed_only_ ? giver.applied() : giver.output_inputs();
      f_tilde = used[c.flow_input.offset] * c.flow_input_to_SI;
    }
    power += e1 * f1;
    dP += e0 * f1 - e1 * f0;
    interface_power += e_tilde * f1 - e1 * f_tilde;
    correction_power += correction * f1;
    correction_square += correction * correction;
    effort_change_[i] = e1 - e0;
    previous_effort_[i] = e1;
    previous_flow_[i] = f1;
  }
  if (record.corrected) {
    record.correction = std::copysign(std::sqrt(correction_square), correction_power);
    record.correction_energy_J += scale_ * correction_power * H;
  }
  record.last_point = k;
  record.power_into_b_W = sign_into_b_ * scale_ * power;
  record.exchanged_energy_J += std::abs(scale_ * power) * H;
  record.residual_power_W = scale_ * dP;
  record.residual_energy_J += scale_ * dP * H;
  record.interface_power_W = scale_ * interface_power;
  record.interface_energy_J += scale_ * interface_power * H;
  if (record.has_imbalance) record.imbalance_energy_J = received_J(stages, grid, k) - received_start_J_[0];
}

}  // namespace ergon

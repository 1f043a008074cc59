#include "ergon/coupling/ledger/single_component_bonds.hpp"

#include "ergon/numerics/lanes.hpp"

namespace ergon {

std::optional<SingleComponentBonds::Key> SingleComponentBonds::key_of(const BondRow& bond) {
  if (bond.components.size() != 1) return std::nullopt;
  const BondComponentRow& c = bond.components.front();
  if (c.flow_differentiated) return std::nullopt;
  Key key;
  key.effort_stage = c.effort.at.stage;
  key.flow_stage = c.flow.at.stage;
  key.slot_stage = c.effort_slot.stage;
  key.flow_input_stage = c.flow_input.at.stage;
  key.rate_group = bond.rate_group;
  key.observed_only = bond.observed_only;
  key.sender_is_element = bond.sender_is_element;
  key.has_flow_input = c.has_flow_input;
  key.receiver_samples_start = bond.receiver_samples_start;
  key.in_SI = c.effort.to_SI == 1.0 && c.effort_input.to_SI == 1.0 && c.flow.to_SI == 1.0 &&
              c.flow_input.to_SI == 1.0 && bond.scale == 1.0;
  return key;
}

void SingleComponentBonds::add(const BondRow& bond) {
  const BondComponentRow& c = bond.components.front();
  const Index number = bond.number;
  const std::size_t component = bond.first_component;
  const Factors factors = {c.effort.to_SI,     c.flow.to_SI, c.effort_input.to_SI,
                           c.flow_input.to_SI, bond.scale,   bond.sign_into_b * bond.scale};
  // Bonds of one component that follow each other have components that do.
  const bool goes_on = !runs_.empty() && last_bond_ + 1 == number && runs_.back().factors == factors;
  if (!goes_on) {
    BondFigures& figures = arrays_.figures;
    Run& run = runs_.emplace_back();
    run.first = effort_.size();
    run.factors = factors;
    run.efforts = &arrays_.efforts[component];
    run.flows = &arrays_.flows[component];
    run.power_into_b_W = &figures.power_into_b_W[number];
    run.exchanged_energy_J = &figures.exchanged_energy_J[number];
    run.residual_power_W = &figures.residual_power_W[number];
    run.residual_energy_J = &figures.residual_energy_J[number];
    run.interface_power_W = &figures.interface_power_W[number];
    run.interface_energy_J = &figures.interface_energy_J[number];
  }
  last_bond_ = number;
  ++runs_.back().count;
  effort_.push_back(c.effort.at.offset);
  flow_.push_back(c.flow.at.offset);
  slot_.push_back(c.effort_slot.offset);
  flow_input_.push_back(c.flow_input.at.offset);
}

void SingleComponentBonds::update(const Point& point, std::span<const StageNumbers> numbers) const {
  if (!numbers[key_.rate_group].is_sampled) return;
  Interval interval;
  interval.ticks = point.tick() - arrays_.figures.last_point(last_bond_);
  interval.H_s = point.duration_s(interval.ticks);
  const Tick step = numbers[key_.slot_stage].step_ticks;
  if (key_.receiver_samples_start && step != interval.ticks)
    interval.receiver_step_s = point.duration_s(step);
  if (key_.in_SI)
    choose_effort<true>(numbers, interval);
  else
    choose_effort<false>(numbers, interval);
}

template <bool in_SI>
void SingleComponentBonds::choose_effort(std::span<const StageNumbers> numbers,
                                         const Interval& interval) const {
  const bool whole_step = numbers[key_.slot_stage].step_ticks == interval.ticks;
  if (key_.observed_only || (key_.receiver_samples_start && whole_step))
    choose_flow<in_SI, Effort::new_sample>(numbers, interval);
  else if (key_.receiver_samples_start)
    choose_flow<in_SI, Effort::carried_on>(numbers, interval);
  else
    choose_flow<in_SI, Effort::slot>(numbers, interval);
}

template <bool in_SI, SingleComponentBonds::Effort effort_used>
void SingleComponentBonds::choose_flow(std::span<const StageNumbers> numbers,
                                       const Interval& interval) const {
  if (key_.has_flow_input)
    update_all<in_SI, effort_used, Flow::input>(numbers, interval);
  else if (key_.sender_is_element)
    update_all<in_SI, effort_used, Flow::new_sample>(numbers, interval);
  else
    update_all<in_SI, effort_used, Flow::last_sample>(numbers, interval);
}

/// One run: pointers to its first numbers.
template <bool in_SI, SingleComponentBonds::Effort effort_used, SingleComponentBonds::Flow flow_used>
struct SingleComponentBonds::Update {
  // Of the stages, at the offsets of the bonds.
  const double* new_efforts;
  const double* new_flows;
  const double* slots;
  const double* inputs;
  const std::uint32_t* effort_at;
  const std::uint32_t* flow_at;
  const std::uint32_t* slot_at;
  const std::uint32_t* input_at;
  Run run;
  double H;
  double receiver_step_s;

  template <class Number>
  [[gnu::always_inline]] void add_energy(double* energy_J, const Number& power_W) const {
    Number energy;
    lanes::load(energy, energy_J);
    energy += power_W * H;
    lanes::store(energy_J, energy);
  }
  template <class Number>
  [[gnu::always_inline]] void at(std::size_t i) const {
    const Factors& k = run.factors;
    Number e0;
    Number f0;
    Number e1;
    Number f1;
    lanes::load(e0, run.efforts + i);
    lanes::load(f0, run.flows + i);
    lanes::gather(e1, new_efforts, effort_at + i);
    lanes::gather(f1, new_flows, flow_at + i);
    if constexpr (!in_SI) {
      e1 *= k.effort;
      f1 *= k.flow;
    }
    Number e_tilde = e1;
    if constexpr (effort_used != Effort::new_sample) {
      lanes::gather(e_tilde, slots, slot_at + i);
      if constexpr (!in_SI) e_tilde *= k.slot;
      if constexpr (effort_used == Effort::carried_on) e_tilde += (e1 - e0) * receiver_step_s / H;
    }
    Number f_tilde = flow_used == Flow::new_sample ? f1 : f0;
    if constexpr (flow_used == Flow::input) {
      lanes::gather(f_tilde, inputs, input_at + i);
      if constexpr (!in_SI) f_tilde *= k.flow_input;
    }
    // A sum of one component begins with 0, too: −0 is not power.
    Number power = 0.0 + e1 * f1;
    Number dP = 0.0 + (e0 * f1 - e1 * f0);
    Number interface_power = 0.0 + (e_tilde * f1 - e1 * f_tilde);
    lanes::store(run.power_into_b_W + i, Number(k.scale_into_b * power));
    if constexpr (!in_SI) {
      power *= k.scale;
      dP *= k.scale;
      interface_power *= k.scale;
    }
    lanes::store(run.efforts + i, e1);
    lanes::store(run.flows + i, f1);
    lanes::store(run.residual_power_W + i, dP);
    lanes::store(run.interface_power_W + i, interface_power);
    lanes::magnitude(power, power);
    add_energy(run.exchanged_energy_J + i, power);
    add_energy(run.residual_energy_J + i, dP);
    add_energy(run.interface_energy_J + i, interface_power);
  }
};

template <bool in_SI, SingleComponentBonds::Effort effort_used, SingleComponentBonds::Flow flow_used>
void SingleComponentBonds::update_all(std::span<const StageNumbers> numbers, const Interval& interval) const {
  const StageNumbers& sender = numbers[key_.flow_input_stage];
  for (const Run& run : runs_) {
    lanes::treat(
        run.count, [&]() __attribute__((always_inline)) {
          Update<in_SI, effort_used, flow_used> update;
          update.new_efforts = numbers[key_.effort_stage].samples;
          update.new_flows = numbers[key_.flow_stage].samples;
          update.slots = numbers[key_.slot_stage].applied;
          update.inputs = key_.observed_only ? sender.applied : sender.used_by_outputs;
          update.effort_at = effort_.data() + run.first;
          update.flow_at = flow_.data() + run.first;
          update.slot_at = slot_.data() + run.first;
          update.input_at = flow_input_.data() + run.first;
          update.run = run;
          update.H = interval.H_s;
          update.receiver_step_s = interval.receiver_step_s;
          return update;
        });
  }
}

}  // namespace ergon

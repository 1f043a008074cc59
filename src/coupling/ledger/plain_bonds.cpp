#include "ergon/coupling/ledger/plain_bonds.hpp"

#include "ergon/numerics/lanes.hpp"

namespace ergon {

std::optional<PlainBonds::Key> PlainBonds::key_of(const BondRow& bond) {
  if (bond.components.size() != 1) return std::nullopt;
  const BondComponentRow& c = bond.components.front();
  if (c.flow_differentiated) return std::nullopt;
  Key key;
  key.effort_stage = c.effort.at.stage;
  key.flow_stage = c.flow.at.stage;
  key.slot_stage = c.effort_slot.stage;
  key.flow_input_stage = c.flow_input.at.stage;
  key.pace = bond.pace;
  key.observed_only = bond.observed_only;
  key.sender_is_element = bond.sender_is_element;
  key.has_flow_input = c.has_flow_input;
  key.receiver_samples_start = bond.receiver_samples_start;
  key.in_SI = c.effort.to_SI == 1.0 && c.effort_input.to_SI == 1.0 && c.flow.to_SI == 1.0 &&
              c.flow_input.to_SI == 1.0 && bond.scale == 1.0;
  return key;
}

void PlainBonds::add(const BondRow& bond) {
  const BondComponentRow& c = bond.components.front();
  const Index number = bond.number;
  const std::size_t component = bond.first_component;
  const Factors factors = {c.effort.to_SI,     c.flow.to_SI, c.effort_input.to_SI,
                           c.flow_input.to_SI, bond.scale,   bond.sign_into_b * bond.scale};
  // Bonds of one component that follow each other have components that do.
  const bool goes_on = !runs_.empty() && last_bond_ + 1 == number && runs_.back().factors == factors;
  if (!goes_on) {
    BondFigures& figures = books_.figures;
    Run& run = runs_.emplace_back();
    run.first = effort_.size();
    run.factors = factors;
    run.efforts = &books_.efforts[component];
    run.flows = &books_.flows[component];
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

void PlainBonds::learn(const Point& point, std::span<const StageNumbers> numbers) const {
  if (!numbers[key_.pace].is_sampled) return;
  Interval interval;
  interval.ticks = point.tick() - books_.figures.last_point(last_bond_);
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
void PlainBonds::choose_effort(std::span<const StageNumbers> numbers, const Interval& interval) const {
  const bool whole_step = numbers[key_.slot_stage].step_ticks == interval.ticks;
  if (key_.observed_only || (key_.receiver_samples_start && whole_step))
    choose_flow<in_SI, Effort::new_sample>(numbers, interval);
  else if (key_.receiver_samples_start)
    choose_flow<in_SI, Effort::carried_on>(numbers, interval);
  else
    choose_flow<in_SI, Effort::slot>(numbers, interval);
}

template <bool in_SI, PlainBonds::Effort effort_used>
void PlainBonds::choose_flow(std::span<const StageNumbers> numbers, const Interval& interval) const {
  if (key_.has_flow_input)
    learn_all<in_SI, effort_used, Flow::input>(numbers, interval);
  else if (key_.sender_is_element)
    learn_all<in_SI, effort_used, Flow::new_sample>(numbers, interval);
  else
    learn_all<in_SI, effort_used, Flow::last_sample>(numbers, interval);
}

/// One run: pointers to its first numbers.
template <bool in_SI, PlainBonds::Effort effort_used, PlainBonds::Flow flow_used>
struct PlainBonds::Learning {
  // Of the stages, at the offsets of the bonds.
  const double* new_efforts;
  const double* new_flows;
  const double* slots;
  const double* inputs;
  const std::uint32_t* effort_at;
  const std::uint32_t* flow_at;
  const std::uint32_t* slot_at;
  const std::uint32_t* input_at;
  Run books;
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
    const Factors& k = books.factors;
    Number e0;
    Number f0;
    Number e1;
    Number f1;
    lanes::load(e0, books.efforts + i);
    lanes::load(f0, books.flows + i);
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
    lanes::store(books.power_into_b_W + i, Number(k.scale_into_b * power));
    if constexpr (!in_SI) {
      power *= k.scale;
      dP *= k.scale;
      interface_power *= k.scale;
    }
    lanes::store(books.efforts + i, e1);
    lanes::store(books.flows + i, f1);
    lanes::store(books.residual_power_W + i, dP);
    lanes::store(books.interface_power_W + i, interface_power);
    lanes::magnitude(power, power);
    add_energy(books.exchanged_energy_J + i, power);
    add_energy(books.residual_energy_J + i, dP);
    add_energy(books.interface_energy_J + i, interface_power);
  }
};

template <bool in_SI, PlainBonds::Effort effort_used, PlainBonds::Flow flow_used>
void PlainBonds::learn_all(std::span<const StageNumbers> numbers, const Interval& interval) const {
  const StageNumbers& sender = numbers[key_.flow_input_stage];
  for (const Run& run : runs_) {
    lanes::treat(
        run.count, [&]() __attribute__((always_inline)) {
          Learning<in_SI, effort_used, flow_used> learning;
          learning.new_efforts = numbers[key_.effort_stage].samples;
          learning.new_flows = numbers[key_.flow_stage].samples;
          learning.slots = numbers[key_.slot_stage].applied;
          learning.inputs = key_.observed_only ? sender.applied : sender.used_by_outputs;
          learning.effort_at = effort_.data() + run.first;
          learning.flow_at = flow_.data() + run.first;
          learning.slot_at = slot_.data() + run.first;
          learning.input_at = flow_input_.data() + run.first;
          learning.books = run;
          learning.H = interval.H_s;
          learning.receiver_step_s = interval.receiver_step_s;
          return learning;
        });
  }
}

}  // namespace ergon

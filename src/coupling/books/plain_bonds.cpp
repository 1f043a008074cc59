#include "ergon/coupling/books/plain_bonds.hpp"

#include <cmath>

namespace ergon {

std::optional<PlainBonds::Key> PlainBonds::key_of(const BondMonitor& bond) {
  if (bond.components() != 1) return std::nullopt;
  const BondMonitor::Component& c = bond.component(0);
  if (c.flow_differentiated) return std::nullopt;
  Key key;
  key.effort_stage = c.effort_output.stage;
  key.flow_stage = c.flow_output.stage;
  key.slot_stage = c.effort_slot.stage;
  key.flow_input_stage = c.flow_input.stage;
  key.pace = bond.pace();
  key.observed_only = bond.observed_only();
  key.giver_is_element = bond.giver_is_element();
  key.has_flow_input = c.has_flow_input;
  key.receiver_samples_start = c.receiver_samples_start;
  key.in_SI = c.effort_output_to_SI == 1.0 && c.effort_slot_to_SI == 1.0 && c.flow_output_to_SI == 1.0 &&
              c.flow_input_to_SI == 1.0 && bond.scale() == 1.0;
  return key;
}

void PlainBonds::add(const BondMonitor& bond, Index number, std::size_t component) {
  const BondMonitor::Component& c = bond.component(0);
  places_.push_back({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(component),
                     c.effort_output.offset, c.flow_output.offset, c.effort_slot.offset, c.flow_input.offset,
                     bond.sign_into_b()});
  if (key_.in_SI) return;
  factors_.push_back({c.effort_output_to_SI, c.flow_output_to_SI, c.effort_slot_to_SI, c.flow_input_to_SI,
                      bond.scale(), bond.sign_into_b() * bond.scale()});
}

void PlainBonds::learn(const Point& point, std::span<const StageNumbers> numbers,
                       const Numbers& books) const {
  if (!numbers[key_.pace].is_sampled) return;
  Interval interval;
  interval.end = point.tick();
  interval.ticks = point.tick() - books.records[places_.front().bond].last_point;
  interval.H_s = point.duration_s(interval.ticks);
  const Tick step = numbers[key_.slot_stage].step_ticks;
  if (key_.receiver_samples_start && step != interval.ticks)
    interval.receiver_step_s = point.duration_s(step);
  if (key_.in_SI)
    choose_effort<true>(numbers, interval, books);
  else
    choose_effort<false>(numbers, interval, books);
}

template <bool in_SI>
void PlainBonds::choose_effort(std::span<const StageNumbers> numbers, const Interval& interval,
                               const Numbers& books) const {
  const bool whole_step = numbers[key_.slot_stage].step_ticks == interval.ticks;
  if (key_.observed_only || (key_.receiver_samples_start && whole_step))
    choose_flow<in_SI, Effort::new_sample>(numbers, interval, books);
  else if (key_.receiver_samples_start)
    choose_flow<in_SI, Effort::carried_on>(numbers, interval, books);
  else
    choose_flow<in_SI, Effort::slot>(numbers, interval, books);
}

template <bool in_SI, PlainBonds::Effort effort_used>
void PlainBonds::choose_flow(std::span<const StageNumbers> numbers, const Interval& interval,
                             const Numbers& books) const {
  if (key_.has_flow_input)
    learn_all<in_SI, effort_used, Flow::input>(numbers, interval, books);
  else if (key_.giver_is_element)
    learn_all<in_SI, effort_used, Flow::new_sample>(numbers, interval, books);
  else
    learn_all<in_SI, effort_used, Flow::last_sample>(numbers, interval, books);
}

template <bool in_SI, PlainBonds::Effort effort_used, PlainBonds::Flow flow_used>
void PlainBonds::learn_all(std::span<const StageNumbers> numbers, const Interval& interval,
                           const Numbers& books) const {
  const double* efforts = numbers[key_.effort_stage].samples;
  const double* flows = numbers[key_.flow_stage].samples;
  const double* slots = numbers[key_.slot_stage].applied;
  const StageNumbers& giver = numbers[key_.flow_input_stage];
  const double* inputs = key_.observed_only ? giver.applied : giver.used_by_outputs;
  const double H = interval.H_s;
  const Tick now = interval.end;
  BondRecord* const all_records = books.records.data();
  BondMonitor::LastMotion* const all_motions = books.motions.data();
  double* const all_efforts = books.efforts.data();
  const Factors* k = factors_.data();
  for (const Places& at : places_) {
    BondRecord& record = all_records[at.bond];
    const double e0 = all_efforts[at.component];
    const double f0 = all_motions[at.component].flow;
    double e1 = efforts[at.effort];
    double f1 = flows[at.flow];
    if constexpr (!in_SI) {
      e1 *= k->effort;
      f1 *= k->flow;
    }
    double e_tilde = e1;
    if constexpr (effort_used != Effort::new_sample) {
      e_tilde = slots[at.slot];
      if constexpr (!in_SI) e_tilde *= k->slot;
      if constexpr (effort_used == Effort::carried_on) e_tilde += (e1 - e0) * interval.receiver_step_s / H;
    }
    double f_tilde = flow_used == Flow::new_sample ? f1 : f0;
    if constexpr (flow_used == Flow::input) {
      f_tilde = inputs[at.flow_input];
      if constexpr (!in_SI) f_tilde *= k->flow_input;
    }
    // A sum of one component begins with 0, too: −0 is no power.
    double power = 0.0 + e1 * f1;
    double dP = 0.0 + (e0 * f1 - e1 * f0);
    double interface_power = 0.0 + (e_tilde * f1 - e1 * f_tilde);
    record.power_into_b_W = (in_SI ? at.sign_into_b : k->scale_into_b) * power;
    if constexpr (!in_SI) {
      power *= k->scale;
      dP *= k->scale;
      interface_power *= k->scale;
      ++k;
    }
    all_efforts[at.component] = e1;
    all_motions[at.component].flow = f1;
    record.last_point = now;
    record.exchanged_energy_J += std::abs(power) * H;
    record.residual_power_W = dP;
    record.residual_energy_J += dP * H;
    record.interface_power_W = interface_power;
    record.interface_energy_J += interface_power * H;
  }
}

}  // namespace ergon

#pragma once

#include <bit>
#include <cstdint>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon::testing {

/// A number made of every bit of some numbers: two of them are the same where all of those are (but for one in 2⁶⁴).
class Bits {
 public:
  void add(std::uint64_t bits) {
    value_ = (value_ ^ bits) * 0x9e37'79b9'7f4a'7c15U;
    value_ ^= value_ >> 32U;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(bool value) { add(std::uint64_t{value}); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 1;
};

/// Everything that a record tells of its point.
inline std::uint64_t bits_of(const StepRecord& record, const CoupledSystem& system) {
  Bits bits;
  bits.add(record.time_s());
  for (Index o = 0; o < system.outputs.size(); ++o) {
    bits.add(record.output(o));
    bits.add(record.rough_output(o));
  }
  for (Index u = 0; u < system.inputs.size(); ++u) bits.add(record.applied_input(u));
  for (Index b = 0; b < system.bonds.size(); ++b) {
    const BondRecord& bond = record.bonds()[b];
    bits.add(static_cast<std::uint64_t>(bond.last_point));
    for (const double value :
         {bond.power_into_b_W, bond.exchanged_energy_J, bond.residual_power_W, bond.residual_energy_J,
          bond.interface_power_W, bond.interface_energy_J, bond.correction, bond.correction_energy_J,
          bond.leak_a_J, bond.leak_b_J, bond.group_leak_J, record.imbalance_J(b)})
      bits.add(value);
    for (const bool flag : {bond.has_imbalance, bond.corrected, bond.correction_capped, bond.has_leaks})
      bits.add(flag);
  }
  for (Index n = 0; n < system.nodes.size(); ++n) {
    const EnergyRecord& energy = record.energy(n);
    bits.add(energy.available);
    if (!energy.available) continue;
    bits.add(record.is_at_point(n));
    for (const double value :
         {energy.stored_J, energy.dissipated_J, energy.supplied_J, energy.synchronised_J, energy.kinetic_J})
      bits.add(value);
    for (const double value : energy.received_J) bits.add(value);
  }
  if (const StepControlRecord* control = record.step_control()) {
    for (const double value : {control->step_s, control->error, control->shortest_s, control->longest_s})
      bits.add(value);
    for (const std::uint64_t count : {control->accepted, control->rejected, control->forced}) bits.add(count);
  }
  if (const ImplicitRecord* implicit = record.implicit_steps()) {
    for (const double value : {implicit->residual, implicit->largest_residual}) bits.add(value);
    for (const std::uint64_t count :
         {implicit->steps, implicit->integrations, static_cast<std::uint64_t>(implicit->iterations),
          static_cast<std::uint64_t>(implicit->most_iterations)})
      bits.add(count);
  }
  return bits.value();
}

}  // namespace ergon::testing

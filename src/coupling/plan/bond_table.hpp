#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/plan/slot_address.hpp"

namespace ergon {

class CouplingPlan;

/// One number of a bond: which input or output of the system it is, where the engine keeps it, and its factor to SI units.
struct BondNumber {
  SlotAddress at{};
  std::uint32_t index = 0;
  double to_SI = 1.0;
};

/// One scalar component of a bond. Efforts go from the sender to the receiver, flows and displacements the other way.
struct BondComponentRow {
  BondNumber effort;              ///< output of the sender
  BondNumber effort_input;        ///< of the receiver, all that arrives there: what corrections are added to
  SlotAddress effort_slot;        ///< what of it is this bond's: the input itself, or its term of the sum
  BondNumber flow;                ///< output of the receiver; its displacement where `flow_differentiated`
  BondNumber flow_input;          ///< of the sender, where `has_flow_input`
  BondNumber displacement;        ///< output of the receiver, where `has_displacement`
  BondNumber displacement_input;  ///< of the sender, where `has_displacement_input`
  double effort_to_power = 1.0;   ///< effort.to_SI times the scale of the bond: this × flow is a power (W)
  bool effort_input_shared = false;  ///< other bonds end there, too: its work is not this bond's alone
  bool effort_slot_is_term = false;  ///< what is added to the sum does not show in the slot
  bool flow_differentiated = false;
  bool has_flow_input = false;
  bool has_displacement = false;
  bool has_displacement_input = false;
};

/// One bond.
struct BondRow {
  Index number = 0;
  Index sender = 0;                 ///< node that computes the effort
  Index receiver = 0;               ///< node that the effort acts on: the source of the flow
  std::size_t first_component = 0;  ///< in arrays over the components of all bonds
  std::span<const BondComponentRow> components;
  std::span<const Index> sender_inputs;    ///< flows and displacements of this bond
  std::span<const Index> receiver_inputs;  ///< its efforts
  double scale = 1.0;                      ///< makes effort × flow a power (W)
  double sign_into_b = 1.0;                ///< power into the receiver times this is power into side b
  bool observed_only = false;
  bool sender_is_element = false;
  bool receiver_samples_start = false;  ///< of its own steps: a leapfrog
  // In a plan:
  std::uint32_t sender_stage = 0;
  std::uint32_t receiver_stage = 0;
  /// The stage whose points are those of the bond: the slower of its ends; of an element, its own.
  std::uint32_t rate_group = 0;
};

/// Where the numbers of every bond are, derived once: ports, addresses, units, signs, stages, sender and receiver. Monitors,
/// correctors and the verdict take their rows from here. Bonds with a ratio are not exception: the ratio is in the factors of `effort`,
/// `flow_input` and `displacement_input`, which turn numbers of the sender into those of the receiver; what is called effort here is,
/// at one end of a gyrator, the flow.
class ERGON_API BondTable {
 public:
  BondTable() = default;
  /// Ports, units, signs; addresses and stages only with a plan. `system` must outlive it.
  explicit BondTable(const CoupledSystem& system, const CouplingPlan* plan = nullptr);
  BondTable(BondTable&&) = default;
  BondTable& operator=(BondTable&&) = default;
  BondTable(const BondTable&) = delete;  // its rows point into it
  BondTable& operator=(const BondTable&) = delete;

  [[nodiscard]] std::span<const BondRow> rows() const { return rows_; }
  [[nodiscard]] const BondRow& row(Index bond) const { return rows_[bond]; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Of all bonds: the length of arrays over components.
  [[nodiscard]] std::size_t component_count() const { return components_.size(); }

 private:
  std::vector<BondComponentRow> components_;
  std::vector<BondRow> rows_;
};

/// The components of one bond, without addresses.
[[nodiscard]] ERGON_API std::vector<BondComponentRow> bond_component_rows(const CoupledSystem& system,
                                                                          const PowerBond& bond);

}  // namespace ergon

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/capabilities.hpp"
#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// Nodes that some bonds join, and through which inputs work comes in from outside of them.
struct BondGroup {
  struct Member {
    Index node = 0;
    bool algebraic = false;  ///< an element: received work is not booked per input
    std::vector<std::uint32_t>
        outside{};  ///< inputs through which work comes from outside, relative to the node
    std::vector<std::uint32_t> efforts{};  ///< effort inputs of the bonds, relative to the node
  };
  std::vector<Index> bonds;
  std::vector<Member> members;  ///< in the order in which the bonds name them, the sender of a bond first
};

/// Per input of the system: whether one of these bonds feeds it.
[[nodiscard]] ERGON_API std::vector<bool> inputs_fed_by(const CoupledSystem& system,
                                                        std::span<const Index> bonds);

/// The inputs of a node, relative to it, through which work comes in from outside of a group: all reals that no bond of the group
/// feeds, without geometry, which does no work (Link::geometry). An input that is held at zero is one of them; effort × flow is
/// zero there.
[[nodiscard]] ERGON_API std::vector<std::uint32_t> outside_inputs(const CoupledSystem& system, Index node,
                                                                  const std::vector<bool>& fed_by_group);

/// The groups that these bonds form, in order of their first bonds: bonds that share a node are of one group.
[[nodiscard]] ERGON_API std::vector<BondGroup> bond_groups(const CoupledSystem& system,
                                                           std::span<const Index> bonds);
/// … that all bonds form.
[[nodiscard]] ERGON_API std::vector<BondGroup> bond_groups(const CoupledSystem& system);

/// Which energy of a leapfrog counts as stored: that of its samples, or that of velocities of the same instant.
enum class StoredEnergy { sampled, synchronised };

/// The balance of a group or of one of its members:
///   Σ (stored + dissipated − supplied) − Σ work from outside                          [gonzalez2019, (12)]
/// Its change since t₀ is the energy that the coupling has created.
struct EnergyBalance {
  double stored_J = 0.0;
  double dissipated_J = 0.0;  ///< what was supplied by the member's own sources is subtracted
  double outside_J = 0.0;

  void add(const AccountSample& account, std::span<const std::uint32_t> outside, StoredEnergy which) {
    stored_J += which == StoredEnergy::synchronised ? account.synchronised_J : account.stored_J;
    dissipated_J += account.non_conservative_J();
    double work_J = 0.0;
    for (const std::uint32_t input : outside) work_J += account.received_J[input];
    outside_J += work_J;
  }
  [[nodiscard]] double total_J() const { return stored_J + dissipated_J - outside_J; }
};

}  // namespace ergon

#pragma once

#include <numeric>
#include <span>

#include "ergon/core/api.hpp"
#include "ergon/core/capabilities.hpp"
#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// Energy books of one subsystem or element, where it keeps them. An element has no account of its own: the engine integrates what
/// its dampers take.
struct EnergyRecord : AccountSample {
  bool available = false;
  double element_received_J =
      0.0;  ///< by an element, through all its inputs together: Δstored + Δdissipated − Δsupplied
  /// Received through all inputs together.
  [[nodiscard]] double total_received_J() const {
    return std::accumulate(received_J.begin(), received_J.end(), element_received_J);
  }
};

/// The books of all nodes at one communication point.
class ERGON_API EnergiesRecord {
 public:
  virtual ~EnergiesRecord() = default;
  /// False in the midst of a step of this node: it is computed ahead, so that its energies are those of the step's end.
  [[nodiscard]] virtual bool is_at_point(Index /*node*/) const { return true; }
  /// The books of one node at this point: read when they are asked for, once per point. In the midst of a step that goes on beside
  /// others this waits for its end: ask `is_at_point` first where energies of another instant are of no use.
  [[nodiscard]] virtual const EnergyRecord& energy(Index node) const = 0;
  /// Of all nodes.
  void energies(std::span<EnergyRecord> per_node) const {
    for (Index n = 0; n < per_node.size(); ++n) per_node[n] = energy(n);
  }
};

}  // namespace ergon

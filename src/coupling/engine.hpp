#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/options.hpp"
#include "ergon/coupling/step_record.hpp"

namespace ergon {

/// Cost of one subsystem, estimated from every 64th step so that measuring costs nothing.
struct NodeCost {
  std::uint64_t steps = 0;
  double mean_step_s = 0.0;
};

struct Snapshot;

/// Steps a coupled system from one communication point to the next.
///   point k:  arrive → refresh feed-through and evaluate elements → learn (bonds, balances, correctors) → [caller inspects the record]
///             → build inputs → step → next point
/// Implicit schemes take each step several times, until the coupling variables fit (coupling/implicit).
/// Allocates nothing between initialize() and the end of the run.
class Engine {
 public:
  /// Reports settings that do not fit the system. `system` must outlive the engine.
  Engine(CoupledSystem& system, TimeGrid grid, const CouplingOptions& options, ProblemList& problems);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Evaluates all outputs at t₀, solves feed-through loops, checks stated initial values, fills histories.
  /// Findings about the user's input go to `problems`; a model that fails returns its failure.
  std::optional<Failure> initialize(ProblemList& problems);

  /// Goes on to the next communication point. On failure the record stays at the last good point.
  std::optional<Failure> advance();
  [[nodiscard]] bool done() const;
  /// Everything that later steps depend on: what follows a restore is, bit for bit, what followed the save. Only where
  /// all subsystems can be set back (can_rewind). Defined in coupling/snapshot.hpp.
  [[nodiscard]] bool can_rewind() const;
  void save(Snapshot& snapshot) const;
  void restore(const Snapshot& snapshot);
  [[nodiscard]] const StepRecord& record() const;
  [[nodiscard]] const TimeGrid& grid() const;
  [[nodiscard]] const CoupledSystem& system() const;

  /// Communication step (ticks) of each node; 0 for elements.
  [[nodiscard]] Tick period(Index node) const;
  /// Whether some last step was shortened to end with the run.
  [[nodiscard]] bool last_step_clamped() const;
  [[nodiscard]] NodeCost cost(Index node) const;
  [[nodiscard]] FeedthroughMode feedthrough_mode(Index input) const;
  /// Of an implicit scheme: ∂g/∂u of the interface residual (docs/theory/implicit-coupling.md) over a step of `length`
  /// ticks from the present point, row-major; nothing for explicit schemes or where a subsystem fails. For analysis:
  /// nothing is changed.
  [[nodiscard]] std::vector<double> interface_jacobian(Tick length);
  /// Per bond: whether a corrector acts on its receiver.
  [[nodiscard]] std::vector<bool> corrected_bonds() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergon

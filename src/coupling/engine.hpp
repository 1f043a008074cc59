#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/options/options.hpp"
#include "ergon/coupling/state/parts.hpp"
#include "ergon/coupling/state/snapshot.hpp"
#include "ergon/coupling/state/start_states.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon {

/// Steps a coupled system from one communication point to the next.
///   point k:  arrive → refresh feed-through and evaluate elements → update (bonds, balances, correctors) → [caller inspects the record]
///             → build inputs → step → next point
/// Implicit schemes take each step several times, until the coupling variables fit (coupling/schemes/implicit).
/// Allocates nothing between initialize() and the end of the run.
class ERGON_API Engine {
 public:
  /// Nothing, with the reasons in `problems`, where settings do not fit the system, which must outlive the engine. `parts`: where the
  /// system is spread over several processes.
  [[nodiscard]] static std::unique_ptr<Engine> make(CoupledSystem& system, const TimeGrid& grid,
                                                    const CouplingOptions& options, ProblemList& problems,
                                                    const Parts& parts = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Evaluates all outputs at t₀, solves feed-through loops, checks stated initial values, fills histories.
  /// Findings about the user's input go to `problems`; a model that fails returns its failure. Subsystems whose state was saved begin
  /// with that instead of their initial values.
  std::optional<Failure> initialize(ProblemList& problems, const StartStates* saved = nullptr);

  /// Goes on to the next communication point. On failure the record stays at the last good point. Whatever a subsystem throws is
  /// its failure; from `save`, `restore` and the record it comes as SubsystemFailure.
  std::optional<Failure> advance();
  [[nodiscard]] bool done() const;

  /// From the next steps of its subsystem on, a parameter that may change during a run has this value. Throws InputError where
  /// there is no such parameter, or where it cannot have the value.
  void set_parameter(const std::string& parameter, const TypedValue& value);
  /// The parameters that have changed so far, in order.
  [[nodiscard]] std::span<const ParameterChanged> parameter_changes() const;

  /// Whether all subsystems can be set back, so that there are snapshots.
  [[nodiscard]] bool can_rewind() const;
  /// Room for everything that later steps depend on: what follows a restore is, bit for bit, what followed the save.
  [[nodiscard]] Snapshot make_snapshot() const;
  void save(Snapshot& snapshot);
  void restore(const Snapshot& snapshot);
  /// A snapshot as bytes, for a file or another process that has built the same system, and back. Throws ArchiveError where a
  /// subsystem cannot be written down, or where the bytes are damaged, of another system, or of another coupling.
  [[nodiscard]] std::vector<std::byte> to_bytes(const Snapshot& snapshot) const;
  void from_bytes(std::span<const std::byte> bytes, Snapshot& snapshot) const;

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
  /// Per bond: whether its efforts are evaluated with flows of the past.
  [[nodiscard]] std::vector<bool> bonds_with_stale_efforts() const;
  /// A new output is visible to others before the end of its step: residual (2) of bonds then says little.
  [[nodiscard]] bool is_sequential() const;

 private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergon

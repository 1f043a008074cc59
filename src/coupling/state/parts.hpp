#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/failure.hpp"
#include "ergon/coupling/state/member_calls.hpp"

namespace ergon {

// A system may be spread over parts, such as processes. Each part has the whole plan, steps its own subsystems, and knows those of the
// others by their outputs. What parts have to tell each other passes through these two interfaces, and nowhere else: inputs are
// made of samples, so that nothing changes there. A run in one process is one part, and has neither.

/// Where outputs of other parts arrive, and own ones leave.
class OutputExchange {
 public:
  virtual ~OutputExchange() = default;
  /// Before t₀: stages, members and where their outputs are. The plan outlives the run.
  virtual void prepare(const CouplingPlan& plan) = 0;
  /// Own members among `members` of a stage (none named: all) have been evaluated into `plane`, at the same places of the run in all
  /// parts. Those of other parts are in it on return, unless one of them failed: then its failure is returned.
  [[nodiscard]] virtual std::optional<Failure> complete(Index stage, std::span<const std::uint32_t> members,
                                                        const OutputPlanes& plane) = 0;
};

/// What all parts decide alike.
class Decisions {
 public:
  virtual ~Decisions() = default;
  /// At the end of every step to the next point, whether it was reached or not: the failure that all parts report, which one process would
  /// have met first; nothing where no part failed.
  [[nodiscard]] virtual std::optional<Failure> failure(std::optional<Failure> own) = 0;
  /// The largest of all parts; not a number where that of any part is not.
  [[nodiscard]] virtual double largest(double own) = 0;
};

/// Both must outlive the engine.
struct Parts {
  OutputExchange* outputs = nullptr;
  Decisions* decisions = nullptr;

  [[nodiscard]] std::optional<Failure> complete(Index stage, std::span<const std::uint32_t> members,
                                                const OutputPlanes& plane) const {
    if (outputs == nullptr) [[likely]]
      return std::nullopt;
    return outputs->complete(stage, members, plane);
  }
};

}  // namespace ergon

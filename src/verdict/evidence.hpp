#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/step_record.hpp"
#include "ergon/verdict/energy_group.hpp"
#include "ergon/verdict/finding.hpp"
#include "ergon/verdict/power_traces.hpp"

namespace ergon {

struct VerdictOptions {
  bool sequential = false;       ///< Gauss–Seidel: residual (2) is meaningless
  bool ignore_accounts = false;  ///< as if no subsystem kept an energy account (for experiments)
  bool watch = false;            ///< judge while the run goes on: `VerdictMonitor::unreliable_so_far`
  /// Per bond: its efforts are evaluated with flows of the past. Empty: of none.
  std::vector<bool> stale_bonds{};
  int degree = 0;  ///< of the extrapolation of inputs that have none of their own
};

/// What the energy of a bond is judged by: the most truthful there is.
enum class EnergyEvidence {
  balance,    ///< all of its group keep accounts
  imbalance,  ///< (3): both of its ends do
  interface,  ///< (2), or an estimate from the coupling variables
  none,
};

/// What all evidence shares. `powers` and `groups` are written by one of them each, during `start` and `observe`, and read by others
/// when they make their findings.
struct ERGON_API EvidenceContext {
  EvidenceContext(const CoupledSystem& frozen_system, VerdictOptions verdict_options);
  /// What each bond is judged by, once the first point shows which bonds have (3).
  void choose(const StepRecord& first_point);

  const CoupledSystem& system;
  VerdictOptions options;
  struct Bond {
    EnergyEvidence judged_by = EnergyEvidence::none;
    bool has_imbalance = false;  ///< (3) is known, whatever judges the bond
    bool stale = false;
    std::size_t group = 0;
  };
  std::vector<Bond> bonds;
  PowerTraces powers;
  std::vector<EnergyGroup> groups;
  /// Per group: its balance is the evidence.
  [[nodiscard]] bool is_balanced(const EnergyGroup& group) const {
    return group.complete() && !options.ignore_accounts;
  }
};

/// A communication point, as the monitor hands it on.
struct ObservedPoint {
  const StepRecord& record;
  Tick tick;
  double time_s;
  std::size_t window;  ///< see TimeWindows
};

/// One kind of evidence for or against the results of a run. It sees every point, in order; its memory does not grow with the run, and
/// it allocates nothing after `start`.
class ERGON_API Evidence {
 public:
  virtual ~Evidence() = default;
  /// t₀. False: there is nothing in this system for it to look at, and it is not asked again.
  virtual bool start(const ObservedPoint& first_point) = 0;
  /// Every later point.
  virtual void observe(const ObservedPoint& point) = 0;
  /// The last point, after `observe`. `energies_hold`: all subsystems are there, too; not so after a failure.
  virtual void finish(const ObservedPoint& /*last_point*/, bool /*energies_hold*/) {}
  /// Windows were merged in pairs (TimeWindows).
  virtual void widen() {}
  /// May be asked at any point.
  virtual void findings(Findings& findings) const = 0;
  /// Completes the reason for one of its findings: the sentence, and which bond or subsystems it is about. Severity, interval, ratio and
  /// limit are filled in already.
  virtual void describe(const Finding& finding, VerdictReason& reason) const = 0;
  virtual void archive(Archive& archive) = 0;
};

/// Makes an evidence, or nothing where the system has nothing for it. The context outlives it.
using EvidenceMaker = std::unique_ptr<Evidence> (*)(EvidenceContext& context);
/// All kinds, in the order in which they are listed among equally severe ones. To add one: a file, and a line there.
[[nodiscard]] ERGON_API std::span<const EvidenceMaker> evidence_registry();

}  // namespace ergon

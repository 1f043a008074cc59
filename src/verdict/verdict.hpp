#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon {

/// Whether the results of a run can be trusted. The evidence of the run itself says `consistent` at best: *reliable* is a run whose
/// motion was checked, too.
enum class VerdictValue { reliable, consistent, doubtful, unreliable, not_monitored };
[[nodiscard]] ERGON_API std::string_view name_of(VerdictValue value);
/// 0 for the best; no evidence is worse than what is consistent, and better than what is doubtful.
[[nodiscard]] ERGON_API int severity(VerdictValue value);

enum class ReasonKind {
  failure,           ///< the run failed
  not_finite,        ///< an energy or a power overflowed
  energy_balance,    ///< energy that is in the subsystems and should not be there
  bond_imbalance,    ///< (3): what both ends of a bond received does not cancel
  interface_energy,  ///< (2): energy that a bond created, against what it passed on
  black_box_estimate,  ///< energy estimated from the coupling variables alone, with one mass and spring per side
  stale_efforts,       ///< (2) is small, but sees little of what stale efforts create
  growth,              ///< the exchanged power grows, and the interface adds to it
  sudden_change,       ///< the residual of a bond is far above its usual level for a while
  correction_limited,  ///< a correction was cut short for most of the time
  coupling_residual,   ///< implicit schemes: coupling variables and outputs do not agree
  not_monitored,       ///< there is no evidence
  unwatched_input,     ///< motion or force of another subsystem arrives by a connection that is not a bond
  element_gives,       ///< elements give energy that their laws do not: efforts with the wrong sign
  correction_work,     ///< the work of corrections is a good part of the energy
  too_few_samples,     ///< what is exchanged changes faster than it is sampled
  source_sampling,     ///< samples do not render the signal of a source
  solver_residual,     ///< a subsystem did not solve its steps to its own tolerance
  motion,              ///< the difference to the same system at other steps
};
[[nodiscard]] ERGON_API std::string_view name_of(ReasonKind kind);

struct VerdictReason {
  VerdictValue says = VerdictValue::consistent;  ///< what it alone would mean for the run
  ReasonKind kind = ReasonKind::energy_balance;
  std::string what;                     ///< one sentence
  std::string bond;                     ///< empty: it is about subsystems
  std::vector<std::string> subsystems;  ///< empty: it is about a bond, or the whole run
  bool by_integration = false;          ///< most of it comes from inside the subsystems, not from bonds
  std::optional<bool> at_all_steps;  ///< an energy that is as wrong at smaller steps; nothing: not compared
  double from_s = 0.0;
  double to_s = 0.0;
  std::optional<double> ratio;  ///< the figure that was judged …
  std::optional<double> limit;  ///< … and the limit that it exceeded, or kept
};

struct Verdict {
  VerdictValue value = VerdictValue::not_monitored;
  std::vector<VerdictReason> reasons;  ///< the worst first; where all is right: what was looked at
  VerdictValue energy = VerdictValue::not_monitored;  ///< by the evidence of the run itself
  VerdictValue motion = VerdictValue::not_monitored;  ///< by check runs alone
  std::string advice;                                 ///< one setting to try; empty: none
};

}  // namespace ergon

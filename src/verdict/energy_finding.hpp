#pragma once

#include "ergon/verdict/finding.hpp"
#include "ergon/verdict/spurious_energy.hpp"
#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {

/// An energy that should not be there, over a scale, against the limits of energies.
[[nodiscard]] inline Finding judged_energy(ReasonKind kind, double amount_J, double scale_J, double ratio) {
  Finding finding{.kind = kind,
                  .ratio = ratio,
                  .limit = verdict_limits::doubtful_energy,
                  .amount = amount_J,
                  .scale = scale_J};
  if (ratio > verdict_limits::unreliable_energy) {
    finding.says = VerdictValue::unreliable;
    finding.limit = verdict_limits::unreliable_energy;
  } else if (ratio > verdict_limits::doubtful_energy) {
    finding.says = VerdictValue::doubtful;
  }
  return finding;
}

/// … with the windows in which it exceeded its limit.
[[nodiscard]] inline Finding judged_energy(ReasonKind kind, const SpuriousEnergy& spurious) {
  Finding finding = judged_energy(kind, spurious.largest_J(), spurious.scale_J(), spurious.ratio());
  if (finding.says != VerdictValue::consistent) {
    const SpuriousEnergy::Span span = spurious.above(finding.limit);
    finding.first_window = span.first;
    finding.last_window = span.last;
  }
  return finding;
}

}  // namespace ergon

#pragma once

#include <cstdint>

#include "ergon/core/api.hpp"

namespace ergon {

/// What decides how late an effort reaches the motion of its receiver.
struct InterfaceTiming {
  bool stale_feedthrough =
      true;                    ///< the effort is evaluated with flows that the sender used in the step before
  bool sequential = false;     ///< Gauss–Seidel
  double sender_step_s = 0.0;  ///< between two samples of the effort
  double receiver_step_s = 0.0;  ///< between two samples of the flow
  /// The same in whole numbers of a common unit, where they are known: of steps that are not multiples of each other the
  /// delays are means over the pattern of points.
  std::int64_t sender_ticks = 0;
  std::int64_t receiver_ticks = 0;
  int effort_degree = 0;  ///< extrapolation at the receiver
  int flow_degree = 0;    ///< extrapolation at the sender
  bool sender_samples_start = true;
  bool receiver_samples_start = true;
};

/// Mean delays of an effort in an explicit scheme, against the larger communication step H of its bond:
///   feed-through   the effort was evaluated with flows of the past
///   hold           the receiver holds it beyond its time
/// An effort that is late by τ does the work −τ ė·f per second too much; the residual power dP = e₀·f₁ − e₁·f₀ sums up
/// to −2H ė·f per step, so that the interface has made μ H dP with μ = τ/(2H). For receivers that sample at the start of
/// their steps this is Eqs. (20) and (21) of rodriguez2022; it holds as well for those that integrate over the step.
/// A sender that integrates over its step with a held flow feels that flow as late as the receiver feels the effort. For a
/// spring k between velocities v₁ of the sender and v₂ of the receiver it makes −½H k v₁v₂ of it, the receiver
/// ½H k (v₂² − v₁v₂). To pay for the second alone does harm where v₁v₂ is between ⅓ and 1 of v₂²: neither is paid.
struct InterfaceLag {
  double H_s = 0.0;
  double feedthrough_s = 0.0;
  double hold_s = 0.0;
  double looked_ahead_s =
      0.0;  ///< how far beyond its sample the receiver uses the effort, held or extrapolated
  /// The sender is slower, no step is a multiple of the other, and the effort is held: the mean delay describes it in part only.
  bool described_in_part = false;
  bool sender_holds = false;  ///< a fresh effort, but its sender holds the flow over its step

  [[nodiscard]] double mu() const { return H_s > 0.0 ? (feedthrough_s + hold_s) / (2.0 * H_s) : 0.0; }
};

[[nodiscard]] ERGON_API InterfaceLag interface_lag(const InterfaceTiming& timing);

}  // namespace ergon

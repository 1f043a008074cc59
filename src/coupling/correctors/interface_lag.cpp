#include "ergon/coupling/correctors/interface_lag.hpp"

#include <algorithm>

namespace ergon {

InterfaceLag interface_lag(const InterfaceTiming& t) {
  InterfaceLag lag;
  lag.H_s = std::max(t.giver_step_s, t.receiver_step_s);
  // A sweep hands new values on at once: no delay that a constant could describe.
  if (t.sequential) return lag;

  if (t.stale_feedthrough) {
    const bool extrapolates = t.flow_degree > 0;
    if (t.giver_samples_start) {
      // What it used last was meant for one step of its own before the point; held, it is as old as the slower step.
      const bool faster = t.giver_step_s < t.receiver_step_s;
      lag.feedthrough_s = extrapolates && faster ? t.giver_step_s : lag.H_s;
    } else {
      lag.feedthrough_s = extrapolates ? 0.0 : lag.H_s;
    }
  }
  // Sampled at 0, h, …, H − h after it was new: (H − h)/2 on average; followed all along: H/2.
  lag.looked_ahead_s =
      t.receiver_samples_start ? std::max(0.0, 0.5 * (t.giver_step_s - t.receiver_step_s)) : 0.5 * lag.H_s;
  lag.giver_holds = !t.giver_samples_start && t.flow_degree == 0 && !t.stale_feedthrough;
  if (t.effort_degree == 0 && !lag.giver_holds) lag.hold_s = lag.looked_ahead_s;
  return lag;
}

}  // namespace ergon

#include "ergon/coupling/correctors/interface_lag.hpp"

#include <algorithm>
#include <numeric>

namespace ergon {
namespace {

struct PatternMeans {
  double feedthrough = 0.0;  ///< from the flow with which an effort was evaluated to its sample
  double hold = 0.0;         ///< from its sample to its use
};

/// Means over one pattern of points, in ticks, of a receiver that looks at k·h_r at the newest effort, which its sender evaluated
/// with the newest flow at the start of its step.
PatternMeans pattern_means(std::int64_t sender, std::int64_t receiver) {
  PatternMeans means;
  const std::int64_t period = std::lcm(sender, receiver);
  for (std::int64_t look = period; look < 2 * period; look += receiver) {
    const std::int64_t sample = look / sender * sender;
    const std::int64_t flow = (sample + period - sender) / receiver * receiver - period;
    means.feedthrough += static_cast<double>(sample - flow);
    means.hold += static_cast<double>(look - sample);
  }
  const double looks = static_cast<double>(period / receiver);
  return {means.feedthrough / looks, means.hold / looks};
}

}  // namespace

InterfaceLag interface_lag(const InterfaceTiming& t) {
  InterfaceLag lag;
  lag.H_s = std::max(t.sender_step_s, t.receiver_step_s);
  // A sweep hands new values on at once: no delay that a constant could describe.
  if (t.sequential) return lag;

  if (t.stale_feedthrough) {
    const bool extrapolates = t.flow_degree > 0;
    if (t.sender_samples_start) {
      // What it used last was meant for one step of its own before the point; held, it is as old as the slower step.
      const bool faster = t.sender_step_s < t.receiver_step_s;
      lag.feedthrough_s = extrapolates && faster ? t.sender_step_s : lag.H_s;
    } else {
      lag.feedthrough_s = extrapolates ? 0.0 : lag.H_s;
    }
  }
  // Sampled at 0, h, …, H − h after it was new: (H − h)/2 on average; followed all along: H/2.
  lag.looked_ahead_s =
      t.receiver_samples_start ? std::max(0.0, 0.5 * (t.sender_step_s - t.receiver_step_s)) : 0.5 * lag.H_s;
  lag.sender_holds = !t.sender_samples_start && t.flow_degree == 0 && !t.stale_feedthrough;
  const bool known = t.sender_ticks > 0 && t.receiver_ticks > 0;
  const bool uneven =
      known && t.sender_ticks % t.receiver_ticks != 0 && t.receiver_ticks % t.sender_ticks != 0;
  constexpr std::int64_t longest_pattern = 1000000;
  const std::int64_t tick = known ? std::gcd(t.sender_ticks, t.receiver_ticks) : 1;
  const std::int64_t sender = t.sender_ticks / tick;
  const std::int64_t receiver = t.receiver_ticks / tick;
  const bool both_sample_start = t.sender_samples_start && t.receiver_samples_start;
  if (uneven && both_sample_start && std::max(sender, receiver) <= longest_pattern) {
    const double tick_s = t.sender_step_s / static_cast<double>(sender);
    const PatternMeans means = pattern_means(sender, receiver);
    lag.described_in_part = sender > receiver && t.effort_degree == 0;
    if (t.stale_feedthrough && t.flow_degree == 0) lag.feedthrough_s = means.feedthrough * tick_s;
    lag.looked_ahead_s = means.hold * tick_s;
  }
  if (t.effort_degree == 0 && !lag.sender_holds) lag.hold_s = lag.looked_ahead_s;
  return lag;
}

}  // namespace ergon

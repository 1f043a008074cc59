#pragma once

#include <cstddef>

/// Every threshold of the check of the motion, with its reason. They were fixed with the first half of the seeds of
/// `ergon bench verdict --families` and are reported with the second (docs/theory/verdict.md).
namespace ergon::motion_limits {

// ── Error bars from differences. A method of order p is off by e at the steps of the run, by 2ᵖe at twice and by 2⁻ᵖe at half
//    of them, so that the difference is (2ᵖ − 1)e or (1 − 2⁻ᵖ)e. Order 1, as that of most couplings, makes the larger bars. ──

constexpr double bar_of_double_steps = 1.0;
constexpr double bar_of_half_steps = 2.0;

// ── Largest bar over half the range of the variable ──

/// Twice the steps. With order 2 the difference is three times the error, so that more than this is no proof …
constexpr double doubtful_at_double = 0.042;
/// … and this much may still be a run that is right within 10 %.
constexpr double unreliable_at_double = 0.30;
/// Half the steps: 1.9 % and 7.6 % of difference.
constexpr double doubtful_at_half = 0.038;
constexpr double unreliable_at_half = 0.152;

/// What a plot just shows, what one sees, what is wrong.
constexpr double just_visible = 0.01;
constexpr double visible = 0.05;
constexpr double wrong = 0.20;

/// What samples of a source leave out, over its signal (root mean square): less than five in a period of a sine. Fewer than two look alike
/// at other steps, too.
constexpr double aliased_source = 0.7;

// ── What is compared ──

/// A variable whose range is smaller than this part of its size does not move: the rest is round-off.
constexpr double round_off = 1e-9;
/// Of the largest range in the same unit at the same subsystem: what moves less than that is held beside a motion, or across it, and
/// its error is compared with this part of it.
constexpr double beside_the_motion = 0.01;
/// Of the final range: before a variable has moved this far, its error is compared with that.
constexpr double first_movements = 0.25;
/// Travelling: what is left of the range after a common constant velocity is taken off is less than this part of it …
constexpr double rest_of_travel = 0.2;
/// … and velocities of one group differ by less than this part of them.
constexpr double same_velocity = 0.1;

// ── Chaos: the error grows by two decades within this part of the time before, the motion having been under way ──

constexpr double chaos_begins = 0.002;
constexpr double chaos_growth_time = 0.4;
constexpr double chaos_range_before = 0.4;
/// The second decade takes at least this part of the time of both: an error that jumps is an event.
constexpr double chaos_steadiness = 0.2;

}  // namespace ergon::motion_limits

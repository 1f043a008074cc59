#pragma once

#include <chrono>
#include <cstddef>

/// Every threshold of the check of the motion, with its reason. They were fixed with the first half of the seeds of
/// `ergon bench verdict --families` and are reported with the second (docs/theory/verdict.md).
namespace ergon::motion_limits {

// ── Error bars from differences. A method of order p is off by e at the steps of the run, by 2ᵖe at twice and by 2⁻ᵖe at half
//    of them, so that the difference is (2ᵖ − 1)e or (1 − 2⁻ᵖ)e. Order 1, as that of most couplings, makes the larger bars. ──

/// Order 1 gives 1 and 2. A fifth and 30 % more, since errors of order two have the other sign often enough: so that bars are bounds.
constexpr double bar_of_double_steps = 1.2;
constexpr double bar_of_half_steps = 2.6;

// ── Largest bar over the accuracy that is asked for: doubtful above 1 ──

/// Twice the steps. With order 2 the difference is three times the error, so that more than this is no proof.
constexpr double unreliable_at_double = 7.2;
/// Half the steps, or a quarter.
constexpr double unreliable_at_half = 4.0;

// ── Which check runs follow ──

/// Largest bar over the accuracy, at twice the steps, up to which that run alone decides. Errors aH and bH² cancel in the difference where
/// a = −3bH; what is left of it must be this small, in all outputs at all times, for a wrong run to pass: less than a hundredth of the error
/// of a run that is off by 20 %, where 5 % are asked for.
constexpr double clear_at_double = 0.04;
/// The same at ten times the tolerance, which has no order.
constexpr double clear_at_tolerance = 0.4;
/// Below that, a check run at four times the steps goes along for the first quarter of the time alone, and to the end where the largest bar over the
/// accuracy becomes more than this by it, and so many times of what it was: errors that cancel at twice the steps all but exactly.
constexpr double part_screened = 0.25;
constexpr double clear_at_four = 0.01;
constexpr double grows_at_four = 1.5;
/// … and where it follows only to make sure, half the steps decide against it from this bar over the accuracy on: what starts with a jump has
/// an order below one for some steps, and bars that are too large.
constexpr double contradicts = 2.0;
/// Difference to twice the steps over that to half of them: 2ᵖ. Above that of order four, orders may cancel in the smaller one.
constexpr double difference_of_orders = 16.0;
/// … where the difference to twice the steps is at most so many times half the range: both runs stay within it.
constexpr double within_range = 2.0;
/// Of the sum of two orders that two check runs tell apart: a fifth more for what is of a third.
constexpr double bar_of_both_orders = 1.2;
/// … where the difference to the larger steps is less than this part of half the range, so that it is still aH and bH² …
constexpr double still_small = 0.5;
/// … and this part of it where bars become narrower by that.
constexpr double small = 0.2;
/// Difference to twice the steps over that to half of them: 2 of order one, 4 of order two. Between these limits the bar is that of both orders,
/// and at least 1.2 errors of order two.
constexpr double least_of_two_orders = 1.8;
constexpr double most_of_two_orders = 4.5;
constexpr double least_bar_of_half_steps = 1.6;
/// Signs of third differences in one go: more than chance, and nothing that has more than 2.4 points in a period does it.
constexpr int alternations = 6;
/// Of what swings about a mean, where the mean is right.
constexpr double bar_of_swing = 1.2;
/// A quarter of the steps, where orders cancel between the run and half its steps (a = −3/2 bH): the difference is 3/8 of the error.
constexpr double bar_of_quarter_steps = 2.7;

// ── Runs that did not finish ──

/// Of what the run did: as much at least must the check run have done when it was ended.
constexpr double part_that_is_judged = 0.9;
/// So long somebody who has interrupted a run waits for it at most.
constexpr std::chrono::milliseconds patience{2000};
/// Less than that is over before something is to be seen.
constexpr std::size_t fewest_rows_judged = 8;

// ── Energies at other steps ──

/// Energy error at half the steps over that of the run: order one halves it. What is above that is no error of the steps.
constexpr double energy_stays = 0.75;

/// What a plot just shows, what one sees, what is wrong.
constexpr double just_visible = 0.01;
constexpr double visible = 0.05;
constexpr double wrong = 0.20;

/// What samples of a source leave out, over its signal (root mean square): less than five in a period of a sine. Fewer than two look alike
/// at other steps, too.
constexpr double aliased_source = 0.7;

/// The same of a subsystem that steps more often than its receiver: nothing of the signal is left.
constexpr double lost_signal = 0.9;

// ── What is compared ──

/// A variable whose range is smaller than this part of its size does not move: the rest is round-off.
constexpr double round_off = 1e-9;
/// Of the largest range in the same unit at the same subsystem: what moves less than that is held beside a motion, or across it, and
/// its error is compared with this part of it.
constexpr double beside_the_motion = 0.01;
/// Of the largest range in the same unit among subsystems that are connected: what moves less is idle.
constexpr double idle_in_group = 1e-6;
/// Of the largest value: the range of a force, a current or a pressure that hardly changes counts for at least this much.
constexpr double part_of_size = 0.01;
/// Of a turn: an angle whose range is within these is counted within one turn.
constexpr double wraps_from = 0.9;
constexpr double wraps_to = 1.001;
/// Of the final range: before a variable has moved this far, its error is compared with that.
constexpr double first_movements = 0.25;
/// Travelling: what is left of the range after a common constant velocity is taken off is less than this part of it …
constexpr double rest_of_travel = 0.2;
/// … and velocities of one group differ by less than this part of them.
constexpr double same_velocity = 0.1;

// ── Jumps ──

/// A window in which an output changes by more than so many times of what it changes in the windows before and after has a jump.
constexpr double jump_over_neighbours = 4.0;
/// Of the time since the start: so much earlier or later it may come in another run.
constexpr double jump_shift_of_time = 0.005;

// ── Chaos: the error grows by two decades within this part of the time before, the motion having been under way ──

constexpr double chaos_begins = 0.0025;
constexpr double chaos_first_decade = 0.0125;
constexpr double chaos_visible = 0.0625;
constexpr double chaos_ends = 0.25;
constexpr double chaos_growth_time = 0.4;
constexpr double chaos_range_before = 0.4;
/// Of the whole range: what moves less from then on dies away.
constexpr double chaos_range_after = 0.3;
/// The second decade takes at least this part of the time of both: an error that jumps is an event.
constexpr double chaos_steadiness = 0.2;

}  // namespace ergon::motion_limits

#pragma once

#include <cstddef>

/// Every threshold of the verdict, with its reason. They were fixed with the random oscillators 1–100 of
/// benchmarks/verdict and are reported with 101–200 (docs/theory/verdict.md).
namespace ergon::verdict_limits {

// ── Spurious energy, where accounts show it: |ε| over the largest energy stored without it ──

/// An energy that is 3 % off is an amplitude that is 1.5 % off: what a plot just shows.
constexpr double doubtful_energy = 0.03;
/// 15 % of the energy are 7 % of the amplitude. ε is 0.2 to 5 times the true error, and mostly 0.9 to 1.4 times; so this
/// does not blame a run that is right within 2 %, nor do 3 % pass one that is off by 20 %.
constexpr double unreliable_energy = 0.15;

/// Leaves ten digits of a difference: in a run that explodes ε is round-off.
constexpr double most_cancellation = 1e6;
/// Of the amounts in the sum: what the sum of many steps leaves of its digits. At rest there is nothing else.
constexpr double round_off = 1e-11;
/// Peak of the kinetic energy over the range of the energy, below which a motion is overdamped, or in circuits.
constexpr double little_kinetic = 0.1;
/// Energy that negative damping gives, over what the motion gains: a motor gives more, which passes through.
constexpr double most_given = 2.0;
/// A bond that created this part of it is named as its origin.
constexpr double most_of_it = 0.5;

// ── Estimates from the coupling variables alone (black-box bonds) ──

/// Part of the forces, root mean square, that one mass, spring and damper per side leave.
constexpr double unexplained_motion = 0.1;
/// Of the largest stiffness: what differences leave of a symmetric law …
constexpr double rounding = 1e-3;
/// … and of none at all.
constexpr double no_stiffness = 1e-6;
/// … by which a stiffness may be off that was read off steps.
constexpr double uncertain = 0.2;
/// Part of the efforts along directions without stiffness above which they are not a spring's.
constexpr double loose_effort = 0.01;

// ── Residual (2) alone: |∫P_I dt| over the range of the energy that the bond passed on ──

/// The range is at most the energy of the system, and mostly about half of it; (2) may read a quarter of the truth.
constexpr double doubtful_interface = 0.05;
/// Twice all the energy that ever passed the bond: the range may be a small part of the energy of the system, so less
/// than this is no proof.
constexpr double unreliable_interface = 2.0;
/// The scale is the range as it was before the interface had created half as much: energy that was created swings, too.
constexpr double range_before_fault = 0.5;
/// The exchanged power (mean of the last quarter over that of the first) has grown more than by usual beats.
constexpr double growth = 3.0;
/// The part of the growth that the interface must have created to be blamed.
constexpr double unreliable_growth = 0.25;
/// Growth with even this little is not passed.
constexpr double doubtful_growth = 0.005;
/// Energy is said to be created from this share of it to the rest.
constexpr double creation_begins = 0.01;
/// … and to have ended with that share of it only if what follows is also less than this part of the mean: energy that is
/// created steadily has no end.
constexpr double creation_fades = 0.1;
/// If the exchanged power has not changed by more than this although the interface created twice the range, the energy
/// went somewhere (dampers), and nobody knows how much of the result it was.
constexpr double steady_level = 1.5;

// ── Sudden changes of a bond's residual power, window by window ──

/// Root mean square of a window over its median: start-up, beats and the free decay of a whole run (e⁻³ in power)
/// stay below.
constexpr double sudden_level = 30.0;
/// Residuals below a thousandth of the usual power are usual, even if the median is 0 (outputs refreshed).
constexpr double negligible_residual = 1e-3;
/// In the window itself the residual must be a good part of the power: a machine that starts to work exchanges more,
/// and has more residual, for good reason.
constexpr double sudden_share = 0.1;
/// … and a larger part than usual: with coarse steps it may be that large all the time.
constexpr double sudden_share_rise = 5.0;
/// Energy of the residual in those windows over the energy exchanged in all others.
constexpr double doubtful_sudden_energy = 0.02;
constexpr double unreliable_sudden_energy = 0.2;
/// Quieter windows in between do not end a burst: it swings.
constexpr std::size_t windows_within_burst = 3;
/// A motion that dies out is all at the start, which is then not usual, but not sudden either.
constexpr std::size_t start_up_windows = 4;
/// A median of fewer windows says nothing about what is usual.
constexpr std::size_t fewest_windows = 16;

// ── Correction ──

/// Share of the time for which the correction wanted more than its limit. Chattering at the limit is usual (some
/// methods are at it for 90 % of the time and right), so it counts only where no account says that the energy is right.
constexpr double correction_limited = 0.5;
/// Work of the correction over the scale of the energy: so much was wrong, and a correction puts the energy right, not the motion.
constexpr double doubtful_correction = 0.07;

// ── Sampling ──

/// Of the efforts that are exchanged. Below, not even their frequency is right within a percent or two.
constexpr double samples_per_period = 10.0;
constexpr std::size_t fewest_samples = 32;
/// A source with steps this much longer than those of its receivers is held in between.
constexpr double longer_step = 1.001;
/// Variance over mean square: a constant has none but that of round-off.
constexpr double constant_signal = 1e-20;
/// Root mean square of what the samples of a source leave out, over that of the signal: as much as energies may be off in amplitude.
constexpr double doubtful_source = 0.05;

// ── Coupling variables of implicit schemes that do not agree with the outputs ──

/// Relative to their sizes, at the end of a step: as much as spurious energy may be …
constexpr double doubtful_residual = 0.03;
/// … and as large as the variables themselves.
constexpr double unreliable_residual = 1.0;
/// Share of the steps above which it counts.
constexpr double steps_with_residual = 0.01;

// ── While the run goes on ──

/// Asking all subsystems for their energies may be dear.
constexpr int points_between_samples = 16;
/// … but the first ones are those of the fastest motion.
constexpr std::size_t dense_samples = 33;
/// A point that some member of a group does not share is tried again at the next, but not for ever.
constexpr int most_misses = 16;
/// Before that the scales are those of the first movements.
constexpr int first_look = 256;
constexpr int points_between_looks = 16;
/// Looks in a row that must agree before a run is stopped.
constexpr int looks_that_agree = 4;

}  // namespace ergon::verdict_limits

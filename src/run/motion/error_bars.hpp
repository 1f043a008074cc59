#pragma once

#include <vector>

#include "ergon/run/motion/motion_samples.hpp"

namespace ergon {

/// Another check run beside the one that error bars come from: at twice the steps beside half of them, at half beside a quarter, at four times
/// beside twice.
struct FurtherCheck {
  const MotionSamples* samples = nullptr;  ///< nullptr: there is none
  double step_factor = 1.0;
  double part = 1.0;  ///< of the time: up to there it is looked at
};

/// What is known of one output.
struct Differences {
  const MotionSamples& run;
  const MotionSamples& check_run;
  double step_factor;  ///< of the check run
  FurtherCheck further;
  std::size_t output;  ///< among the samples
  double scale;        ///< half its range
};

/// Error bar over difference. Errors of order p are (fᵖ − 1) times as large in the difference to f times the steps.
[[nodiscard]] double bar_of(double step_factor);

/// Errors e = A + B of order one and two, from the differences to f and g times the steps:
///   d_f = (f − 1)A + (f² − 1)B,   B = (d_g/(g − 1) − d_f/(f − 1))/(g − f),   A + B = d_f/(f − 1) − fB
[[nodiscard]] double sum_of_two_orders(double f, double d_f, double g, double d_g);

/// Widens bars from smaller steps (`errors`, per row) by what both check runs tell, where their differences are small enough; makes them narrower
/// where those of half and twice the steps are those of order one and two.
void include_both_orders(const Differences& known, std::vector<double>& errors);

/// Widens bars from twice the steps where four times the steps tell that errors of two orders cancel in them. False: these
/// are off by too much to tell.
[[nodiscard]] bool widen_by_larger_steps(const Differences& known, std::vector<double>& errors);

/// Bars are at least what the output swings by from step to step at smaller steps (MotionSamples::swing). Its largest swing.
double include_swings(const MotionSamples& smaller_steps, std::size_t output, std::vector<double>& errors);

}  // namespace ergon

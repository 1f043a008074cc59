#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/run/run.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon {

/// The same system at other steps, run for comparison.
struct CompanionReport {
  double step_factor = 1.0;  ///< its steps over those of the run
  RunStatus status = RunStatus::finished;
  std::optional<Failure> failure;
  double reached_time_s = 0.0;
  double wall_time_s = 0.0;
  std::optional<double> ratio;  ///< largest error bar over half the range, of the judged variables
  VerdictValue says = VerdictValue::not_monitored;
  /// What its energies show, at smaller steps than those of the run; empty at larger ones.
  std::vector<VerdictReason> energy_reasons;
};

/// The error bar of one variable: what its value is off by, estimated from the difference to the companion.
struct VariableMotion {
  std::string name;
  std::string unit;
  bool recorded = true;  ///< it is in results.csv
  bool judged = false;   ///< the verdict is about it
  Accuracy accuracy{};   ///< that is asked for; what is absolute in the unit of the variable
  /// What its error is compared with: of its values, of the largest component of a vector, of those that travel together without
  /// what they have in common; with a floor (motion_scales.hpp).
  double half_range = 0.0;
  double largest_error = 0.0;  ///< in its unit
  double at_s = 0.0;           ///< when
  /// Its values swing by so much about their mean from step to step, in its unit: what is wrong with that mean is the same at every second
  /// step of all runs. 0: they do not.
  double swing = 0.0;
  std::optional<double> ratio;   ///< the error over half the range; nothing where the variable does not move
  std::optional<double> excess;  ///< the error over what is allowed; nothing where it is not judged
  std::optional<double> misses_accuracy_s;  ///< from when on its error is more than is allowed
  std::optional<double> passes_1_percent_s;
  std::optional<double> passes_5_percent_s;
  std::optional<double> passes_20_percent_s;
  /// Neighbouring solutions part exponentially from here on: no step size makes it right for long.
  std::optional<double> chaotic_after_s;
};

/// What is known about the motion of a run.
struct Motion {
  MotionCheck check = MotionCheck::off;  ///< what was asked for
  bool checked = false;                  ///< a companion went along as far as the run went
  std::string why_not;                   ///< where it is not
  VerdictValue value = VerdictValue::not_monitored;
  std::vector<CompanionReport> companions;  ///< in order
  double step_factor = 1.0;                 ///< of the companion that the error bars come from
  std::optional<double> compared_until_s;   ///< of a run that did not finish
  /// Differences to twice and four times the steps are too large to tell errors of two orders apart.
  bool order_is_open = false;
  bool controlled = false;                ///< step control: there, tolerances differ by ten
  std::string worst;                      ///< the judged variable with the largest excess
  double ratio = 0.0;                     ///< its ratio
  double excess = 0.0;                    ///< and its excess
  double right_until_s = 0.0;             ///< no judged variable is less accurate than asked for before
  std::optional<double> chaotic_after_s;  ///< the earliest of them
  /// Subsystems whose own errors no check run sees, since their internal steps are the same in all of them.
  std::vector<std::string> solvers_inside;
  std::vector<VariableMotion> variables;

  /// The course of the error bars: per time one value per variable.
  std::vector<double> times_s;
  std::vector<double> errors;
};

/// "twice the step size", "a tenth of the tolerance"
[[nodiscard]] ERGON_API std::string companion_text(double step_factor, bool controlled);

/// "largest error 0.7 % of half its range (left.position), compared with a run at twice the step size"
[[nodiscard]] ERGON_API std::string motion_sentence(const Motion& motion);

}  // namespace ergon

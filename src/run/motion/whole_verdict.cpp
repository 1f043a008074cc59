#include <fmt/format.h>

#include <algorithm>

#include "ergon/run/motion/motion_checker.hpp"
#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {
namespace {

std::string percent(double ratio) {
  constexpr double as_multiple = 10.0;
  if (!(ratio < as_multiple)) return fmt::format("{:.3g} times", ratio);
  return ratio < 0.995 ? fmt::format("{:.2g} %", 100.0 * ratio) : fmt::format("{:.3g} %", 100.0 * ratio);
}

/// Energies that accounts show.
bool is_of_accounts(ReasonKind kind) {
  return kind == ReasonKind::energy_balance || kind == ReasonKind::bond_imbalance ||
         kind == ReasonKind::element_gives;
}

/// An energy that is so wrong that the motion should be.
bool is_alarm(const VerdictReason& reason) {
  return is_of_accounts(reason.kind) &&
         (reason.says == VerdictValue::unreliable ||
          (reason.kind == ReasonKind::element_gives && reason.says == VerdictValue::doubtful));
}

/// No companion sees it: it is the same at all steps, or is made anew at each of them.
bool is_out_of_sight(const VerdictReason& reason) {
  const ReasonKind kind = reason.kind;
  if (kind == ReasonKind::source_sampling) return reason.ratio > motion_limits::aliased_source;
  if (is_of_accounts(kind)) return is_alarm(reason) && reason.at_all_steps.value_or(true);
  return kind == ReasonKind::failure || kind == ReasonKind::not_finite ||
         kind == ReasonKind::correction_work || kind == ReasonKind::coupling_residual ||
         kind == ReasonKind::solver_residual;
}

/// The same finding of the first companion at smaller steps; 0 where it finds nothing, nothing where there is none.
std::optional<double> ratio_at_smaller_steps(const VerdictReason& reason, const Motion& motion) {
  for (const CompanionReport& companion : motion.companions) {
    if (companion.step_factor >= 1.0 || companion.status != RunStatus::finished) continue;
    for (const VerdictReason& other : companion.energy_reasons) {
      const bool is_same =
          reason.subsystems.empty() ? other.bond == reason.bond : other.subsystems == reason.subsystems;
      if (other.kind == reason.kind && is_same) return other.ratio.value_or(0.0);
    }
    return 0.0;
  }
  return std::nullopt;
}

/// An error of the steps shrinks with them; energy that comes from a wrong sign, or from an account that is not complete, does not.
void compare_energies(Verdict& verdict, const Motion& motion) {
  for (VerdictReason& reason : verdict.reasons) {
    if (!is_alarm(reason) || !reason.ratio) continue;
    const auto finer = ratio_at_smaller_steps(reason, motion);
    if (!finer) continue;
    // Of a motion that has not converged it may be as large because it cannot get larger.
    const bool tells = motion.value == VerdictValue::reliable || reason.kind == ReasonKind::element_gives;
    reason.at_all_steps = tells && !(*finer <= motion_limits::energy_stays * *reason.ratio);
    reason.what += fmt::format("; {} at half the step size", percent(*finer));
    if (*reason.at_all_steps)
      reason.what += ", so that no step size repairs it: a wrong sign, or an account that is not complete";
  }
}

/// What a finding that no companion sees means for the run: accounts that do not close may be wrong themselves.
VerdictValue decides(const VerdictReason& reason) {
  const bool may_be_the_account =
      reason.kind == ReasonKind::energy_balance || reason.kind == ReasonKind::bond_imbalance;
  return may_be_the_account ? VerdictValue::doubtful : reason.says;
}

VerdictReason reason_of(const Motion& motion) {
  VerdictReason reason;
  reason.kind = ReasonKind::motion;
  reason.says = motion.value;
  reason.what = motion_sentence(motion);
  reason.from_s = motion.value == VerdictValue::reliable ? motion.times_s.front() : motion.right_until_s;
  reason.to_s = motion.times_s.back();
  const auto dot = motion.worst.find('.');
  if (dot != std::string::npos) reason.subsystems = {motion.worst.substr(0, dot)};
  if (!motion.worst.empty()) reason.ratio = motion.ratio;
  return reason;
}

/// No check run changes the steps that a subsystem takes inside.
VerdictReason reason_about_solvers(const Motion& motion) {
  VerdictReason reason;
  reason.kind = ReasonKind::motion;
  reason.says = VerdictValue::consistent;
  reason.what = fmt::format(
      "the check is about the coupling alone: the internal steps of {} are the same at all step sizes",
      fmt::join(motion.solvers_inside, ", "));
  reason.from_s = motion.times_s.front();
  reason.to_s = motion.times_s.back();
  reason.subsystems = motion.solvers_inside;
  return reason;
}

std::string compared_with(const Motion& motion) {
  const bool at_four = std::any_of(motion.companions.begin(), motion.companions.end(), [](const auto& c) {
    constexpr double twice = 2.0;
    return c.step_factor > twice && c.ratio.has_value();
  });
  if (at_four && motion.step_factor > 1.0) return "compared with runs at twice and four times the step size";
  return fmt::format("compared with a run at {}", companion_text(motion.step_factor, motion.controlled));
}

}  // namespace

std::string companion_text(double step_factor, bool controlled) {
  constexpr double half = 0.5;
  if (controlled) return step_factor > 1.0 ? "ten times the tolerance" : "a tenth of the tolerance";
  constexpr double twice = 2.0;
  if (step_factor < half) return "a quarter of the step size";
  if (step_factor > twice) return "four times the step size";
  return step_factor > 1.0 ? "twice the step size" : "half the step size";
}

std::string motion_sentence(const Motion& motion) {
  if (!motion.checked) return fmt::format("the motion was not checked: {}", motion.why_not);
  const std::string against = compared_with(motion);
  const std::string until =
      motion.compared_until_s ? fmt::format(" up to {:.4g} s", *motion.compared_until_s) : "";
  if (motion.worst.empty()) return fmt::format("nothing moves, {}{}", against, until);
  const auto worst = std::find_if(motion.variables.begin(), motion.variables.end(),
                                  [&](const VariableMotion& v) { return v.name == motion.worst; });
  const bool is_absolute = worst->accuracy.kind == Accuracy::Kind::absolute;
  const std::string error = is_absolute ? fmt::format("{:.3g} {}", worst->largest_error, worst->unit)
                                        : fmt::format("{} of half its range", percent(motion.ratio));
  constexpr double diverged = 10.0;
  std::string sentence;
  if (motion.excess <= 1.0) {
    sentence = fmt::format("largest error {} ({}), {}", error, motion.worst, against);
  } else if (!(motion.ratio < diverged)) {
    sentence =
        fmt::format("the run diverges after {:.4g} s ({}), {}", motion.right_until_s, motion.worst, against);
  } else {
    sentence = fmt::format("errors above {} from {:.4g} s on, largest error {} ({}), {}",
                           worst->accuracy.text(), motion.right_until_s, error, motion.worst, against);
  }
  sentence += until;
  // Where that is what the error bar consists of.
  if (worst->swing > 0.0 && !(worst->largest_error > motion_limits::bar_of_swing * worst->swing))
    sentence += "; it swings from step to step, about a mean that is the same at all step sizes";
  if (motion.chaotic_after_s) {
    sentence += fmt::format("; it is chaotic: no step size makes it right for long after {:.4g} s",
                            *motion.chaotic_after_s);
  }
  return sentence;
}

Verdict whole_verdict(Verdict verdict, const Motion& motion) {
  verdict.energy = verdict.value;
  verdict.motion = motion.checked ? motion.value : VerdictValue::not_monitored;
  if (!motion.checked) {
    if (motion.check != MotionCheck::off) {
      VerdictReason reason;
      reason.kind = ReasonKind::motion;
      reason.says = VerdictValue::not_monitored;
      reason.what = motion_sentence(motion);
      verdict.reasons.push_back(std::move(reason));
    }
    return verdict;
  }
  // Of a run that did not finish there is no other check run that would tell what an energy means.
  const bool counts_all = motion.compared_until_s &&
                          severity(verdict.energy) >= severity(VerdictValue::doubtful) &&
                          severity(verdict.energy) > severity(motion.value);
  verdict.value = counts_all ? verdict.energy : motion.value;
  compare_energies(verdict, motion);
  for (const VerdictReason& reason : verdict.reasons) {
    if (is_out_of_sight(reason) && severity(decides(reason)) > severity(verdict.value))
      verdict.value = decides(reason);
  }
  if (!motion.solvers_inside.empty()) {
    if (verdict.value == VerdictValue::reliable) verdict.value = VerdictValue::consistent;
    verdict.reasons.insert(verdict.reasons.begin(), reason_about_solvers(motion));
  }
  verdict.reasons.insert(verdict.reasons.begin(), reason_of(motion));
  // What only the accounts show comes after what decided.
  std::stable_sort(verdict.reasons.begin(), verdict.reasons.end(),
                   [&](const VerdictReason& a, const VerdictReason& b) {
                     const auto counts = [&](const VerdictReason& r) {
                       if (r.kind == ReasonKind::failure) return 2;
                       return r.kind == ReasonKind::motion || is_out_of_sight(r) ? 1 : 0;
                     };
                     return counts(a) > counts(b);
                   });
  return verdict;
}

}  // namespace ergon

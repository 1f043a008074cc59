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

/// No companion sees it: it is the same at all steps, or is made anew at each of them.
bool is_out_of_sight(const VerdictReason& reason) {
  const ReasonKind kind = reason.kind;
  if (kind == ReasonKind::source_sampling) return reason.ratio > motion_limits::aliased_source;
  return kind == ReasonKind::failure || kind == ReasonKind::not_finite || kind == ReasonKind::element_gives ||
         kind == ReasonKind::correction_work || kind == ReasonKind::coupling_residual ||
         kind == ReasonKind::solver_residual;
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

}  // namespace

std::string companion_text(double step_factor, bool controlled) {
  if (controlled) return step_factor > 1.0 ? "ten times the tolerance" : "a tenth of the tolerance";
  return step_factor > 1.0 ? "twice the step size" : "half the step size";
}

std::string motion_sentence(const Motion& motion) {
  if (!motion.checked) return fmt::format("the motion was not checked: {}", motion.why_not);
  const std::string against =
      fmt::format("compared with a run at {}", companion_text(motion.step_factor, motion.controlled));
  if (motion.worst.empty()) return fmt::format("nothing moves, {}", against);
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
  verdict.value = motion.value;
  for (const VerdictReason& reason : verdict.reasons) {
    if (is_out_of_sight(reason) && severity(reason.says) > severity(verdict.value))
      verdict.value = reason.says;
  }
  if (!motion.solvers_inside.empty()) {
    if (verdict.value == VerdictValue::reliable) verdict.value = VerdictValue::consistent;
    verdict.reasons.insert(verdict.reasons.begin(), reason_about_solvers(motion));
  }
  verdict.reasons.insert(verdict.reasons.begin(), reason_of(motion));
  // What only the books complain of comes after what decided.
  std::stable_sort(verdict.reasons.begin(), verdict.reasons.end(),
                   [&](const VerdictReason& a, const VerdictReason& b) {
                     const auto decides = [&](const VerdictReason& r) {
                       return r.kind == ReasonKind::motion || is_out_of_sight(r);
                     };
                     return decides(a) > decides(b);
                   });
  return verdict;
}

}  // namespace ergon

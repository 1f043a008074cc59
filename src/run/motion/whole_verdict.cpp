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

}  // namespace

std::string companion_text(double step_factor, bool controlled) {
  if (controlled) return step_factor > 1.0 ? "ten times the tolerance" : "a tenth of the tolerance";
  return step_factor > 1.0 ? "twice the steps" : "half the steps";
}

std::string motion_sentence(const Motion& motion) {
  if (!motion.checked) return fmt::format("the motion was not checked: {}", motion.why_not);
  const std::string against = companion_text(motion.step_factor, motion.controlled);
  if (motion.worst.empty()) return fmt::format("nothing moves, here and with {}", against);
  const double end_s = motion.times_s.back();
  const bool to_the_end = motion.right_until_s >= end_s;
  std::string sentence =
      to_the_end ? fmt::format("motion right within {} of its range", percent(motion.ratio))
                 : fmt::format("motion right within {} of its range until {:.4g} s, then off by up to {}",
                               percent(motion_limits::visible), motion.right_until_s, percent(motion.ratio));
  sentence += fmt::format(" ({}, compared with {})", motion.worst, against);
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

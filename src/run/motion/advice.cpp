#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/run/motion/motion_checker.hpp"
#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {
namespace {

/// The bond that a reason blames among those whose efforts are stale and need not be; any of them where nobody is blamed.
const PowerBond* stale_bond(const Verdict& verdict, const Engine& engine) {
  const std::vector<bool> stale = engine.bonds_with_stale_efforts();
  const std::vector<PowerBond>& bonds = engine.system().bonds;
  // It would not mend what integrators do.
  const bool blames_integration = std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                                              [](const VerdictReason& r) { return r.by_integration; });
  const PowerBond* found = nullptr;
  for (std::size_t b = 0; b < bonds.size(); ++b) {
    const Description& giver = *engine.system().nodes[bonds[b].effort_node].description;
    if (!stale[b] || !giver.reevaluates_outputs) continue;
    const bool blamed =
        std::any_of(verdict.reasons.begin(), verdict.reasons.end(), [&](const VerdictReason& r) {
          return r.bond == bonds[b].name && severity(r.says) > severity(VerdictValue::consistent);
        });
    if (blamed) return &bonds[b];
    if (found == nullptr && !blames_integration) found = &bonds[b];
  }
  return found;
}

}  // namespace

int step_divisor(const Motion& motion) {
  // Order one: the error shrinks with the steps. Half of what is allowed, so that it holds at once.
  constexpr double least = 2.0;
  constexpr double most = 64.0;
  return static_cast<int>(std::exp2(std::ceil(std::log2(std::clamp(2.0 * motion.excess, least, most)))));
}

std::string advice_for(const Verdict& verdict, const Motion& motion, const Engine& engine,
                       std::optional<double> default_step_s) {
  if (severity(verdict.value) <= severity(VerdictValue::consistent)) return {};
  const auto find = [&](ReasonKind kind) -> const VerdictReason* {
    const auto reason = std::find_if(verdict.reasons.begin(), verdict.reasons.end(),
                                     [&](const VerdictReason& r) { return r.kind == kind; });
    return reason == verdict.reasons.end() ? nullptr : &*reason;
  };
  if (find(ReasonKind::failure) != nullptr) return {};
  if (find(ReasonKind::element_gives) != nullptr) return "look for an effort with the wrong sign";
  if (const VerdictReason* source = find(ReasonKind::source_sampling))
    return fmt::format("a smaller step_size of '{0}', or none (--set {0}.step_size=…)",
                       source->subsystems.front());
  const bool motion_is_wrong = motion.checked && severity(motion.value) > severity(VerdictValue::consistent);
  if (!motion.checked && motion.check == MotionCheck::off && verdict.value != VerdictValue::unreliable)
    return "check = \"auto\" in [simulation] (--check=auto)";
  if (motion.chaotic_after_s && motion.right_until_s > 0.0 && motion_is_wrong)
    return fmt::format("an earlier end (--stop-time {:.3g})", motion.right_until_s);
  if (const PowerBond* bond = stale_bond(verdict, engine))
    return fmt::format("feedthrough = \"refresh\" at bond '{0}' (--set bond.{0}.feedthrough=refresh)",
                       bond->name);
  if (!motion_is_wrong) return "smaller steps";
  if (motion.controlled) return "a tenth of rtol in [step_control] (--set step_control.rtol=…)";
  const int divisor = step_divisor(motion);
  const std::string typed =
      default_step_s ? fmt::format("--step-size {:g}", *default_step_s / divisor) : "--accuracy 5%";
  return fmt::format("step sizes {} times smaller ({})", divisor, typed);
}

}  // namespace ergon

#include "ergon/run/motion/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ergon {
namespace {

/// What is to be done, in words and as options to type.
class Remedy {
 public:
  void add(const std::string& words, const std::string& option) {
    words_.push_back(words);
    options_.push_back(option);
  }
  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} ({})", fmt::join(words_, " and "), fmt::join(options_, " "));
  }

 private:
  std::vector<std::string> words_;
  std::vector<std::string> options_;
};

/// Bonds whose efforts are stale and need not be; the first those that a reason blames.
std::vector<const PowerBond*> stale_bonds(const Verdict& verdict, const Engine& engine) {
  const std::vector<bool> stale = engine.bonds_with_stale_efforts();
  const std::vector<PowerBond>& bonds = engine.system().bonds;
  std::vector<const PowerBond*> found;
  for (std::size_t b = 0; b < bonds.size(); ++b) {
    const Description& sender = *engine.system().nodes[bonds[b].effort_node].description;
    if (stale[b] && sender.reevaluates_outputs) found.push_back(&bonds[b]);
  }
  std::stable_partition(found.begin(), found.end(), [&](const PowerBond* bond) {
    return std::any_of(verdict.reasons.begin(), verdict.reasons.end(), [&](const VerdictReason& r) {
      return r.bond == bond->name && severity(r.says) > severity(VerdictValue::consistent);
    });
  });
  return found;
}

/// The accuracy that outputs have by default, as it is typed.
std::string asked_for(const Motion& motion) {
  const auto relative = std::find_if(motion.variables.begin(), motion.variables.end(), [](const auto& v) {
    return v.judged && v.accuracy.kind == Accuracy::Kind::relative;
  });
  const Accuracy accuracy = relative == motion.variables.end() ? Accuracy{} : relative->accuracy;
  return fmt::format("{:g}%", 100.0 * accuracy.value);
}

/// Of those that are stepped: a source that is sampled as often leaves nothing out that they could see.
Rational shortest_step(const CoupledSystem& system) {
  std::optional<Rational> shortest;
  for (const Node& node : system.nodes) {
    if (node.description->is_signal || node.description->algebraic) continue;
    if (!shortest || node.step_s < *shortest) shortest = node.step_s;
  }
  return shortest.value_or(Rational(1, 1000));
}

/// Feed-through and extrapolation cost nothing; what they leave is a matter of the step size.
Remedy remedy_of(const Verdict& verdict, const Motion& motion, const Engine& engine,
                 const Changeable& changeable) {
  Remedy remedy;
  // It would not mend what integrators do.
  const bool blames_integration = std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                                              [](const VerdictReason& r) { return r.by_integration; });
  const auto stale = stale_bonds(verdict, engine);
  constexpr std::size_t most_named = 4;
  if (!blames_integration) {
    for (std::size_t b = 0; b < std::min(stale.size(), most_named); ++b)
      remedy.add(fmt::format("feedthrough = \"refresh\" at bond '{}'", stale[b]->name),
                 fmt::format("--set bond.{}.feedthrough=refresh", stale[b]->name));
    if (changeable.holds_inputs)
      remedy.add("extrapolation = \"linear\"", "--set coupling.extrapolation=linear");
  }
  if (!remedy.empty() || !changeable.default_step_s) {
    // Repeats the run at smaller steps, or tolerances, only as far as it has to.
    remedy.add(remedy.empty() ? "smaller steps" : "smaller steps where that is not enough",
               fmt::format("--accuracy {}", asked_for(motion)));
  } else {
    const int divisor = step_divisor(motion);
    remedy.add(fmt::format("step sizes {} times smaller", divisor),
               fmt::format("--step-size {:.10g}", *changeable.default_step_s / divisor));
  }
  return remedy;
}

}  // namespace

int step_divisor(const Motion& motion) {
  // Order one: the error shrinks with the steps. Half of what is allowed, so that it holds at once.
  constexpr double least = 2.0;
  constexpr double most = 64.0;
  return static_cast<int>(std::exp2(std::ceil(std::log2(std::clamp(2.0 * motion.excess, least, most)))));
}

std::string advice_for(const Verdict& verdict, const Motion& motion, const Engine& engine,
                       const Changeable& changeable) {
  if (severity(verdict.value) <= severity(VerdictValue::consistent)) return {};
  const auto find = [&](auto&& is_wanted) -> const VerdictReason* {
    const auto reason = std::find_if(verdict.reasons.begin(), verdict.reasons.end(), is_wanted);
    return reason == verdict.reasons.end() ? nullptr : &*reason;
  };
  const auto is_of = [](ReasonKind kind) {
    return [kind](const VerdictReason& r) { return r.kind == kind; };
  };
  if (find(is_of(ReasonKind::failure)) != nullptr) {
    // What grows before it fails is unstable at this step size; other failures have their own messages.
    const bool grows = find([](const VerdictReason& r) {
                         return r.says == VerdictValue::unreliable && (r.kind == ReasonKind::energy_balance ||
                                                                       r.kind == ReasonKind::bond_imbalance);
                       }) != nullptr;
    constexpr int divisor = 4;
    if (!grows || !changeable.default_step_s) return {};
    return fmt::format(
        "step sizes {} times smaller, since the energy grows before it fails (--step-size {:.10g})", divisor,
        *changeable.default_step_s / divisor);
  }
  if (find([](const VerdictReason& r) {
        return r.at_all_steps.value_or(r.kind == ReasonKind::element_gives);
      }) != nullptr)
    return "look for an effort with the wrong sign";
  if (const VerdictReason* source = find(is_of(ReasonKind::source_sampling))) {
    Remedy remedy;
    const std::string& name = source->subsystems.front();
    const std::string step_s = shortest_step(engine.system()).text();
    remedy.add(fmt::format("step_size = {} of '{}'", step_s, name),
               fmt::format("--set {}.step_size={}", name, step_s));
    remedy.add("smaller steps where that is not enough", fmt::format("--accuracy {}", asked_for(motion)));
    return remedy.text();
  }
  const bool motion_is_wrong = motion.checked && severity(motion.value) > severity(VerdictValue::consistent);
  if (!motion.checked && motion.check == MotionCheck::off && verdict.value != VerdictValue::unreliable)
    return "check = \"auto\" in [simulation] (--check=auto)";
  if (motion.chaotic_after_s && motion.right_until_s > 0.0 && motion_is_wrong)
    return fmt::format("an earlier end (--stop-time {:.3g})", motion.right_until_s);
  return remedy_of(verdict, motion, engine, changeable).text();
}

}  // namespace ergon

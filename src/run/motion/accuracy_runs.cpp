#include "ergon/run/motion/accuracy_runs.hpp"

#include <algorithm>

#include "ergon/run/motion/advice.hpp"

namespace ergon {

std::optional<Rational> wanted_step_factor(const Simulation& simulation) {
  constexpr int max_at_once = 16;  // a run that is a hundred times longer is not what anybody expects
  const Motion& motion = simulation.motion();
  const bool helps = simulation.outcome().status == RunStatus::finished && motion.checked &&
                     motion.excess > 1.0 && !motion.chaotic_after_s;
  if (!helps) return std::nullopt;
  return Rational(1, std::min(step_divisor(motion), max_at_once));
}

std::optional<Simulation> more_accurate(const Simulation& simulation) {
  const auto factor = wanted_step_factor(simulation);
  return factor ? std::optional(simulation.with_steps(*factor)) : std::nullopt;
}

}  // namespace ergon

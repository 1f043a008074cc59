#include "ergon/run/record/common_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ergon {

Tick common_ticks(const Engine& engine) {
  if (engine.record().step_control() != nullptr) return 1;
  const Tick end = engine.grid().end();
  Tick common = 1;
  for (Index node = 0; node < engine.system().nodes.size(); ++node) {
    const Tick period = engine.period(node);
    if (period <= 0) continue;
    const Tick factor = period / std::gcd(common, period);
    if (factor > end / common) return end;
    common *= factor;
  }
  return common;
}

IntervalGate evenly_spread_points(const Engine& engine, double wanted) {
  const Tick common = std::max<Tick>(1, common_ticks(engine));
  const double spread = static_cast<double>(engine.grid().end()) / (wanted * static_cast<double>(common));
  return IntervalGate::ticks(common * std::max<Tick>(1, static_cast<Tick>(std::llround(spread))));
}

}  // namespace ergon

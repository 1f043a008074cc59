#pragma once

#include <algorithm>
#include <cmath>

namespace ergon {

/// More are refused: a communication step would take minutes at best.
inline constexpr double most_internal_steps = 1e9;

/// n = ⌈h/step⌉: the internal step is shortened to divide h. 0 where there would be too many.
[[nodiscard]] inline long count_internal_steps(double h, double step_s) {
  constexpr double slack = 1e-9;  // h/step of 10.000000001 means ten steps: both came from decimals
  const double wanted = std::ceil(h / step_s - slack);
  return wanted <= most_internal_steps ? std::max<long>(1, static_cast<long>(wanted)) : 0;
}

}  // namespace ergon

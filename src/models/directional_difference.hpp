#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace ergon {

/// (∂F/∂u) du + (∂F/∂x) dx of a pure function F(u, x, out) by central differences of fourth order,
///   ∂F/∂z ≈ (8 (F(z + s) − F(z − s)) − (F(z + 2s) − F(z − 2s))) / 12s
/// Variables are moved one after the other, each by a step that suits its own size: a pressure of 1e6 Pa and a length of
/// 1e-3 m have nothing to do with each other. The high order allows a step that is large against rounding. `scratch` grows once.
template <typename Function>
void directional_difference(const Function& function, std::size_t inputs, std::size_t states,
                            std::size_t results, const double* u, const double* x, const double* du,
                            const double* dx, double* out, std::vector<double>& scratch) {
  constexpr double relative_step = 1e-4;  // its fourth power is rounding
  constexpr double smallest_size = 1e-2;  // of a variable about 0: nothing tells how large it will be
  scratch.resize(std::max(scratch.size(), inputs + states + 2 * results));
  double* moved_u = scratch.data();
  double* moved_x = moved_u + inputs;
  double* ahead = moved_x + states;
  double* behind = ahead + results;
  std::copy_n(u, inputs, moved_u);
  std::copy_n(x, states, moved_x);
  std::fill_n(out, results, 0.0);
  const auto add_part = [&](std::size_t n, const double* from, const double* direction, double* moved) {
    for (std::size_t i = 0; i < n; ++i) {
      if (direction[i] == 0.0) continue;
      const double step = relative_step * std::max(smallest_size, std::abs(from[i]));
      for (const auto& [steps, weight] : {std::pair{1.0, 8.0 / 12.0}, std::pair{2.0, -1.0 / 12.0}}) {
        moved[i] = from[i] + steps * step;
        function(moved_u, moved_x, ahead);
        moved[i] = from[i] - steps * step;
        function(moved_u, moved_x, behind);
        const double factor = weight * direction[i] / step;
        for (std::size_t k = 0; k < results; ++k) out[k] += factor * (ahead[k] - behind[k]);
      }
      moved[i] = from[i];
    }
  };
  add_part(inputs, u, du, moved_u);
  add_part(states, x, dx, moved_x);
}

}  // namespace ergon

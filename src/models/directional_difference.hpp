#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ergon {

/// (∂F/∂u) du + (∂F/∂x) dx of a pure function F(u, x, out) by central differences. Inputs and states are moved one after
/// the other: their sizes have nothing to do with each other. `scratch` grows once.
template <typename Function>
void directional_difference(const Function& function, std::size_t inputs, std::size_t states,
                            std::size_t results, const double* u, const double* x, const double* du,
                            const double* dx, double* out, std::vector<double>& scratch) {
  constexpr double relative_step = 1e-5;  // about the cube root of the rounding error
  scratch.resize(std::max(scratch.size(), inputs + states + 2 * results));
  double* moved_u = scratch.data();
  double* moved_x = moved_u + inputs;
  double* ahead = moved_x + states;
  double* behind = ahead + results;
  std::copy_n(u, inputs, moved_u);
  std::copy_n(x, states, moved_x);
  std::fill_n(out, results, 0.0);
  const auto add_part = [&](std::size_t n, const double* from, const double* direction, double* moved) {
    double size = 1.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      size = std::max(size, std::abs(from[i]));
      largest = std::max(largest, std::abs(direction[i]));
    }
    if (largest == 0.0) return;
    const double step = relative_step * size / largest;
    for (std::size_t i = 0; i < n; ++i) moved[i] = from[i] + step * direction[i];
    function(moved_u, moved_x, ahead);
    for (std::size_t i = 0; i < n; ++i) moved[i] = from[i] - step * direction[i];
    function(moved_u, moved_x, behind);
    for (std::size_t i = 0; i < results; ++i) out[i] += (ahead[i] - behind[i]) / (2.0 * step);
    std::copy_n(from, n, moved);
  };
  add_part(inputs, u, du, moved_u);
  add_part(states, x, dx, moved_x);
}

}  // namespace ergon

#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>

// One-step methods for z' = f(tau, z): no virtual call, no allocation. `Rates` is called as f(tau, z, z_dot); quadratures are
// states like others. tau counts seconds since the start of the communication step.

namespace ergon::numerics {

/// Doubles of scratch that a first-order step needs; their content is of no account before and after.
constexpr std::size_t first_order_scratch_size(std::size_t n) {
  return 3 * n;
}

/// z += h f(tau, z). Order 1.
template <typename Rates>
void explicit_euler_step(const Rates& rates, std::size_t n, double tau, double h, double* z,
                         std::span<double> scratch) {
  assert(scratch.size() >= first_order_scratch_size(n));
  double* z_dot = scratch.data();
  rates(tau, z, z_dot);
  for (std::size_t i = 0; i < n; ++i) z[i] += h * z_dot[i];
}

/// The classical Runge-Kutta method, order 4 [kutta1901].
template <typename Rates>
void rk4_step(const Rates& rates, std::size_t n, double tau, double h, double* z, std::span<double> scratch) {
  assert(scratch.size() >= first_order_scratch_size(n));
  double* stage = scratch.data();
  double* z_dot = stage + n;
  double* sum = z_dot + n;
  const auto add_rates = [&](double weight) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += weight * z_dot[i];
  };
  const auto move_stage = [&](double step) {
    for (std::size_t i = 0; i < n; ++i) stage[i] = z[i] + step * z_dot[i];
  };
  std::fill_n(sum, n, 0.0);
  rates(tau, z, z_dot);
  add_rates(1.0 / 6.0);
  move_stage(0.5 * h);
  rates(tau + 0.5 * h, stage, z_dot);
  add_rates(1.0 / 3.0);
  move_stage(0.5 * h);
  rates(tau + 0.5 * h, stage, z_dot);
  add_rates(1.0 / 3.0);
  move_stage(h);
  rates(tau + h, stage, z_dot);
  add_rates(1.0 / 6.0);
  for (std::size_t i = 0; i < n; ++i) z[i] += h * sum[i];
}

}  // namespace ergon::numerics

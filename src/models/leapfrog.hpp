#pragma once

#include <cstddef>

namespace ergon {

/// Semi-implicit Euler: v += h a, then q += h q̇(v), with powers going straight into their accounts. (Through an array of rates
/// the same step takes twice as long, waiting for its own stores.) The books are those of a leapfrog: the velocities are those
/// half a step earlier, so a force sampled at t does its work at the mean of the velocities before and after. With the velocity
/// at the end alone, the accounts of two coupled subsystems would drift apart by an energy of first order in h although the
/// interface is right.
///   a               v̇ at the start
///   mean            room for the mean velocities
///   powers          (v, mean, tell): tells the powers as models do
///   position_rates  (q, v): q̇ from q before the motion and v after it
template <typename Row, typename Powers, typename PositionRates>
[[gnu::always_inline]] inline void leapfrog(Row& row, double h, const double* a, double* mean,
                                            const Powers& powers, const PositionRates& position_rates) {
  double* q = row.q();
  double* v = row.v();
  double* w = row.w();
  double* q_before = row.q_before();
  for (std::size_t i = 0; i < row.sizes().velocities(); ++i) {
    mean[i] = v[i] + 0.5 * h * a[i];
    v[i] += h * a[i];
  }
  powers(v, mean, [&](std::size_t i, double power) { w[i] += h * power; });
  const double* q_dot = position_rates(q, v);
  for (std::size_t i = 0; i < row.sizes().positions(); ++i) {
    q_before[i] = q[i];
    q[i] += h * q_dot[i];
  }
  if (row.sizes().positions() > 0) row.h_last() = h;  // else there is nothing for the velocities to be behind
}

}  // namespace ergon

#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>

// One-step methods for q' = v, v' = a(tau, q, v), w' = r(tau, q, v), as templates over the model: no virtual
// call, no allocation, and straight-line code where n and m are constants at the call. The state is one array
// [q (n), v (n), w (m)]; tau counts seconds since the start of the communication step.

namespace ergon::numerics {

template <typename Model>
concept OneStepModel = requires(const Model& model, double tau, const double* in, double* out) {
  model.acceleration(tau, in, in, out);      // a[n] from q[n], v[n]
  model.quadrature_rates(tau, in, in, out);  // w_dot[m] from q[n], v[n]
};

enum class OneStepMethod { explicit_euler, semi_implicit_euler, rk4 };

/// Doubles of scratch a step needs; their content is of no account before and after.
constexpr std::size_t scratch_size(OneStepMethod method, std::size_t n, std::size_t m) {
  return method == OneStepMethod::rk4 ? 5 * n + 2 * m : n + m;
}

namespace one_step_detail {

[[gnu::always_inline]] inline void add_scaled(std::size_t count, double factor, const double* term,
                                              double* sum) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += factor * term[i];
}

}  // namespace one_step_detail

/// q += h v_old, v += h a, w += h r, all evaluated at the start of the step. Order 1.
template <OneStepModel Model>
[[gnu::always_inline]] inline void explicit_euler_step(const Model& model, std::size_t n, std::size_t m,
                                                       double tau, double h, double* x,
                                                       std::span<double> scratch) {
  using one_step_detail::add_scaled;
  assert(scratch.size() >= scratch_size(OneStepMethod::explicit_euler, n, m));
  double* q = x;
  double* v = x + n;
  double* a = scratch.data();
  double* w_dot = a + n;
  model.acceleration(tau, q, v, a);
  model.quadrature_rates(tau, q, v, w_dot);
  add_scaled(n, h, v, q);
  add_scaled(n, h, a, v);
  add_scaled(m, h, w_dot, v + n);
}

/// v += h a(q_old, v_old), then q += h v_new: symplectic for a force of position [hairer2006]. Order 1. The
/// rates are those at the OLD positions with the NEW velocity: a force held over the step does the work F h
/// v_new, the force times the displacement the step makes.
template <OneStepModel Model>
[[gnu::always_inline]] inline void semi_implicit_euler_step(const Model& model, std::size_t n, std::size_t m,
                                                            double tau, double h, double* x,
                                                            std::span<double> scratch) {
  using one_step_detail::add_scaled;
  assert(scratch.size() >= scratch_size(OneStepMethod::semi_implicit_euler, n, m));
  double* q = x;
  double* v = x + n;
  double* a = scratch.data();
  double* w_dot = a + n;
  model.acceleration(tau, q, v, a);
  add_scaled(n, h, a, v);
  model.quadrature_rates(tau, q, v, w_dot);
  add_scaled(n, h, v, q);
  add_scaled(m, h, w_dot, v + n);
}

/// The classical Runge-Kutta method, order 4 [kutta1901]: weights 1/6, 1/3, 1/3, 1/6 for q, v and w alike.
template <OneStepModel Model>
[[gnu::always_inline]] inline void rk4_step(const Model& model, std::size_t n, std::size_t m, double tau,
                                            double h, double* x, std::span<double> scratch) {
  using one_step_detail::add_scaled;
  assert(scratch.size() >= scratch_size(OneStepMethod::rk4, n, m));
  double* q_stage = scratch.data();
  double* v_stage = q_stage + n;
  double* a = v_stage + n;
  double* q_sum = a + n;  // sums of weight times rate over the stages
  double* v_sum = q_sum + n;
  double* w_dot = v_sum + n;
  double* w_sum = w_dot + m;
  double* q = x;
  double* v = x + n;

  const auto add_rates = [&](double weight) {
    add_scaled(n, weight, v_stage, q_sum);
    add_scaled(n, weight, a, v_sum);
    add_scaled(m, weight, w_dot, w_sum);
  };
  const auto evaluate = [&](double tau_stage) {
    model.acceleration(tau_stage, q_stage, v_stage, a);
    model.quadrature_rates(tau_stage, q_stage, v_stage, w_dot);
  };
  const auto move_stage = [&](double step) {
    for (std::size_t i = 0; i < n; ++i) {
      q_stage[i] = q[i] + step * v_stage[i];
      v_stage[i] = v[i] + step * a[i];
    }
  };

  std::copy_n(x, 2 * n, q_stage);
  std::fill_n(q_sum, 2 * n, 0.0);
  std::fill_n(w_sum, m, 0.0);
  evaluate(tau);
  add_rates(1.0 / 6.0);
  move_stage(0.5 * h);
  evaluate(tau + 0.5 * h);
  add_rates(1.0 / 3.0);
  move_stage(0.5 * h);
  evaluate(tau + 0.5 * h);
  add_rates(1.0 / 3.0);
  move_stage(h);
  evaluate(tau + h);
  add_rates(1.0 / 6.0);
  add_scaled(n, h, q_sum, q);
  add_scaled(n, h, v_sum, v);
  add_scaled(m, h, w_sum, v + n);
}

}  // namespace ergon::numerics

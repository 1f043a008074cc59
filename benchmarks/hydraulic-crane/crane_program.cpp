#include "benchmarks/hydraulic-crane/crane_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ergon::bench {
namespace {

// [rodriguez2022, Table 5]
constexpr double l1 = 1.0, l2 = 0.5, l3 = 0.442, m1 = 200.0, m2 = 250.0, m3 = 100.0, g = 9.81;
constexpr double friction = 1e5, piston = 65e-4, s_start = 0.5, pump = 7.6e6, tank = 1e5;

using Motion = std::array<double, 4>;  // θ1, θ2, ω1, ω2

struct Actuator {
  double length_m, by_theta1_m;
};
/// From B = (√3/2, 0) to the middle of link 1.
Actuator actuator(const Motion& q) {
  const double x = 0.5 * std::cos(q[0]) - 0.5 * std::sqrt(3.0), y = 0.5 * std::sin(q[0]);
  const double s = std::hypot(x, y);
  return {s, (-x * 0.5 * std::sin(q[0]) + y * 0.5 * std::cos(q[0])) / s};
}

constexpr double M11 = m1 * l1 * l1 / 3.0 + (m2 + m3) * l1 * l1, M22 = m3 * l2 * l2;
constexpr double weight_1 = g * (0.5 * m1 + m2 + m3) * l1, weight_2 = g * m3 * l2;

Motion rates(const Motion& q, double force_N) {
  const double M12 = m3 * l1 * l2 * std::cos(q[0] - q[1]), h = m3 * l1 * l2 * std::sin(q[0] - q[1]);
  const double r1 = -weight_1 * std::cos(q[0]) + force_N * actuator(q).by_theta1_m - h * q[3] * q[3];
  const double r2 = -weight_2 * std::cos(q[1]) + h * q[2] * q[2];
  const double determinant = M11 * M22 - M12 * M12;
  return {q[2], q[3], (M22 * r1 - M12 * r2) / determinant, (M11 * r2 - M12 * r1) / determinant};
}

double energy_J(const Motion& q) {
  const double M12 = m3 * l1 * l2 * std::cos(q[0] - q[1]);
  return 0.5 * (M11 * q[2] * q[2] + M22 * q[3] * q[3]) + M12 * q[2] * q[3] + weight_1 * std::sin(q[0]) +
         weight_2 * std::sin(q[1]);
}

Motion moved(const Motion& q, const Motion& rate, double h) {
  Motion next = q;
  for (std::size_t i = 0; i < 4; ++i) next[i] += h * rate[i];
  return next;
}

Motion stepped(const Motion& q, double force_N, double H_s, bool fine) {
  if (!fine) {
    const Motion rate = rates(q, force_N);
    const double w1 = q[2] + H_s * rate[2], w2 = q[3] + H_s * rate[3];
    return {q[0] + H_s * w1, q[1] + H_s * w2, w1, w2};
  }
  constexpr int steps = 40;
  const double h = H_s / steps;
  Motion now = q;
  for (int i = 0; i < steps; ++i) {
    const Motion k1 = rates(now, force_N), k2 = rates(moved(now, k1, 0.5 * h), force_N);
    const Motion k3 = rates(moved(now, k2, 0.5 * h), force_N), k4 = rates(moved(now, k3, h), force_N);
    for (std::size_t j = 0; j < 4; ++j) now[j] += h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]);
  }
  return now;
}

struct Pressures {
  double p1, p2;
};

Pressures pressure_rates(const Pressures& p, double s, double rate, double spool) {
  const auto bulk = [](double pressure) {
    constexpr double a = 6.53e-10, b = -1.19e-18;
    return (1.0 + a * pressure + b * pressure * pressure) / (a + 2.0 * b * pressure);
  };
  const auto flow = [](double opening, double drop) {
    return drop > 0.0 ? 5e-4 * opening * 0.67 * std::sqrt(2.0 * drop / 850.0) : 0.0;
  };
  const double in_1 = piston * rate + flow(spool, pump - p.p1) - flow(1.0 - spool, p.p1 - tank);
  const double in_2 = -piston * rate + flow(1.0 - spool, pump - p.p2) - flow(spool, p.p2 - tank);
  return {bulk(p.p1) / (piston * (0.5 * l3 + s_start - s)) * in_1,
          bulk(p.p2) / (piston * (0.5 * l3 + s - s_start)) * in_2};
}

/// At rest no oil flows: γ²(p_P − p) = (1 − γ)²(p − p_T), and the force carries the links.
struct Equilibrium {
  double spool;
  Pressures pressures;
};
Equilibrium equilibrium(const Motion& q) {
  const Actuator at = actuator(q);
  const double force_N = weight_1 * std::cos(q[0]) / at.by_theta1_m;
  const auto pressures = [](double spool) {
    const double in = spool * spool, out = (1.0 - spool) * (1.0 - spool);
    return Pressures{(in * pump + out * tank) / (in + out), (out * pump + in * tank) / (in + out)};
  };
  double low = 0.4, high = 0.5;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    const Pressures p = pressures(middle);
    (piston * (p.p2 - p.p1) > force_N ? low : high) = middle;
  }
  return {low, pressures(low)};
}

/// Eq. (33), without γ₀
double spool_share(double t) {
  const double amplitude = t < 1.0 ? 0.1 * t : t < 8.0 ? 0.1 : t < 9.0 ? 0.1 * (9.0 - t) : 0.0;
  return 1.0 - amplitude * std::sin(4.0 * M_PI * t);
}

}  // namespace

CraneProgramRun run_crane_program(const CraneProgram& program, double duration_s) {
  Motion q = {M_PI / 6.0, 1.5 * M_PI, 0.0, 0.0};
  const Equilibrium rest = equilibrium(q);
  Pressures p = rest.pressures;
  const auto micro_steps = std::lround(program.H_s / program.h_s);
  const auto macro_steps = static_cast<long>(std::floor(duration_s / program.H_s + 1e-9));
  double s = actuator(q).length_m, v = 0.0, s_before = s, v_before = v;
  double force_N = piston * (p.p2 - p.p1), correction_N = 0.0;
  CraneProgramRun run{{s}};
  const double start_J = energy_J(q);
  double received_J = 0.0;
  for (long k = 0; k < macro_steps; ++k) {
    double given_J = 0.0, seen_rate = v;
    for (long l = 0; l < micro_steps; ++l) {
      const double share = static_cast<double>(l) / static_cast<double>(micro_steps);
      seen_rate = v + (v - v_before) * share;
      const double before_N = piston * (p.p2 - p.p1) - friction * seen_rate;
      const double t = static_cast<double>(k) * program.H_s + static_cast<double>(l) * program.h_s;
      const Pressures rate =
          pressure_rates(p, s + (s - s_before) * share, seen_rate, rest.spool * spool_share(t));
      p = {p.p1 + program.h_s * rate.p1, p.p2 + program.h_s * rate.p2};
      given_J += 0.5 * (before_N + piston * (p.p2 - p.p1) - friction * seen_rate) * seen_rate * program.h_s;
    }
    q = stepped(q, force_N + correction_N, program.H_s, program.fine_mechanics);
    const Actuator now = actuator(q);
    const double v_now = now.by_theta1_m * q[2];
    const double new_force_N = piston * (p.p2 - p.p1) - friction * seen_rate;
    const double work_J = (force_N + correction_N) * (now.length_m - s);
    received_J += work_J;
    run.interface_energy_J += work_J - given_J;
    run.correction_work_J += correction_N * (now.length_m - s);
    // (8), (11), (14) with the limits of Fig. 35
    const double residual_W = force_N * v_now - new_force_N * v;
    const double limit_N = std::min(0.1 * std::abs(new_force_N), 100.0);
    correction_N = v_now != 0.0 ? std::clamp(-program.mu * residual_W / v_now, -limit_N, limit_N) : 0.0;
    s_before = s;
    v_before = v;
    s = now.length_m;
    v = v_now;
    force_N = new_force_N;
    run.length_m.push_back(s);
  }
  run.integrator_energy_J = energy_J(q) - start_J - received_J;
  return run;
}

}  // namespace ergon::bench

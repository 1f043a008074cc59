#pragma once

#include <array>
#include <functional>

#include "benchmarks/lim2021/oscillator_reference.hpp"

namespace ergon::bench {

/// How the published program knows that mass 2 has arrived.
enum class ProgramClock {
  /// t₁, t₂ and t_end are sums of steps, and mass 2 goes on while t₂ < t_end. Ten rounded steps of 0.1 ms are not one
  /// rounded step of 1 ms, so in most macro steps mass 2 ends up one step ahead of mass 1.
  floating_point,
  /// Mass 2 takes H₁/H₂ steps in every macro step: what the engine does.
  exact,
};

struct EnergyLeakSettings {
  TwoMassOscillator problem{};
  double H1_s = 1e-3;
  double H2_s = 1e-4;
  bool linear = true;  ///< extrapolation of the force that mass 2 receives; else hold
  double limit = 0.0;  ///< |f_c| ≤ limit · |f|; 0: no correction
  ProgramClock clock = ProgramClock::exact;
};

/// One macro point t_j.
struct EnergyLeakPoint {
  std::array<double, 4>
      z{};  ///< x1, x2, v1, v2 at t_j: of mass 2 the state before its last step where it is ahead
  double stored_J = 0.0;      ///< E₁ + E₂ as the subsystems report it: mass 1 with the ξ it was given
  double dissipated_J = 0.0;  ///< W, by the dampers since t = 0
  double force_N = 0.0;       ///< what mass 2 received in its last step, correction included
  bool ahead = false;         ///< mass 2 is one step ahead
};

/// The program of [gonzalez2019], Algorithm 1 and Sect. 4.1, statement by statement: a two-mass oscillator in
/// force-displacement coupling, mass 1 giving the force, Jacobi, semi-implicit Euler, energy leak monitored and
/// corrected. It exists beside the engine for one reason: the published figures come from its floating-point clock.
///
/// every H₁:
///   ξ = x2, ξ̇ = v2                                            mass 2 as it is now, ahead or not
///   mass 1:  v1 += H₁(−k1 x1 − c1 v1 − F)/m1,  F = kc(x1−ξ) + cc(v1−ξ̇);   x1 += H₁ v1
///            f_new = kc(x1−ξ) + cc(v1−ξ̇)                      new state, old ξ: stale
///            W += H₁(c1 v1² + cc(v1−ξ̇)²)
///   mass 2, while t₂ < t_end:   f₂ = f + (f−f_prev)(t₂−t₁)/H₁ + f_c
///            v2 += H₂(−k2 x2 − c2 v2 + f₂)/m2;   x2 += H₂ v2;   W += H₂ c2 v2²
///   E₁ = ½m1 v1² + ½k1 x1² + ½kc(x1−ξ)²,  E₂ = ½m2 v2² + ½k2 x2²
///   L  = E₁ + E₂ + W − E(0)                                    total accumulated leak, (10)–(12)
///   f_c = −L/|x2−ξ| · sgn(v2), |f_c| ≤ limit·|f|               (13), (14); f: the force just held, not f_new
class EnergyLeakProgram {
 public:
  explicit EnergyLeakProgram(const EnergyLeakSettings& settings);

  /// One macro step.
  void advance();
  [[nodiscard]] const EnergyLeakPoint& point() const { return point_; }
  /// E(0), to which the leak is counted.
  [[nodiscard]] double initial_energy_J() const { return initial_energy_J_; }

 private:
  void step_mass1(double xi, double xi_rate);
  void step_mass2(int micro_step);
  [[nodiscard]] bool mass2_has_arrived(int micro_steps_done) const;
  [[nodiscard]] double energy1_J(double xi) const;
  [[nodiscard]] double energy2_J(double x2, double v2) const;

  EnergyLeakSettings settings_;
  int steps_of_mass2_;  // H₁/H₂
  double x1_, x2_, v1_, v2_;
  double force_, force_before_;  // f, f_prev
  double new_force_ = 0.0;       // f_new
  double correction_ = 0.0;      // f_c
  double dissipated_J_ = 0.0;    // W
  double initial_energy_J_;      // E(0)
  double t1_ = 0.0, t2_ = 0.0, t_end_;
  double x2_before_, v2_before_;  // before the last step of mass 2
  EnergyLeakPoint point_{};
};

/// Calls `at_point(j, point)` at t = 0 (j = 0) and after each macro step up to the duration.
void run_energy_leak_program(const EnergyLeakSettings& settings, double duration_s,
                             const std::function<void(std::size_t, const EnergyLeakPoint&)>& at_point);

}  // namespace ergon::bench

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "benchmarks/lim2021/oscillator_reference.hpp"

namespace ergon::bench {

/// Energy of simultaneous positions with velocities of the same instant. Semi-implicit Euler is a leapfrog whose
/// velocities are half a step old, so each is first moved on by v + ½h·a with its own step h and the force of the
/// simultaneous positions and velocities.
double synchronised_energy_J(const TwoMassOscillator& problem, const std::array<double, 4>& z, double H1_s,
                             double H2_s);

/// The errors of one run of the two-mass oscillator, gathered at its macro points t_j = j·H₁.
class OscillatorErrors {
 public:
  /// Reported energies are looked at every 10 ms, as in [gonzalez2019, Tables 2, 3].
  static constexpr double output_step_s = 1e-2;

  /// `exact`: the analytic solution at the macro points. It must outlive this object.
  OscillatorErrors(const TwoMassOscillator& problem, double H1_s, double H2_s,
                   const std::vector<std::array<double, 4>>& exact);

  /// State at t_j, the energy balance stored + dissipated − initial as the method reports it, and the dissipated energy.
  void add(std::size_t j, const std::array<double, 4>& z, double reported_balance_J, double dissipated_J);

  /// Largest |balance| as reported, on the output grid.
  [[nodiscard]] double max_energy_error_J() const { return reported_J_; }
  /// Largest |balance| of the synchronised energy, over all macro points.
  [[nodiscard]] double true_energy_error_J() const { return true_J_; }
  /// Over all macro points after the start.
  [[nodiscard]] double rms_x1_m() const;
  [[nodiscard]] double rms_x2_m() const;
  [[nodiscard]] double max_x1_m() const { return max_x1_; }
  [[nodiscard]] double max_x2_m() const { return max_x2_; }

 private:
  TwoMassOscillator problem_;
  double H1_s_, H2_s_;
  const std::vector<std::array<double, 4>>& exact_;
  std::size_t points_per_output_;
  double initial_J_;
  double reported_J_ = 0.0;
  double true_J_ = 0.0;
  double square_x1_ = 0.0, square_x2_ = 0.0;
  double max_x1_ = 0.0, max_x2_ = 0.0;
  std::size_t points_ = 0;
};

}  // namespace ergon::bench

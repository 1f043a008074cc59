#pragma once

#include "benchmarks/framework/convergence.hpp"

// Monolithic equations of two planar links, written from Newton's and Euler's equations. Angles count from world x; gravity
// acts along −y.

namespace ergon::bench {

constexpr double gravity_m_s2 = 9.81;

/// z = [φ1, ω1, φ2, ω2, x2, y2, vx2, vy2]: the first link is pinned at the origin and held by a torsional spring, the
/// second hangs by a flexible joint at its tip.                                              [schweizer2014, Sect. 4.2]
struct DoublePendulum {
  double mass_kg = 1.0;
  double length_m = 1.0;
  double torsion_Nm = 500.0;
  double torsion_Nms = 5.0;
  double rest_angle_rad = 0.9817477042468103;
  double joint_N_m = 1e5;
  double joint_Ns_m = 100.0;

  [[nodiscard]] std::vector<double> start() const;
  void rates(const double* z, double* z_dot) const;
};

/// z = [φ1, ω1, φ2, ω2]: two links pinned at (0, 0) and (1, 0); the tip of the first is held on the line of the second by
/// a spring.                                                                                 [schweizer2014, Sect. 4.3]
struct SliderCrank {
  double mass_1_kg = 1.4142135623730951;
  double length_1_m = 1.4142135623730951;
  double mass_2_kg = 2.0;
  double length_2_m = 2.0;
  double pin_2_m = 1.0;
  double joint_N_m = 1e3;

  [[nodiscard]] std::vector<double> start() const;
  void rates(const double* z, double* z_dot) const;
  [[nodiscard]] double energy_J(const double* z) const;

 private:
  [[nodiscard]] double elongation_m(const double* z) const;
};

}  // namespace ergon::bench

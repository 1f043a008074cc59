#pragma once

#include <array>
#include <vector>

namespace ergon::bench {

/// The two-mass linear oscillator and its analytic solution, z = [x1, x2, v1, v2]           [lim2021, (1)–(6)]
struct TwoMassOscillator {
  double m1 = 1.0, m2 = 1.0;                  // kg
  double k1 = 10.0, kc = 100.0, k2 = 1000.0;  // N/m
  double c1 = 0.0, cc = 0.0, c2 = 0.0;        // N s/m
  std::array<double, 4> z0 = {0.0, 0.0, 100.0, -100.0};

  /// Mechanical energy of simultaneous positions and velocities.
  [[nodiscard]] double energy_J(const std::array<double, 4>& z) const;
  /// A of ż = A z, row-major                                                                 [lim2021, (5)]
  [[nodiscard]] std::array<double, 16> matrix() const;
  /// z at 0, step, 2 step, … up to and including the duration.
  [[nodiscard]] std::vector<std::array<double, 4>> sample_solution(double duration_s, double step_s) const;
};

}  // namespace ergon::bench

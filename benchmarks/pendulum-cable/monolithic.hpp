#pragma once

#include <array>
#include <vector>

#include "ergon/models/cable/cable.hpp"

namespace ergon::bench {

/// Rod and cable of [gonzalez2019, Sect. 4.2] as one system. A rod of square section that does not spin about its axis is a mass
///   m_e = m/3 + m w²/(12 L²)
/// at its end A, held on the sphere |A| = L and pulled down by half of its weight. With the reaction R₀ + M̂ q̈_A of the cable at A,
///   (m_e + M̂) q̈_A = m g/2 − R₀ − λ A,   A·q̈_A = −|q̇_A|²
/// gives q̈_A, and the cable the rest. Classical Runge-Kutta. Of the models it shares the forces of the cable alone: not the rod,
/// not how they are integrated, not how they are coupled.
class MonolithicPendulumCable {
 public:
  MonolithicPendulumCable();

  /// Position of A at 0, interval_s, 2 interval_s, … duration_s.
  [[nodiscard]] std::vector<std::array<double, 3>> motion_of_A(double duration_s, double interval_s,
                                                               double step_s);
  /// Largest change of the total energy met so far.
  [[nodiscard]] double max_energy_error_J() const { return max_energy_error_J_; }

 private:
  [[nodiscard]] double energy_J(const double* z) const;
  void rates(const double* z, double* z_dot);

  Cable cable_;
  double effective_mass_kg_ = 0.0;
  double cable_mass_at_A_kg_ = 0.0;  ///< M̂
  Cable::Nodes Q_, a_;
  double max_energy_error_J_ = 0.0;
};

}  // namespace ergon::bench

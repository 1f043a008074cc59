#include "benchmarks/schweizer2014/planar_links.hpp"

#include <cmath>

namespace ergon::bench {

std::vector<double> DoublePendulum::start() const {
  const double phi1 = M_PI / 4.0;
  const double phi2 = -M_PI / 4.0;
  // The joint is closed: the start of the second link is at the tip of the first.
  return {phi1,
          0.0,
          phi2,
          0.0,
          length_m * (std::cos(phi1) + 0.5 * std::cos(phi2)),
          length_m * (std::sin(phi1) + 0.5 * std::sin(phi2)),
          0.0,
          0.0};
}

void DoublePendulum::rates(const double* z, double* z_dot) const {
  const double half = 0.5 * length_m;
  const double c1 = std::cos(z[0]), s1 = std::sin(z[0]), c2 = std::cos(z[2]), s2 = std::sin(z[2]);
  // Tip of link 1 and start of link 2, and their velocities.
  const double dx = (z[4] - half * c2) - length_m * c1;
  const double dy = (z[5] - half * s2) - length_m * s1;
  const double dvx = (z[6] + half * s2 * z[3]) + length_m * s1 * z[1];
  const double dvy = (z[7] - half * c2 * z[3]) - length_m * c1 * z[1];
  const double fx = joint_N_m * dx + joint_Ns_m * dvx;  // on link 1
  const double fy = joint_N_m * dy + joint_Ns_m * dvy;
  const double about_pin = mass_kg * length_m * length_m / 3.0;
  const double about_centre = mass_kg * length_m * length_m / 12.0;
  z_dot[0] = z[1];
  z_dot[1] = (-torsion_Nm * (z[0] - rest_angle_rad) - torsion_Nms * z[1] -
              mass_kg * gravity_m_s2 * half * c1 + length_m * (c1 * fy - s1 * fx)) /
             about_pin;
  z_dot[2] = z[3];
  // −f at the arm −half·(c2, s2)
  z_dot[3] = half * (c2 * fy - s2 * fx) / about_centre;
  z_dot[4] = z[6];
  z_dot[5] = z[7];
  z_dot[6] = -fx / mass_kg;
  z_dot[7] = -fy / mass_kg - gravity_m_s2;
}

std::vector<double> SliderCrank::start() const {
  return {M_PI / 4.0, 0.0, M_PI / 2.0, 0.0};
}

double SliderCrank::elongation_m(const double* z) const {
  const double x = length_1_m * std::cos(z[0]) - pin_2_m;
  const double y = length_1_m * std::sin(z[0]);
  return -x * std::sin(z[2]) + y * std::cos(z[2]);
}

void SliderCrank::rates(const double* z, double* z_dot) const {
  const double x = length_1_m * std::cos(z[0]) - pin_2_m;
  const double y = length_1_m * std::sin(z[0]);
  const double lambda = -joint_N_m * elongation_m(z);  // on link 1, along e = (−sin φ2, cos φ2)
  // ∂δ/∂φ1 = l1 cos(φ1 − φ2), ∂δ/∂φ2 = −(x cos φ2 + y sin φ2)
  const double by_phi1 = length_1_m * std::cos(z[0] - z[2]);
  const double by_phi2 = -(x * std::cos(z[2]) + y * std::sin(z[2]));
  z_dot[0] = z[1];
  z_dot[1] = (lambda * by_phi1 - mass_1_kg * gravity_m_s2 * 0.5 * length_1_m * std::cos(z[0])) /
             (mass_1_kg * length_1_m * length_1_m / 3.0);
  z_dot[2] = z[3];
  z_dot[3] = (lambda * by_phi2 - mass_2_kg * gravity_m_s2 * 0.5 * length_2_m * std::cos(z[2])) /
             (mass_2_kg * length_2_m * length_2_m / 3.0);
}

double SliderCrank::energy_J(const double* z) const {
  const double delta = elongation_m(z);
  return mass_1_kg * length_1_m * length_1_m / 6.0 * z[1] * z[1] +
         mass_2_kg * length_2_m * length_2_m / 6.0 * z[3] * z[3] +
         0.5 * gravity_m_s2 *
             (mass_1_kg * length_1_m * std::sin(z[0]) + mass_2_kg * length_2_m * std::sin(z[2])) +
         0.5 * joint_N_m * delta * delta;
}

}  // namespace ergon::bench

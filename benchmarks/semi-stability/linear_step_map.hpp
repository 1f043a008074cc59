#pragma once

#include <Eigen/Core>

namespace ergon::bench {

/// Two masses on springs and dampers of one stiffness and one damping, coupled by force/force with step H. The subsystems
/// are solved exactly, so that a step is a linear map of (x₁, v₁, x₂, v₂, λ_N, λ_{N−1}).
struct CoupledMasses {
  double m1_kg = 1.0;
  double m2_kg = 2.0;
  double stiffness_N_m = 0.0;
  double damping_Ns_m = 0.0;
  double H_s = 5e-3;
};

/// That map: x₁, v₁, x₂, v₂, then λ at the last four points. λ acts on the left mass, −λ on the right one.
constexpr int step_map_size = 8;
Eigen::MatrixXd step_map(const CoupledMasses& masses, int k, bool semi_implicit);
/// Its spectral radius; above 1 the scheme is unstable.
double spectral_radius(const CoupledMasses& masses, int k, bool semi_implicit);

}  // namespace ergon::bench

#include "benchmarks/semi-stability/linear_step_map.hpp"

#include "benchmarks/reference/dense_functions.hpp"
#include "ergon/signal/extrapolation.hpp"

namespace ergon::bench {
namespace {

constexpr int most_coefficients = 3;

/// z(H) = Φ z(0) + Σ_d Γ_d c_d for m ẍ = −c x − d ẋ + sign·Σ_d c_d τ^d, by one matrix exponential: the force and its
/// derivatives are states of their own.
struct MassStep {
  Eigen::Matrix2d phi;
  Eigen::Matrix<double, 2, most_coefficients> gamma;
};

MassStep mass_step(double mass_kg, double stiffness_N_m, double damping_Ns_m, double sign, double H_s) {
  constexpr int n = 2 + most_coefficients;
  Eigen::Matrix<double, n, n> a = Eigen::Matrix<double, n, n>::Zero();
  a(0, 1) = 1.0;
  a(1, 0) = -stiffness_N_m / mass_kg;
  a(1, 1) = -damping_Ns_m / mass_kg;
  a(1, 2) = sign / mass_kg;
  // τ^d grows out of τ^(d+1): d/dτ (c_d d!) chain with f = p₀, ṗ₀ = p₁, ṗ₁ = p₂.
  a(2, 3) = a(3, 4) = 1.0;
  const Eigen::Matrix<double, n, n> exponential = numerics::exponential(a * H_s);
  MassStep step;
  step.phi = exponential.topLeftCorner<2, 2>();
  constexpr double factorial[] = {1.0, 1.0, 2.0};
  for (int d = 0; d < most_coefficients; ++d) {
    step.gamma.col(d) = exponential.block<2, 1>(0, 2 + d) * factorial[d];
  }
  return step;
}

}  // namespace

Eigen::MatrixXd step_map(const CoupledMasses& p, int k, bool semi_implicit) {
  const MassStep one = mass_step(p.m1_kg, p.stiffness_N_m, p.damping_Ns_m, 1.0, p.H_s);
  const MassStep two = mass_step(p.m2_kg, p.stiffness_N_m, p.damping_Ns_m, -1.0, p.H_s);
  // Sample times relative to the start of the step: the end (semi-implicit only), the start, the one before …
  std::vector<double> times;
  for (int j = 0; j <= k; ++j) times.push_back((semi_implicit ? 1.0 - j : -1.0 * j) * p.H_s);
  const PolynomialWeights weights = polynomial_weights(times);

  // λ is kept for as many points as the polynomial reaches back.
  constexpr int n = step_map_size;
  constexpr int samples = n - 4;
  using Matrix = Eigen::Matrix<double, n, n>;
  using StateRow = Eigen::Matrix<double, 1, n>;
  const Eigen::RowVector4d law(-p.stiffness_N_m, -p.damping_Ns_m, p.stiffness_N_m, p.damping_Ns_m);

  // z' = phi z + Σ_j weight(j) λ_j, with λ_j the sample at times[j].
  Eigen::Matrix<double, 4, n> states = Eigen::Matrix<double, 4, n>::Zero();
  states.block<2, 2>(0, 0) = one.phi;
  states.block<2, 2>(2, 2) = two.phi;
  Eigen::Vector4d by_end = Eigen::Vector4d::Zero();  // response to the unknown λ at the end
  for (int j = 0; j <= k; ++j) {
    Eigen::Vector4d response = Eigen::Vector4d::Zero();
    for (int d = 0; d <= weights.degree; ++d) {
      const double w = weights.weight[static_cast<std::size_t>(d)][static_cast<std::size_t>(j)];
      response.head<2>() += w * one.gamma.col(d);
      response.tail<2>() += w * two.gamma.col(d);
    }
    if (semi_implicit && j == 0) {
      by_end = response;
    } else {
      states.col(4 + (semi_implicit ? j - 1 : j)) += response;
    }
  }
  StateRow lambda;
  if (semi_implicit) {
    // One Newton step solves the linear condition λ = law·z'(λ).
    lambda = law * states / (1.0 - law.dot(by_end));
    states += by_end * lambda;
  } else {
    lambda = law * states;
  }
  Matrix map = Matrix::Zero();
  map.topRows<4>() = states;
  map.row(4) = lambda;
  for (int j = 1; j < samples; ++j) map(4 + j, 4 + j - 1) = 1.0;
  return map;
}

double spectral_radius(const CoupledMasses& masses, int k, bool semi_implicit) {
  return numerics::spectral_radius(step_map(masses, k, semi_implicit));
}

}  // namespace ergon::bench

#pragma once

#include <Eigen/Core>

namespace ergon::numerics {

/// Largest |λ| of a square matrix: a step map with more than 1 grows.
double spectral_radius(const Eigen::MatrixXd& a);

/// exp(A) [higham2005].
Eigen::MatrixXd exponential(const Eigen::MatrixXd& a);

}  // namespace ergon::numerics

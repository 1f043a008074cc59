#include "benchmarks/reference/dense_functions.hpp"

#include <Eigen/Eigenvalues>
#include <unsupported/Eigen/MatrixFunctions>

namespace ergon::numerics {

double spectral_radius(const Eigen::MatrixXd& a) {
  return a.eigenvalues().cwiseAbs().maxCoeff();
}

Eigen::MatrixXd exponential(const Eigen::MatrixXd& a) {
  return a.exp();
}

}  // namespace ergon::numerics

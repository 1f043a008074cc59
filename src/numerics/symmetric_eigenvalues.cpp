#include "ergon/numerics/symmetric_eigenvalues.hpp"

#include <Eigen/Eigenvalues>

namespace ergon::numerics {

SymmetricModes symmetric_modes(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& m) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(a, m, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

}  // namespace ergon::numerics

#pragma once

#include <Eigen/Core>

namespace ergon::numerics {

/// A = V diag(λ) Vᵀ of a symmetric A: λ in rising order, the columns of V of length 1. Only the lower triangle is read.
struct SymmetricModes {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// Here, and not where they are needed: the templates behind them take ten seconds to compile.
SymmetricModes symmetric_modes(const Eigen::MatrixXd& a);
/// λ alone.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);
/// λ of A φ = λ M φ in rising order, M positive definite.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& m);

}  // namespace ergon::numerics

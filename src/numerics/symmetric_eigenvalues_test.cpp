#include "ergon/numerics/symmetric_eigenvalues.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ergon::numerics {
namespace {

// n equal masses on equal springs between two walls: λ_j = 4 sin²(jπ/(2(n + 1))).
constexpr int row_length = 7;

double mode_of_row(int j) {
  const double s = std::sin(j * std::numbers::pi / (2.0 * (row_length + 1)));
  return 4.0 * s * s;
}

Eigen::MatrixXd row_of_springs() {
  Eigen::MatrixXd a = 2.0 * Eigen::MatrixXd::Identity(row_length, row_length);
  a.diagonal(1).setConstant(-1.0);
  a.diagonal(-1).setConstant(-1.0);
  return a;
}

TEST(SymmetricEigenvalues, OfARowOfSprings) {
  const Eigen::VectorXd values = symmetric_eigenvalues(row_of_springs());
  for (int j = 0; j < row_length; ++j) EXPECT_NEAR(values[j], mode_of_row(j + 1), 1e-14);
}

TEST(SymmetricEigenvalues, OfHeavierMasses) {
  const Eigen::MatrixXd masses = 2.5 * Eigen::MatrixXd::Identity(row_length, row_length);
  const Eigen::VectorXd values = symmetric_eigenvalues(row_of_springs(), masses);
  for (int j = 0; j < row_length; ++j) EXPECT_NEAR(values[j], mode_of_row(j + 1) / 2.5, 1e-14);
}

TEST(SymmetricEigenvalues, ModesMakeTheMatrix) {
  const Eigen::MatrixXd a = row_of_springs();
  const SymmetricModes modes = symmetric_modes(a);
  const Eigen::MatrixXd made = modes.vectors * modes.values.asDiagonal() * modes.vectors.transpose();
  EXPECT_LT((made - a).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((modes.vectors.transpose() * modes.vectors - Eigen::MatrixXd::Identity(row_length, row_length))
                .cwiseAbs()
                .maxCoeff(),
            1e-14);
}

}  // namespace
}  // namespace ergon::numerics

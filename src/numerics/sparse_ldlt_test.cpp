#include "ergon/numerics/sparse_ldlt.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

namespace ergon {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// H = A Aᵀ with six entries per row of A; the last row of A may be a combination of the first two.
struct SparseMatrix {
  SparseMatrix(Eigen::Index n, bool redundant, std::mt19937& random) {
    std::normal_distribution<double> normal;
    MatrixXd A = MatrixXd::Zero(n, 2 * n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 0; k < 6; ++k) A(i, (2 * i + k) % (2 * n)) = normal(random);
    if (redundant) A.row(n - 1) = A.row(0) - 2.0 * A.row(1);
    H = A * A.transpose();
    x = VectorXd::NullaryExpr(n, [&] { return normal(random); });
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = j; i < n; ++i) {
        if (i != j && H(i, j) == 0.0) continue;
        pattern.push_back({i, j});
        values.push_back(H(i, j));
      }
    }
  }
  MatrixXd H;
  VectorXd x;
  std::vector<SparseLdlt::Place> pattern;
  std::vector<double> values;
};

// In a consistent system the row that depends on others is left out, and what is found solves all of them.
TEST(SparseLdlt, SolvesConsistentSystemsWithRedundantRows) {
  std::mt19937 random(4);
  for (Eigen::Index n = 3; n < 120; n += 3) {
    const bool redundant = n % 2 == 0;
    const SparseMatrix m(n, redundant, random);
    SparseLdlt solver;
    solver.analyze(n, m.pattern);
    EXPECT_EQ(solver.factorize(m.values), redundant ? 1 : 0) << n;
    const VectorXd b = m.H * m.x;
    VectorXd found = b;
    solver.solve(found.data());
    EXPECT_LE((m.H * found - b).cwiseAbs().maxCoeff(), 1e-8) << n;

    VectorXd half(n), other(n), whole(n), product = -b;
    solver.half_solve(b.data(), half.data());
    solver.finish_solve(half.data(), whole.data());
    EXPECT_LE((whole - found).cwiseAbs().maxCoeff(), 1e-8 * found.cwiseAbs().maxCoeff()) << n;
    const VectorXd y = m.H * VectorXd::Ones(n);
    solver.half_solve(y.data(), other.data());
    EXPECT_NEAR(other.dot(half), m.x.dot(y), 1e-8 * m.x.norm() * y.norm()) << n;  // yᵀH⁻¹b, b = Hx
    solver.add_product(m.values, found.data(), product.data());
    EXPECT_LE(product.cwiseAbs().maxCoeff(), 1e-8) << n;
  }
}

}  // namespace
}  // namespace ergon

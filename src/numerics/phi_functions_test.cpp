#include "ergon/numerics/phi_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "benchmarks/reference/linear_solution.hpp"

namespace ergon::numerics {
namespace {

using Matrix = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

PhiFunctions phi_functions(const Matrix& z, int highest) {
  PhiFunctions phi;
  phi.argument(z.rows()) = z;
  phi.compute(highest);
  return phi;
}

/// Σ_d φ_{d+1}(Z) w_d as the exact solution at 1 of x' = Z x + Σ_d w_d ξ_d, ξ_0' = 0, ξ_d' = ξ_{d−1}, from x = 0, ξ = e_0.
Eigen::VectorXd driven(const Matrix& z, const Matrix& w) {
  const Eigen::Index n = z.rows();
  const Eigen::Index all = n + w.cols();
  RowMajor bordered = RowMajor::Zero(all, all);
  bordered.topLeftCorner(n, n) = z;
  bordered.topRightCorner(n, w.cols()) = w;
  for (Eigen::Index d = 1; d < w.cols(); ++d) bordered(n + d, n + d - 1) = 1.0;
  std::vector<double> start(static_cast<std::size_t>(all), 0.0);
  start[static_cast<std::size_t>(n)] = 1.0;
  std::vector<double> end(start.size());
  LinearSolution({bordered.data(), static_cast<std::size_t>(bordered.size())}, start).at(1.0, end);
  return Eigen::Map<Eigen::VectorXd>(end.data(), n);
}

/// Largest difference, relative to the largest component.
double difference(const Eigen::VectorXd& ours, const Eigen::VectorXd& exact) {
  return (ours - exact).lpNorm<Eigen::Infinity>() / exact.lpNorm<Eigen::Infinity>();
}

TEST(PhiFunctions, OfZeroAreInverseFactorials) {
  const PhiFunctions phi = phi_functions(Matrix::Zero(3, 3), 4);
  for (int k = 0; k <= 4; ++k) EXPECT_EQ(phi[k], Matrix(Matrix::Identity(3, 3) / std::tgamma(k + 1.0))) << k;
  EXPECT_EQ(phi.squarings(), 0);
}

// Masses without springs: whatever the units, nothing is scaled and the series ends by itself.
TEST(PhiFunctions, OfANilpotentMatrixAreItsFewTerms) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    Matrix z = Matrix::Zero(3, 3);
    z(0, 1) = 2.0 * size;
    z(1, 2) = 3.0 * size;
    const PhiFunctions phi = phi_functions(z, 3);
    EXPECT_EQ(phi.squarings(), 0);
    for (int k = 0; k <= 3; ++k) {
      EXPECT_EQ(phi[k](0, 0), 1.0 / std::tgamma(k + 1.0));
      EXPECT_DOUBLE_EQ(phi[k](0, 1), 2.0 * size / std::tgamma(k + 2.0)) << k;
      EXPECT_DOUBLE_EQ(phi[k](0, 2), 6.0 * size * size / std::tgamma(k + 3.0)) << k;
      EXPECT_EQ(phi[k](2, 0), 0.0);
    }
  }
}

// φ_1(z) = (e^z − 1)/z, φ_2(z) = (φ_1(z) − 1)/z, φ_3(z) = (φ_2(z) − ½)/z: here nothing cancels.
TEST(PhiFunctions, OfStiffScalarsKeepTheirDigits) {
  for (const double z : {-1e1, -1e3, -1e8, -1e12, 50.0, 600.0}) {
    const PhiFunctions phi = phi_functions(Matrix::Constant(1, 1, z), 3);
    const double phi_1 = std::expm1(z) / z;
    const double phi_2 = (phi_1 - 1.0) / z;
    const double phi_3 = (phi_2 - 0.5) / z;
    EXPECT_NEAR(phi[1](0, 0) / phi_1, 1.0, z > 0.0 ? 1e-12 : 2e-15) << z;  // e^z magnifies rounding by z
    EXPECT_NEAR(phi[2](0, 0) / phi_2, 1.0, z > 0.0 ? 1e-12 : 5e-15) << z;
    EXPECT_NEAR(phi[3](0, 0) / phi_3, 1.0, z > 0.0 ? 1e-12 : 5e-15) << z;
  }
}

// Two time scales, 10⁸ apart, mixed by a rotation.
TEST(PhiFunctions, OfMixedTimeScalesFollowBoth) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  Matrix rotation(2, 2);
  rotation << c, -s, s, c;
  const double fast = -1e8, slow = -1.0;
  const Matrix z = rotation * Eigen::Vector2d(fast, slow).asDiagonal() * rotation.transpose();
  const PhiFunctions phi = phi_functions(z, 2);
  // Entries of Z are rounded, relative to 10⁸: its slow eigenvalue is known to 10⁻⁸.
  const Matrix back = rotation.transpose() * phi[1] * rotation;
  EXPECT_NEAR(back(1, 1), 1.0 - std::exp(-1.0), 1e-7);
  EXPECT_NEAR(back(0, 0), 1e-8, 1e-9);
}

// An undamped spring over many periods: exp is a rotation by ωH. The units of position and velocity do not matter.
TEST(PhiFunctions, OfOscillationsKeepTheirPhase) {
  for (const double omega : {0.3, 10.0, 1e4}) {
    for (const double unit : {1.0, 1e-3, 1e3}) {
      Matrix z(2, 2);
      z << 0.0, omega * unit, -omega / unit, 0.0;
      const PhiFunctions phi = phi_functions(z, 2);
      const double tolerance = 4e-16 * (10.0 + omega);
      EXPECT_NEAR(phi[0](0, 0), std::cos(omega), tolerance) << omega << " " << unit;
      EXPECT_NEAR(phi[0](0, 1) / unit, std::sin(omega), tolerance);
      EXPECT_NEAR(phi[1](0, 0) * omega, std::sin(omega), tolerance);
      EXPECT_NEAR(phi[1](0, 1) / unit * omega, 1.0 - std::cos(omega), tolerance);
    }
  }
}

TEST(PhiFunctions, OfRandomMatricesAreExactSolutions) {
  std::mt19937 generator(20240501);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  const auto random = [&](Eigen::Index rows, Eigen::Index columns) {
    return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return entry(generator); }));
  };
  double worst = 0.0;
  for (const Eigen::Index n : {1, 2, 3, 5, 9}) {
    for (const double size : {1e-4, 0.1, 1.0, 4.0}) {
      for (const Eigen::Index p : {1, 2, 3, 4}) {
        const Matrix z = size * random(n, n);
        const Matrix w = random(n, p);
        const PhiFunctions phi = phi_functions(z, static_cast<int>(p));
        Eigen::VectorXd ours = Eigen::VectorXd::Zero(n);
        for (Eigen::Index d = 0; d < p; ++d) ours += phi[static_cast<int>(d) + 1] * w.col(d);
        worst = std::max(worst, difference(ours, driven(z, w)));
      }
    }
  }
  EXPECT_LT(worst, 1e-13);
}

// Twenty masses of 1 kg with springs of 10⁶ N/m and dampers between them, over 1 ms and over 0.1 s.
TEST(PhiFunctions, OfAStiffChainAreExactSolutions) {
  constexpr Eigen::Index masses = 20;
  for (const double H : {1e-3, 0.1}) {
    Matrix a = Matrix::Zero(2 * masses, 2 * masses);
    for (Eigen::Index i = 0; i < masses; ++i) {
      a(i, masses + i) = 1.0;
      for (const Eigen::Index j : {i - 1, i + 1}) {
        if (j < 0) continue;  // the last spring holds on to the wall
        a(masses + i, i) -= 1e6;
        a(masses + i, masses + i) -= 100.0;
        if (j == masses) continue;
        a(masses + i, j) += 1e6;
        a(masses + i, masses + j) += 100.0;
      }
    }
    const Matrix z = H * a;
    Matrix w = Matrix::Zero(2 * masses, 2);
    w(masses, 0) = H;
    w(masses + 3, 1) = H;
    const PhiFunctions phi = phi_functions(z, 2);
    const Eigen::VectorXd ours = phi[1] * w.col(0) + phi[2] * w.col(1);
    const Eigen::VectorXd exact = driven(z, w);
    EXPECT_LT(difference(ours.head(masses), exact.head(masses)), 1e-11) << H;
    EXPECT_LT(difference(ours.tail(masses), exact.tail(masses)), 1e-11) << H;
  }
}

TEST(PhiFunctions, OfNoNumbersAreNone) {
  Matrix z = Matrix::Identity(2, 2);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    z(1, 0) = bad;
    EXPECT_TRUE(std::isnan(phi_functions(z, 1)[1](0, 0)));
  }
  EXPECT_FALSE(phi_functions(Matrix::Constant(1, 1, 1e6), 1)[1].allFinite());  // e^1000000
  EXPECT_EQ(phi_functions(Matrix(0, 0), 2)[2].size(), 0);
}

TEST(PhiFunctions, BeyondTheTableAreRefused) {
  EXPECT_THROW(phi_functions(Matrix::Zero(1, 1), 0), std::invalid_argument);
  EXPECT_NO_THROW(phi_functions(Matrix::Zero(1, 1), 23));
  EXPECT_THROW(phi_functions(Matrix::Zero(1, 1), 24), std::invalid_argument);
}

}  // namespace
}  // namespace ergon::numerics

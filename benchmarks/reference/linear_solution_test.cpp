#include "benchmarks/reference/linear_solution.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

namespace ergon::numerics {
namespace {

/// Largest difference from expm(A t) z0 over components, relative to the max norm of the latter. The
/// exponential is taken in long double: in double, scaling and squaring itself is off by 1e-10 for stiff A.
double difference_from_expm(const std::vector<double>& a, const std::vector<double>& z0, double t) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(z0.size());
  const Matrix scaled = Eigen::Map<const RowMajor>(a.data(), n, n).cast<long double>() * t;
  const Vector expected = scaled.exp() * Eigen::Map<const Eigen::VectorXd>(z0.data(), n).cast<long double>();
  std::vector<double> z(z0.size());
  const LinearSolution solution(a, z0);
  EXPECT_TRUE(solution.is_diagonalised());  // else the exponential would be compared with itself
  solution.at(t, z);
  const Vector difference = Eigen::Map<const Eigen::VectorXd>(z.data(), n).cast<long double>() - expected;
  return static_cast<double>(difference.lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>());
}

TEST(LinearSolution, DampedOscillatorMatchesClosedForm) {
  const double k = 5.0, c = 0.4;
  const LinearSolution solution(std::array{0.0, 1.0, -k, -c}, std::array{1.0, 0.0});
  EXPECT_TRUE(solution.is_diagonalised());
  const double decay = 0.5 * c;
  const double omega = std::sqrt(k - decay * decay);
  std::array<double, 2> z{};
  for (const double t : {0.0, 0.1, 1.0, 7.5, 40.0}) {
    solution.at(t, z);
    const double e = std::exp(-decay * t);
    EXPECT_NEAR(z[0], e * (std::cos(omega * t) + decay / omega * std::sin(omega * t)), 4e-15);
    EXPECT_NEAR(z[1], -e * k / omega * std::sin(omega * t), 8e-15);
  }
}

TEST(LinearSolution, StartTimeShifts) {
  const std::array a = {0.0, 1.0, -4.0, 0.0};
  const std::array z0 = {1.0, 2.0};
  const LinearSolution solution(a, z0, 3.0);
  std::array<double, 2> z{};
  solution.at(3.0, z);
  EXPECT_NEAR(z[0], 1.0, 1e-15);
  EXPECT_NEAR(z[1], 2.0, 1e-15);
  solution.at(3.5, z);
  EXPECT_NEAR(z[0], std::cos(1.0) + std::sin(1.0), 1e-14);
}

TEST(LinearSolution, StiffUndampedOscillatorKeepsItsPhase) {
  // omega = 1e4 rad/s over 1 s, badly scaled as it stands: sqrt(k) is between position and velocity.
  const LinearSolution solution(std::array{0.0, 1.0, -1e8, 0.0}, std::array{1.0, 0.0});
  EXPECT_TRUE(solution.is_diagonalised());
  std::array<double, 2> z{};
  solution.at(1.0, z);
  EXPECT_NEAR(z[0], std::cos(1e4), 1e-12);
  EXPECT_NEAR(z[1] / 1e4, -std::sin(1e4), 1e-12);
}

TEST(LinearSolution, DefectiveMatricesFallBackToExpm) {
  // Free mass: z = (q0 + v0 t, v0).
  const LinearSolution free_mass(std::array{0.0, 1.0, 0.0, 0.0}, std::array{1.0, 3.0});
  EXPECT_FALSE(free_mass.is_diagonalised());
  std::array<double, 2> z{};
  free_mass.at(12.5, z);
  EXPECT_NEAR(z[0], 38.5, 1e-13);
  EXPECT_NEAR(z[1], 3.0, 1e-14);

  // Critical damping: q = (1 + w t) exp(-w t).
  const double w = 3.0;
  const LinearSolution critical(std::array{0.0, 1.0, -w * w, -2.0 * w}, std::array{1.0, 0.0});
  EXPECT_FALSE(critical.is_diagonalised());
  for (const double t : {0.0, 0.5, 2.0, 5.0}) {
    critical.at(t, z);
    EXPECT_NEAR(z[0], (1.0 + w * t) * std::exp(-w * t), 1e-14);
    EXPECT_NEAR(z[1], -w * w * t * std::exp(-w * t), 1e-14);
  }

  // Jordan block of three: exp(l t) (1, t, t^2 / 2).
  const double l = -0.7;
  const LinearSolution jordan(std::array{l, 1.0, 0.0, 0.0, l, 1.0, 0.0, 0.0, l}, std::array{0.0, 0.0, 1.0});
  EXPECT_FALSE(jordan.is_diagonalised());
  std::array<double, 3> y{};
  jordan.at(2.0, y);
  EXPECT_NEAR(y[0], 2.0 * std::exp(2.0 * l), 1e-14);
  EXPECT_NEAR(y[1], 2.0 * std::exp(2.0 * l), 1e-14);
  EXPECT_NEAR(y[2], std::exp(2.0 * l), 1e-14);
}

TEST(LinearSolution, NearlyDefectiveStaysAccurate) {
  // Eigenvalues -1 and -1 - d: z0 = ((exp(-t) - exp(-(1 + d) t)) / d, ...).
  for (const double d : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9}) {
    const double second = -1.0 - d;
    const double gap = -1.0 - second;
    const LinearSolution solution(std::array{-1.0, 1.0, 0.0, second}, std::array{0.0, 1.0});
    std::array<double, 2> z{};
    solution.at(1.5, z);
    const double expected = -std::exp(-1.5) * std::expm1(-gap * 1.5) / gap;
    EXPECT_NEAR(z[0] / expected, 1.0, 1e-13) << d;
  }
}

TEST(LinearSolution, RepeatedEigenvaluesThatAreNotDefective) {
  const LinearSolution solution(std::array{-2.0, 0.0, 0.0, -2.0}, std::array{1.0, -3.0});
  EXPECT_TRUE(solution.is_diagonalised());
  std::array<double, 2> z{};
  solution.at(0.5, z);
  EXPECT_NEAR(z[0], std::exp(-1.0), 1e-16);
  EXPECT_NEAR(z[1], -3.0 * std::exp(-1.0), 4e-16);
}

TEST(LinearSolution, AgreesWithExpmOnRandomMatrices) {
  std::mt19937 generator(20240501);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  double worst = 0.0;
  for (std::size_t n : {1u, 2u, 3u, 4u, 6u, 8u}) {
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<double> a(n * n);
      std::vector<double> z0(n);
      for (double& value : a) value = entry(generator);
      for (double& value : z0) value = entry(generator);
      for (const double t : {0.1, 1.0, 5.0}) worst = std::max(worst, difference_from_expm(a, z0, t));
    }
  }
  EXPECT_LT(worst, 1e-14);
}

TEST(LinearSolution, TwoMassOscillatorAgreesWithExpm) {
  // Masses 1 and 10, springs 100 and 1e5, dampers: the size and spread of the coupled benchmarks.
  const std::vector<double> a = {0, 1, 0, 0, -100.0 - 1e5, -2.0, 1e5,  1.0,  //
                                 0, 0, 0, 1, 1e4,          0.1,  -1e4, -0.1};
  for (const double t : {1e-3, 0.1, 1.0}) {
    EXPECT_LT(difference_from_expm(a, {1.0, 0.0, 0.0, 0.0}, t), 1e-13) << t;
  }
}

TEST(LinearSolution, RejectsWrongSizesAndValues) {
  const std::array<double, 1> z0 = {1.0};
  EXPECT_THROW(LinearSolution(std::array{1.0, 2.0}, z0), std::invalid_argument);
  EXPECT_THROW(LinearSolution(std::array{std::nan("")}, z0), std::invalid_argument);
  EXPECT_THROW(LinearSolution({}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace ergon::numerics

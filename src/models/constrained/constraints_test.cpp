#include "ergon/models/constrained/constraints.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

/// One constraint of each kind, between coordinates and between coordinates and fixed vectors, in space.
ConstraintSet every_kind() {
  const VectorOf p = VectorOf::coordinates(0);
  const VectorOf r = VectorOf::coordinates(3);
  const VectorOf u = VectorOf::coordinates(6);
  const VectorOf ground = VectorOf::fixed({0.3, -0.2, 0.7});
  ConstraintSet set(3);
  set.constant_length({p, ground}, 1.3);
  set.constant_length({p, r}, 0.8);
  set.unit_vector(u);
  set.perpendicular({p, r}, {u});
  set.perpendicular({r, ground}, {p, ground});
  set.coincidence(p, r);
  set.coincidence(r, ground);
  return set;
}

struct Sampled {
  ConstraintSet set = every_kind();
  Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(9, -0.9, 1.1).array().sin();
  Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(9, 2.0, -1.5).array().cos();

  [[nodiscard]] Eigen::VectorXd values(const Eigen::VectorXd& at) const {
    Eigen::VectorXd phi(set.rows());
    set.values(at, phi);
    return phi;
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const Eigen::VectorXd& at) const {
    Eigen::MatrixXd J(set.rows(), 9);
    set.jacobian(at, J);
    return J;
  }
};

TEST(Constraints, ValuesAreWhatTheirNamesSay) {
  const Sampled x;
  const Eigen::Vector3d p = x.q.head<3>(), r = x.q.segment<3>(3), u = x.q.tail<3>(), g(0.3, -0.2, 0.7);
  Eigen::VectorXd expected(11);
  expected << 0.5 * ((p - g).squaredNorm() - 1.69), 0.5 * ((p - r).squaredNorm() - 0.64),
      0.5 * (u.squaredNorm() - 1.0), (p - r).dot(u), (r - g).dot(p - g), p - r, r - g;
  ASSERT_EQ(x.set.rows(), 11);
  EXPECT_LT((x.values(x.q) - expected).norm(), 1e-15);
}

// Constraints are quadratic: central differences of any width are exact but for rounding.
TEST(Constraints, JacobianIsTheDerivative) {
  const Sampled x;
  const Eigen::MatrixXd J = x.jacobian(x.q);
  for (Eigen::Index j = 0; j < 9; ++j) {
    const Eigen::VectorXd step = 0.1 * Eigen::VectorXd::Unit(9, j);
    EXPECT_LT((J.col(j) - (x.values(x.q + step) - x.values(x.q - step)) / 0.2).norm(), 1e-14) << j;
  }
}

// Along q + v t: Φ̈ = Φ̇_q q̇, since q̈ = 0.
TEST(Constraints, VelocityTermsAreTheSecondDerivativeAlongStraightMotion) {
  const Sampled x;
  Eigen::VectorXd terms(x.set.rows());
  x.set.velocity_terms(x.v, terms);
  const Eigen::VectorXd second = x.values(x.q + x.v) - 2.0 * x.values(x.q) + x.values(x.q - x.v);
  EXPECT_LT((terms - second).norm(), 1e-14);
}

TEST(Constraints, CurvatureIsTheDerivativeOfTheJacobian) {
  const Sampled x;
  const Eigen::VectorXd sigma = Eigen::VectorXd::LinSpaced(x.set.rows(), -1.0, 2.0);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(9, 9);
  x.set.add_curvature(sigma, K);
  for (Eigen::Index j = 0; j < 9; ++j) {
    const Eigen::VectorXd step = 0.1 * Eigen::VectorXd::Unit(9, j);
    const Eigen::VectorXd column =
        (x.jacobian(x.q + step) - x.jacobian(x.q - step)).transpose() * sigma / 0.2;
    EXPECT_LT((K.col(j) - column).norm(), 1e-14) << j;
  }
}

}  // namespace
}  // namespace ergon

#include "ergon/models/cable/ancf_element.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace ergon {
namespace {

using Coordinates = AncfElement::Coordinates;

constexpr double element_L = 1.6;
constexpr double EA = 2.5e4;
constexpr double EI = 300.0;  // of some weight against EA, so that neither hides the other

/// Stretched, bent out of any plane.
Coordinates deformed() {
  Coordinates e;
  e << 0.1, -0.2, 0.3, 0.9, 0.3, -0.2, 1.5, 0.4, 0.2, 1.0, -0.4, 0.3;
  return e;
}

Coordinates forces_on(const AncfElement& element, const Coordinates& e) {
  Coordinates f = Coordinates::Zero();
  element.subtract_strain_forces(e, f);
  return f;
}

TEST(AncfElement, ForcesAreTheDerivativeOfTheStrainEnergy) {
  for (const auto& [axial, bending] : {std::pair{EA, EI}, std::pair{EA, 0.0}, std::pair{0.0, EI}}) {
    const AncfElement element(element_L, axial, bending);
    const Coordinates e = deformed();
    const Coordinates f = forces_on(element, e);
    constexpr double d = 1e-3;  // differences of fourth order
    for (Eigen::Index i = 0; i < 4; ++i) {
      for (Eigen::Index j = 0; j < 3; ++j) {
        const auto energy = [&](double move) {
          Coordinates moved = e;
          moved(i, j) += move;
          return element.strain_energy_J(moved);
        };
        const double slope =
            (8.0 * (energy(d) - energy(-d)) - (energy(2.0 * d) - energy(-2.0 * d))) / (12.0 * d);
        EXPECT_NEAR(f(i, j), -slope, 1e-8 * f.norm()) << i << ' ' << j;
      }
    }
  }
}

TEST(AncfElement, RigidMotionGivesNoForceAndTurnsForces) {
  const AncfElement element(element_L, EA, EI);
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(1.1, Eigen::Vector3d(1.0, -2.0, 0.5).normalized()).toRotationMatrix();
  const auto moved = [&](const Coordinates& e) {
    Coordinates result = e * turn.transpose();
    result.row(0) += Eigen::RowVector3d(3.0, -1.0, 2.0);
    result.row(2) += Eigen::RowVector3d(3.0, -1.0, 2.0);
    return result;
  };
  Coordinates relaxed = Coordinates::Zero();
  relaxed(1, 0) = relaxed(3, 0) = 1.0;
  relaxed(2, 0) = element_L;
  EXPECT_LT(forces_on(element, moved(relaxed)).norm(), 1e-10 * EA);
  EXPECT_LT(element.strain_energy_J(moved(relaxed)), 1e-20 * EA);
  const Coordinates f = forces_on(element, deformed());
  EXPECT_LT((forces_on(element, moved(deformed())) - f * turn.transpose()).norm(), 1e-12 * f.norm());
}

// Evenly stretched by λ: Green's strain ε = ½(λ² − 1), force EA ε λ, for small strains EA(λ − 1); slopes are in balance.
TEST(AncfElement, AStretchedStraightElementPullsWithEaTimesStrain) {
  const AncfElement element(element_L, EA, EI);
  for (const double stretch : {0.001, 0.2, -0.1}) {
    const double lambda = 1.0 + stretch;
    Coordinates e = Coordinates::Zero();
    e(1, 0) = e(3, 0) = lambda;
    e(2, 0) = element_L * lambda;
    const Coordinates f = forces_on(element, e);
    const double strain = 0.5 * (lambda * lambda - 1.0);
    EXPECT_NEAR(f(0, 0), EA * strain * lambda, 1e-12 * EA);
    EXPECT_NEAR(f(2, 0), -EA * strain * lambda, 1e-12 * EA);
    EXPECT_LT(f.row(1).norm() + f.row(3).norm(), 1e-11 * EA);
    EXPECT_NEAR(element.strain_energy_J(e), 0.5 * EA * strain * strain * element_L, 1e-12 * EA);
  }
}

// A piece of a circle of radius R, inextensible: ½ EI L/R² from bending. The cubic misses the circle in fourth order.
TEST(AncfElement, ABentElementStoresHalfEiTimesCurvatureSquared) {
  const AncfElement element(element_L, 0.0, EI);
  for (const double R : {20.0, 40.0}) {
    const double angle = element_L / R;
    Coordinates e = Coordinates::Zero();
    e.row(1) << 1.0, 0.0, 0.0;
    e.row(2) << R * std::sin(angle), R * (1.0 - std::cos(angle)), 0.0;
    e.row(3) << std::cos(angle), std::sin(angle), 0.0;
    const double exact = 0.5 * EI * element_L / (R * R);
    EXPECT_NEAR(element.strain_energy_J(e), exact, 0.1 * std::pow(angle, 2) * exact);
  }
}

// (A.7) against ∫SᵀS dx, by Simpson's rule of many intervals.
TEST(AncfElement, MassAndLoadAreTheIntegralsOfTheShapeFunctions) {
  Eigen::Matrix4d M = Eigen::Matrix4d::Zero();
  Eigen::Vector4d load = Eigen::Vector4d::Zero();
  constexpr int n = 400;
  for (int i = 0; i <= n; ++i) {
    const double x = static_cast<double>(i) / n;
    const Eigen::Vector4d S(1 - 3 * x * x + 2 * x * x * x, element_L * (x - 2 * x * x + x * x * x),
                            3 * x * x - 2 * x * x * x, element_L * (-x * x + x * x * x));
    const double weight = element_L / n / 3.0 * (i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
    M += weight * S * S.transpose();
    load += weight * S;
  }
  EXPECT_LT((AncfElement::mass_per_density(element_L) - M).norm(), 1e-9);
  EXPECT_LT((AncfElement::load_per_length(element_L) - load).norm(), 1e-9);
}

}  // namespace
}  // namespace ergon

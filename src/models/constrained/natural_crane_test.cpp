#include "ergon/models/constrained/natural_crane.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

const Values moving = {{"theta1", 0.8}, {"theta2", -1.0}, {"omega1", 0.5}, {"omega2", -1.0}};

// Two independent formulations of one crane: accelerations of Q and P from the angles', and from the Lagrangian.
TEST(NaturalCrane, AcceleratesAsInMinimalCoordinates) {
  const double l1 = 1.0, l2 = 0.5;
  const auto minimal = make_model("multibody.planar_crane", {}, moving);
  for (const char* method : {"semi-implicit-euler", "newmark"}) {
    const auto natural = make_model("multibody.natural_crane", {}, moving, {.method = method});
    for (const double force : {0.0, 9e3}) {
      double angles[4], points[8];
      ASSERT_TRUE(minimal->state_derivative()->derivative(0.0, &force, angles));
      ASSERT_TRUE(natural->state_derivative()->derivative(0.0, &force, points));
      const auto end = [](double length, double angle, double rate, double acceleration) {
        return std::pair{length * (-std::sin(angle) * acceleration - std::cos(angle) * rate * rate),
                         length * (std::cos(angle) * acceleration - std::sin(angle) * rate * rate)};
      };
      const auto q = end(l1, 0.8, 0.5, angles[2]);
      const auto p = end(l2, -1.0, -1.0, angles[3]);
      EXPECT_NEAR(points[4], q.first, 1e-8) << method;
      EXPECT_NEAR(points[5], q.second, 1e-8) << method;
      EXPECT_NEAR(points[6], q.first + p.first, 1e-8) << method;
      EXPECT_NEAR(points[7], q.second + p.second, 1e-8) << method;
    }
  }
}

// Off its constraints nothing is at rest: a link that is ε too long is called back with Φ̈ = −ω²Φ, Φ = ε l + ε²/2.
TEST(NaturalCrane, IsNotAtRestWhereItsConstraintsAreViolated) {
  constexpr double l2 = 0.5, too_long = 1e-3;
  for (const auto& [method, omega] : {std::pair{"semi-implicit-euler", 100.0}, std::pair{"newmark", 10.0}}) {
    const auto crane = make_model("multibody.natural_crane", {{"gravity", 0.0}},
                                  {{"theta1", 0.8}, {"theta2", -0.5 * M_PI}}, {.method = method});
    double z[8], z_dot[8];
    crane->state_derivative()->states(z);
    z[3] -= too_long;
    crane->state_derivative()->set_states(z);
    const double force = 0.0;
    ASSERT_TRUE(crane->state_derivative()->derivative(0.0, &force, z_dot));
    // Φ̈ = (P − Q)·(P̈ − Q̈), P − Q = (0, −(l₂ + ε))
    const double phi = too_long * l2 + 0.5 * too_long * too_long;
    EXPECT_NEAR(-(l2 + too_long) * (z_dot[7] - z_dot[5]), -omega * omega * phi, 1e-9) << method;
  }
}

TEST(NaturalCrane, HasTheSameEnergyLengthAndRate) {
  const auto minimal = make_model("multibody.planar_crane", {}, moving);
  const auto natural = make_model("multibody.natural_crane", {}, moving);
  const std::vector<double> u = {0.0};
  EXPECT_NEAR(account_of(*natural, u).stored_J, account_of(*minimal, u).stored_J, 1e-9);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(outputs(*natural, u)[i], outputs(*minimal, u)[i], 1e-14) << i;
}

}  // namespace
}  // namespace ergon

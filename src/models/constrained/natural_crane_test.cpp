#include "models/constrained/natural_crane.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/test_support.hpp"

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

TEST(NaturalCrane, HasTheSameEnergyLengthAndRate) {
  const auto minimal = make_model("multibody.planar_crane", {}, moving);
  const auto natural = make_model("multibody.natural_crane", {}, moving);
  const std::vector<double> u = {0.0};
  EXPECT_NEAR(natural->energy_account()->energy(0.0, u.data()).stored_J,
              minimal->energy_account()->energy(0.0, u.data()).stored_J, 1e-9);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(outputs(*natural, u)[i], outputs(*minimal, u)[i], 1e-14) << i;
}

}  // namespace
}  // namespace ergon

// Kinetic energy, mass and momentum in the accounts of models, against formulas.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ergon/models/cable/cable.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using List = std::vector<double>;

AccountSample at_start(const std::string& model, const Values& parameters, const Values& initial,
                       std::size_t inputs) {
  return account_of(*make_model(model, parameters, initial), List(inputs, 0.0));
}

void expect_momentum(const AccountSample& sample, double mass_kg, double x, double y = 0.0, double z = 0.0) {
  ASSERT_TRUE(sample.has_momentum);
  EXPECT_NEAR(sample.momentum.mass_kg, mass_kg, 1e-14 * mass_kg);
  const auto& p = sample.momentum.momentum_kg_m_s;
  EXPECT_NEAR(p[0], x, 1e-13);
  EXPECT_NEAR(p[1], y, 1e-13);
  EXPECT_NEAR(p[2], z, 1e-13);
}

TEST(Accounts, MassesMoveAlongOneLine) {
  const auto one = at_start("oscillator.mass", {{"m", 3.0}, {"k", 7.0}}, {{"x", 0.5}, {"v", -2.0}}, 2);
  EXPECT_DOUBLE_EQ(one.kinetic_J, 6.0);
  EXPECT_DOUBLE_EQ(one.synchronised_J - one.kinetic_J, 0.5 * 7.0 * 0.25);
  expect_momentum(one, 3.0, -6.0);
  const auto two = at_start("oscillator.chain", {{"m", List{1.0, 4.0}}}, {{"v", List{2.0, -3.0}}}, 2);
  EXPECT_DOUBLE_EQ(two.kinetic_J, 2.0 + 18.0);
  expect_momentum(two, 5.0, -10.0);
}

// In circuits it is the energy of the inductor, ½LI², whichever of the states the current is.
TEST(Accounts, InductorsCountAsKinetic) {
  const Values parts = {{"R", 3.0}, {"L", 0.5}, {"C", 0.02}};
  const auto series =
      at_start("electric.rlc_series", parts, {{"capacitor_voltage", 5.0}, {"current", 4.0}}, 2);
  EXPECT_DOUBLE_EQ(series.kinetic_J, 0.25 * 16.0);
  EXPECT_DOUBLE_EQ(series.stored_J, 0.25 * 16.0 + 0.01 * 25.0);
  const auto parallel =
      at_start("electric.rlc_parallel", parts, {{"voltage", 5.0}, {"inductor_current", 4.0}}, 2);
  EXPECT_DOUBLE_EQ(parallel.kinetic_J, 0.25 * 16.0);
  EXPECT_DOUBLE_EQ(parallel.stored_J, 0.25 * 16.0 + 0.01 * 25.0);
  EXPECT_FALSE(parallel.has_momentum);
  EXPECT_EQ(at_start("electric.rc_series", {}, {{"capacitor_voltage", 5.0}}, 2).kinetic_J, 0.0);
  EXPECT_EQ(at_start("hydraulics.cylinder", {}, {}, 3).kinetic_J, 0.0);
}

TEST(Accounts, BodiesTurnAndMoveAlong) {
  const auto body =
      at_start("multibody.rigid_body", {{"m", 2.0}, {"J", List{1.0, 2.0, 2.5}}},
               {{"velocity", List{1.0, -2.0, 3.0}}, {"angular_velocity", List{0.0, 4.0, 0.0}}}, 6);
  EXPECT_DOUBLE_EQ(body.kinetic_J, 14.0 + 16.0);
  expect_momentum(body, 2.0, 2.0, -4.0, 6.0);
  // Pinned at its start: ½(J + ms²)ω², and the centre goes along −x where the link points up.
  const auto link =
      at_start("multibody.planar_link", {{"m", 2.0}, {"J", 0.5}, {"length", 3.0}, {"pinned", true}},
               {{"phi", 0.5 * M_PI}, {"omega", 2.0}}, 9);
  EXPECT_DOUBLE_EQ(link.kinetic_J, 0.5 * (0.5 + 2.0 * 2.25) * 4.0);
  expect_momentum(link, 2.0, -2.0 * 1.5 * 2.0);
}

// Two formulations of one crane, in angles and in points.
TEST(Accounts, BothCranesMoveAlike) {
  const Values moving = {{"theta1", 0.7}, {"theta2", -0.4}, {"omega1", 0.3}, {"omega2", -1.1}};
  const auto minimal = at_start("multibody.planar_crane", {}, moving, 1);
  const auto natural = at_start("multibody.natural_crane", {}, moving, 1);
  EXPECT_NEAR(minimal.kinetic_J, natural.kinetic_J, 1e-12 * natural.kinetic_J);
  const auto& p = natural.momentum.momentum_kg_m_s;
  EXPECT_GT(std::hypot(p[0], p[1]), 10.0);
  expect_momentum(minimal, natural.momentum.mass_kg, p[0], p[1], p[2]);
  EXPECT_EQ(natural.momentum.mass_kg, 550.0);
}

TEST(Accounts, ConstrainedModelsKnowTheirMass) {
  const auto pendulum =
      at_start("multibody.pendulum", {{"m", 2.0}, {"length", 1.5}}, {{"phi", 0.0}, {"omega", 2.0}}, 2);
  EXPECT_DOUBLE_EQ(pendulum.kinetic_J, 9.0);
  expect_momentum(pendulum, 2.0, 0.0, 6.0);
  // A rod of 8 kg about its end: ½·(mL²/3)·(1 + w²/4L²)·ω², its centre with ½Lω.
  const auto rod =
      at_start("multibody.rod", {{"length", 2.0}, {"width", 0.2}, {"density", 100.0}},
               {{"direction", List{1.0, 0.0, 0.0}}, {"angular_velocity", List{0.0, 0.0, 3.0}}}, 3);
  EXPECT_NEAR(rod.kinetic_J, 0.5 * 8.0 * 4.0 / 3.0 * (1.0 + 0.04 / 16.0) * 9.0, 1e-12);
  expect_momentum(rod, 8.0, 0.0, 24.0);
}

TEST(Accounts, ACableThatMovesAsAWholeHasAllItsMomentum) {
  CableParameters p;
  p.length_m = 3.0;
  p.radius_m = 0.1;
  p.density_kg_m3 = 50.0;
  const Cable cable(p);
  constexpr std::array velocity = {1.0, -2.0, 0.5};
  Cable::Nodes v = Cable::Nodes::Zero(cable.rows(), 3);
  for (Eigen::Index row = 0; row < cable.rows(); row += 2)
    v.row(row) << velocity[0], velocity[1], velocity[2];  // slopes stay
  const double mass_kg = 1.5 * M_PI;
  const Momentum momentum = cable.momentum(v);
  EXPECT_NEAR(momentum.mass_kg, mass_kg, 1e-13);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(momentum.momentum_kg_m_s[i], mass_kg * velocity[i], 1e-13) << i;
  EXPECT_NEAR(cable.kinetic_energy_J(v), 0.5 * mass_kg * 5.25, 1e-12);
}

// Velocities of a leapfrog are half a step behind: a free fall of 0.1 s in one step, m (v + ½ h a).
TEST(Accounts, KineticEnergyAndMomentumAreOfTheInstantOfThePositions) {
  const auto mass = make_model("oscillator.mass", {{"m", 2.0}});
  const List force = {3.0, 0.0};
  ASSERT_TRUE(step_held(*mass, 0.1, force).ok);
  const AccountSample sample = account_of(*mass, force);
  const double v = 0.1 * 1.5 + 0.05 * 1.5;
  EXPECT_NEAR(sample.kinetic_J, v * v, 1e-15);
  EXPECT_EQ(sample.kinetic_J, sample.synchronised_J);
  expect_momentum(sample, 2.0, 2.0 * v);
}

}  // namespace
}  // namespace ergon

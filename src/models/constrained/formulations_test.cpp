// Both formulations on a free pendulum, against the same pendulum in minimal coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ergon/models/constrained/constrained_subsystem.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

constexpr double pendulum_g = 9.81;
constexpr double pendulum_kg = 1.5;
constexpr double length_m = 2.0;
constexpr double start_phi = -0.3;  // close to the horizontal: a wide swing

IntegratorOptions by(const char* method, double step_s) {
  return {.method = method, .step_s = step_s};
}

std::unique_ptr<Subsystem> pendulum(const IntegratorOptions& integrator) {
  return make_model("multibody.pendulum", {{"m", pendulum_kg}, {"length", length_m}}, {{"phi", start_phi}},
                    integrator);
}

/// φ of the pendulum φ̈ = −(g/l) cos φ by the classical Runge-Kutta method: independent of everything tested here.
double minimal_coordinate_angle(double duration_s) {
  const auto acceleration = [](double phi) { return -pendulum_g / length_m * std::cos(phi); };
  double phi = start_phi;
  double omega = 0.0;
  constexpr double h = 1e-4;
  const long steps = std::lround(duration_s / h);
  for (long i = 0; i < steps; ++i) {
    const double v1 = omega, a1 = acceleration(phi);
    const double v2 = omega + h / 2 * a1, a2 = acceleration(phi + h / 2 * v1);
    const double v3 = omega + h / 2 * a2, a3 = acceleration(phi + h / 2 * v2);
    const double v4 = omega + h * a3, a4 = acceleration(phi + h * v3);
    phi += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    omega += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return phi;
}

struct Worst {
  double energy = 0.0;     // max |E − E₀|, relative to m g l/2
  double phi = 0.0;        // max |Φ|
  double phi_rate = 0.0;   // max |Φ̇|
  double end_error = 0.0;  // of the tip at the end, m
};

Worst swing(const char* method, double step_s, double duration_s) {
  const auto subsystem = pendulum(by(method, step_s));
  const auto& body = dynamic_cast<const ConstrainedSubsystem&>(*subsystem);
  const ConstraintSet& constraints = body.model().constraints();
  Eigen::VectorXd phi(constraints.rows());
  Eigen::MatrixXd J(constraints.rows(), 2);
  const std::vector<double> u = {0.0, 0.0};
  const double start_J = account_of(*subsystem, u).stored_J;
  Worst worst;
  const long steps = std::lround(duration_s / step_s);
  for (long i = 0; i < steps; ++i) {
    EXPECT_TRUE(step_held(*subsystem, step_s, u).ok);
    const double E = account_of(*subsystem, u).synchronised_J;
    constraints.values(body.q(), phi);
    constraints.jacobian(body.q(), J);
    worst.energy =
        std::max(worst.energy, std::abs(E - start_J) / (0.5 * pendulum_kg * pendulum_g * length_m));
    worst.phi = std::max(worst.phi, phi.lpNorm<Eigen::Infinity>());
    worst.phi_rate = std::max(worst.phi_rate, (J * body.v()).lpNorm<Eigen::Infinity>());
    const auto y = outputs(*subsystem, u);  // that of the model come first: position, velocity, length_error
    EXPECT_EQ(y.at(5), phi.lpNorm<Eigen::Infinity>());
    EXPECT_EQ(y.at(6), (J * body.v()).lpNorm<Eigen::Infinity>());
  }
  const double angle = minimal_coordinate_angle(duration_s);
  worst.end_error = (body.q() - length_m * Eigen::Vector2d(std::cos(angle), std::sin(angle))).norm();
  return worst;
}

TEST(Index3Lagrangian, MeetsTheConstraintsAndKeepsTheEnergyToOrderTwo) {
  const Worst coarse = swing("newmark", 2e-3, 10.0);
  const Worst fine = swing("newmark", 1e-3, 10.0);
  for (const Worst& worst : {coarse, fine}) {
    EXPECT_LE(worst.phi, 1e-9);
    EXPECT_LE(worst.phi_rate, 1e-9);
  }
  EXPECT_LE(fine.energy, 1e-4);
  EXPECT_NEAR(std::log2(coarse.energy / fine.energy), 2.0, 0.1);
  EXPECT_LE(fine.end_error, 1e-2 * length_m);
  EXPECT_NEAR(std::log2(coarse.end_error / fine.end_error), 2.0, 0.1);
}

// The stabilised constraints are violated in proportion to the step.
TEST(AccelerationLagrangian, ViolationsAndErrorHalveWithTheStep) {
  const Worst coarse = swing("semi-implicit-euler", 1e-3, 10.0);
  const Worst fine = swing("semi-implicit-euler", 5e-4, 10.0);
  EXPECT_GT(coarse.phi, 1e-5);
  EXPECT_LT(coarse.phi, 1e-3 * length_m * length_m);
  EXPECT_NEAR(coarse.phi / fine.phi, 2.0, 0.2);
  EXPECT_NEAR(coarse.phi_rate / fine.phi_rate, 2.0, 0.2);
  EXPECT_NEAR(coarse.end_error / fine.end_error, 2.0, 0.2);
}

// The converged solutions do not depend on the penalty.
TEST(Formulations, ThePenaltyIsOfNoAccount) {
  for (const auto& [method, small, large] :
       {std::tuple{"semi-implicit-euler", 1e3, 1e9}, std::tuple{"newmark", 1e8, 1e10}}) {
    std::vector<double> ends;
    for (const double penalty : {small, large}) {
      const auto subsystem =
          make_model("multibody.pendulum", {{"penalty", penalty}}, {{"phi", 0.0}}, {.method = method});
      for (int i = 0; i < 500; ++i) EXPECT_TRUE(step_held(*subsystem, 1e-3, {0.3, 0.1}).ok);
      ends.push_back(outputs(*subsystem, {0.0, 0.0})[0]);
    }
    EXPECT_NEAR(ends[0], ends[1], 1e-8) << method;
  }
}

// At rest in the lowest position nothing but the constraint force m g acts, however heavy the mass and however short the rod:
// the acceleration is 0.
TEST(Formulations, ThePenaltyIsEnoughForHeavyMassesAndShortRods) {
  for (const double mass : {1.0, 5e3, 1e6, 1e9}) {
    for (const double length : {1e-3, 1.0, 1e3}) {
      const auto heavy =
          make_model("multibody.pendulum", {{"m", mass}, {"length", length}, {"constraint_omega", 1.0}}, {},
                     {.method = "semi-implicit-euler"});
      for (int i = 0; i < 10; ++i) {
        const StepStatus status = step_held(*heavy, 1e-3, {0.0, 0.0});
        ASSERT_TRUE(status.ok) << mass << " kg, " << length << " m: " << status.reason;
      }
      EXPECT_NEAR(outputs(*heavy, {0.0, 0.0})[1], -length, 1e-9 * length) << mass << " " << length;
    }
  }
}

// Steps so small that the penalty of 1e9 alone would hardly move a constraint within an iteration.
TEST(Index3Lagrangian, TakesSmallStepsInFewIterations) {
  const auto subsystem = pendulum({.method = "newmark"});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(step_held(*subsystem, 1e-6, {0.0, 0.0}).ok);
  EXPECT_LT(std::abs(outputs(*subsystem, {0.0, 0.0})[4]), 1e-10);
}

TEST(AccelerationLagrangian, RefusesStepsThatDriveTheConstraintsApart) {
  const auto subsystem = pendulum({.method = "semi-implicit-euler"});
  EXPECT_TRUE(step_held(*subsystem, 8.2e-3, {0.0, 0.0}).ok);  // ω h < 2(√2 − 1) = 0.828
  const StepStatus status = step_held(*subsystem, 8.3e-3, {0.0, 0.0});
  EXPECT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("smaller constraint_omega"), std::string::npos);
  const std::string text =
      refusal("multibody.pendulum", {}, {}, {.method = "semi-implicit-euler", .step_s = 8.3e-3});
  EXPECT_NE(text.find("must stay below 0.00828 s"), std::string::npos) << text;
}

// The bound is that of the linear recursion, for several damping ratios.
TEST(AccelerationLagrangian, LosesStabilityWhereTheRecursionDoes) {
  for (const double xi : {0.3, 1.0, 2.0}) {
    const auto amplitude = [&](double s) {  // |Φ| after 4000 steps of Φ̈ + 2ξωΦ̇ + ω²Φ = 0, s = ωh
      double x = 1.0, v = 0.0;
      for (int i = 0; i < 4000; ++i) {
        v -= 2.0 * xi * s * v + s * s * x;
        x += v;
      }
      return std::abs(x);
    };
    const double bound = 2.0 * (std::sqrt(xi * xi + 1.0) - xi);
    EXPECT_LT(amplitude(0.99 * bound), 1.0) << xi;
    EXPECT_GT(amplitude(1.01 * bound), 1.0) << xi;
  }
}

TEST(Formulations, AFailedStepLeavesTheStateAsItWas) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* method : {"semi-implicit-euler", "newmark"}) {
    const auto subsystem = pendulum({.method = method});
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(step_held(*subsystem, 1e-3, {0.0, 0.0}).ok);
    const auto before = state_row(*subsystem);
    EXPECT_FALSE(step_held(*subsystem, 1e-3, {nan, 0.0}).ok) << method;
    EXPECT_EQ(state_row(*subsystem), before) << method;
  }
}

TEST(Formulations, ParametersOfTheOtherFormulationAreRefused) {
  EXPECT_NE(refusal("multibody.pendulum", {{"constraint_omega", 50.0}}, {}, {.method = "newmark"})
                .find("'constraint_omega'"),
            std::string::npos);
  EXPECT_NE(refusal("multibody.rod", {{"start_acceleration", std::string("stored")}}).find("newmark only"),
            std::string::npos);
  const std::string text = refusal("multibody.pendulum", {}, {}, {.method = "rk4"});
  EXPECT_NE(text.find("Take semi-implicit-euler or newmark."), std::string::npos) << text;
}

TEST(Formulations, UnphysicalBodiesAreRefused) {
  EXPECT_NE(refusal("multibody.pendulum", {{"m", 0.0}}).find("'m'"), std::string::npos);
  EXPECT_NE(refusal("multibody.pendulum", {{"length", -1.0}}).find("'length'"), std::string::npos);
  EXPECT_NE(refusal("multibody.rod", {{"density", 0.0}}).find("'density'"), std::string::npos);
  EXPECT_NE(
      refusal("multibody.rod", {}, {{"direction", std::vector<double>{0.0, 0.0, 0.0}}}).find("'direction'"),
      std::string::npos);
  EXPECT_NE(refusal("multibody.rod", {{"pivot", std::vector<double>{0.0, 0.0}}}).find("x, y and z"),
            std::string::npos);
}

// A rod that swings in a plane is a physical pendulum: (m/3)(L² + w²/4) φ̈ = −m g (L/2) cos φ. Around its own
// axis it turns at a constant rate where nothing else moves it.
TEST(Rod, SwingsAsAPhysicalPendulum) {
  constexpr double L = 1.2, w = 0.4;
  const auto rod = make_model("multibody.rod", {{"length", L}, {"width", w}, {"density", 700.0}},
                              {{"direction", std::vector<double>{std::cos(-0.4), std::sin(-0.4), 0.0}}},
                              {.method = "newmark"});
  double phi = -0.4, omega = 0.0;
  constexpr double h = 1e-3;
  const auto acceleration = [](double angle) {
    return -pendulum_g * (L / 2) * std::cos(angle) / ((L * L + w * w / 4) / 3.0);
  };
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(step_held(*rod, h, {0.0, 0.0, 0.0}).ok);
    for (int k = 0; k < 10; ++k) {  // leapfrog with a tenth of the step, from the middle of a step
      omega += h / 10 * (i + k == 0 ? 0.5 : 1.0) * acceleration(phi);
      phi += h / 10 * omega;
    }
  }
  const auto y = outputs(*rod, {0.0, 0.0, 0.0});
  EXPECT_NEAR(y[0], L * std::cos(phi), 1e-5);
  EXPECT_NEAR(y[1], L * std::sin(phi), 1e-5);
  EXPECT_NEAR(y[2], 0.0, 1e-12);
}

TEST(Rod, KeepsItsTurningAboutItsOwnAxis) {
  const auto rod = make_model("multibody.rod", {{"gravity", std::vector<double>{0.0, 0.0, 0.0}}},
                              {{"direction", std::vector<double>{0.0, -1.0, 0.0}},
                               {"angular_velocity", std::vector<double>{0.0, 2.0, 0.0}}},
                              {.method = "newmark"});
  const auto before = outputs(*rod, {0.0, 0.0, 0.0});
  constexpr double h = 1e-3;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(step_held(*rod, h, {0.0, 0.0, 0.0}).ok);
  const auto after = outputs(*rod, {0.0, 0.0, 0.0});
  // The rod hangs along −y; its normals have turned by 2 rad about y.
  const double cosine = before[6] * after[6] + before[7] * after[7] + before[8] * after[8];
  EXPECT_NEAR(cosine, std::cos(2.0), 1e-6);
  EXPECT_NEAR(after[1], -1.0, 1e-12);
}

// With the stored acceleration a force that jumps acts as the mean of the old and the new one over the first step.
TEST(Rod, WithTheStoredAccelerationANewForceActsAtTheEndOfTheStep) {
  constexpr double h = 1e-3;
  constexpr double force_N = 10.0;
  const auto speed_after_jump = [&](const char* start) {
    const auto rod = make_model(
        "multibody.rod",
        {{"start_acceleration", std::string(start)}, {"gravity", std::vector<double>{0.0, 0.0, 0.0}}},
        {{"direction", std::vector<double>{0.0, -1.0, 0.0}}}, {.method = "newmark"});
    EXPECT_TRUE(step_held(*rod, h, {0.0, 0.0, 0.0}).ok);
    EXPECT_TRUE(step_held(*rod, h, {force_N, 0.0, 0.0}).ok);
    return outputs(*rod, {0.0, 0.0, 0.0})[3];
  };
  // At the end of the rod a force meets m/3 (1 + w²/(4L²)).
  const double whole = h * force_N / (10.0 / 3.0 * (1.0 + 0.01 / 4.0));
  EXPECT_NEAR(speed_after_jump("fresh"), whole, 1e-6 * whole);
  EXPECT_NEAR(speed_after_jump("stored"), 0.5 * whole, 1e-6 * whole);
}

// The coupling force pulls both ends together where the spring is stretched; energy is ½ k_c (s − s₀)².
TEST(Pendulum, HoldsItsCouplingSpring) {
  const Values spring = {{"kc", 6.0}, {"cc", 2.0}, {"rest", 1.0}, {"length", 2.0}};
  const auto pendulum = make_model("multibody.pendulum_force_output", spring, {{"phi", 0.0}, {"omega", 0.5}});
  const std::vector<double> u = {2.0, 3.0, 0.0, -4.0, 0.0, 0.0};  // 3 m above the tip, coming down
  const auto y = outputs(*pendulum, u);
  // Tip (2, 0) with velocity (0, 1); ṡ = e·(v − ξ̇) with e = (0, −1): −(1 + 4) = −5.
  EXPECT_NEAR(y[4], 0.0, 1e-14);
  EXPECT_NEAR(y[5], -(6.0 * 2.0 + 2.0 * -5.0), 1e-13);
  const std::vector<double> relaxed = {2.0, 1.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_NEAR(account_of(*pendulum, u).stored_J - account_of(*pendulum, relaxed).stored_J, 12.0, 1e-12);
}

}  // namespace
}  // namespace ergon

// Tanks, pipes, accumulators, orifices and pumps against closed solutions.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

const IntegratorOptions accurate_flow{.method = "rk4", .step_s = 1e-3};

TEST(Reservoir, ATankIsAsHighAsWhatFlewIn) {
  const auto tank =
      make_model("hydraulics.tank", {{"area", 2.0}, {"ports", 2.0}}, {{"volume", 1.0}}, accurate_flow);
  ASSERT_TRUE(step_held(*tank, 5.0, {0.3, -0.1}).ok);
  const auto y = outputs(*tank, {0.3, -0.1});
  EXPECT_NEAR(y[1], 2.0, 1e-12);
  EXPECT_NEAR(y[2], 1.0, 1e-12);
  EXPECT_NEAR(y[0], 9806.65, 1e-8);
  // Lifted by half of its height: ρ g V h/2.
  EXPECT_NEAR(account_of(*tank, {0.3, -0.1}).stored_J, 9806.65, 1e-6);
  EXPECT_FALSE(step_held(*tank, 100.0, {-1.0, 0.0}).ok);
}

// Isothermal: ∫ p dV = p₀ V₀ ln(V₀/(V₀ − V)) − p_atm V; polytropic: numerically.
TEST(Reservoir, AnAccumulatorPressesItsGas) {
  const auto slow =
      make_model("hydraulics.accumulator", {{"gas_volume", 1e-3}, {"precharge", 2e6}, {"exponent", 1.0}},
                 {{"volume", 0.0}}, accurate_flow);
  EXPECT_NEAR(outputs(*slow, {0.0})[0], 2e6 - 101325.0, 1e-6);
  ASSERT_TRUE(step_held(*slow, 1.0, {5e-4}).ok);
  EXPECT_NEAR(outputs(*slow, {0.0})[0], 4e6 - 101325.0, 1e-3);
  EXPECT_NEAR(account_of(*slow, {0.0}).stored_J, 2e3 * std::log(2.0) - 101325.0 * 5e-4, 1e-6);
  const auto fast = make_model("hydraulics.accumulator", {{"gas_volume", 1e-3}, {"precharge", 2e6}},
                               {{"volume", 0.0}}, accurate_flow);
  ASSERT_TRUE(step_held(*fast, 1.0, {5e-4}).ok);
  EXPECT_NEAR(outputs(*fast, {0.0})[0], 2e6 * std::pow(2.0, 1.4) - 101325.0, 1e-3);
  double work = 0.0;
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i)
    work += 5e-4 / n * (2e6 * std::pow(1e-3 / (1e-3 - 5e-4 * (i + 0.5) / n), 1.4) - 101325.0);
  EXPECT_NEAR(account_of(*fast, {0.0}).stored_J, work, 1e-5);
  EXPECT_NE(refusal("hydraulics.accumulator", {}, {{"volume", 2e-3}}).find("no room"), std::string::npos);
}

// Poiseuille: Δp = 128 η l Q/(π d⁴), reached with the time constant ρ l/(A r).
TEST(Pipe, FlowsAsPoiseuilleSays) {
  const double d = 0.01, l = 2.0, eta = 0.1, rho = 900.0;
  const auto pipe =
      make_model("hydraulics.pipe", {{"length", l}, {"diameter", d}, {"density", rho}, {"viscosity", eta}},
                 {}, {.method = "rk4", .step_s = 1e-5});
  ASSERT_TRUE(step_held(*pipe, 0.02, {2e5, 1e5}).ok);
  const double area = std::numbers::pi * d * d / 4.0;
  const double r = 128.0 * eta * l / (std::numbers::pi * std::pow(d, 4));
  const double Q = 1e5 / r * (1.0 - std::exp(-0.02 * r * area / (rho * l)));
  const auto y = outputs(*pipe, {2e5, 1e5});
  EXPECT_NEAR(y[1], Q, 1e-10 * Q);
  EXPECT_EQ(y[0], -y[1]);
  const auto received = received_J(*pipe, {2e5, 1e5});
  EXPECT_NEAR(received[0] / received[1], -2.0, 1e-9);
}

// Darcy and Weisbach: Δp = f l/d ρ w²/2.
TEST(Pipe, IsTurbulentWhereItIsTold) {
  const double d = 0.05, l = 10.0, f = 0.02;
  const auto pipe = make_model("hydraulics.pipe",
                               {{"length", l}, {"diameter", d}, {"viscosity", 0.0}, {"friction_factor", f}},
                               {}, accurate_flow);
  ASSERT_TRUE(step_held(*pipe, 60.0, {1e4, 3e4}).ok);
  const double w = std::sqrt(2e4 / (f * l / d * 1000.0 / 2.0));
  EXPECT_NEAR(outputs(*pipe, {1e4, 3e4})[1], -w * std::numbers::pi * d * d / 4.0, 1e-9);
}

TEST(FlowOrifice, FlowsWithTheRootOfThePressure) {
  const auto hole =
      make_element("orifice", {{"area", 1e-4}, {"discharge", 0.6}, {"transition_pressure", 1.0}});
  const auto y = outputs(*hole, {2e5, 1e5, 1.0});
  EXPECT_NEAR(y[1], 0.6 * 1e-4 * std::sqrt(2.0 * 1e5 / 1000.0), 1e-12);
  EXPECT_EQ(y[0], -y[1]);
  EXPECT_NEAR(outputs(*hole, {1e5, 2e5, 0.5})[1], -0.5 * y[1], 1e-18);
  EXPECT_EQ(outputs(*hole, {1e5, 2e5, -0.5})[1], 0.0);
  const std::vector<double> u = {2e5, 1e5, 1.0};
  EXPECT_NEAR(hole->dissipation_W(u.data()), 1e5 * y[1], 1e-9);
}

// A tank of 2 m² that empties through a hole of 1 cm² into another: √h falls linearly (Torricelli).
TEST(FlowOrifice, EmptiesATankAsTorricelliSays) {
  const auto hole =
      make_element("orifice", {{"area", 1e-3}, {"discharge", 1.0}, {"transition_pressure", 1e-3}});
  const auto tank = make_model("hydraulics.tank", {{"area", 0.2}}, {{"volume", 0.2}}, accurate_flow);
  constexpr double h = 1e-2;
  for (int i = 0; i < 3000; ++i) {  // Heun's method
    const double p = outputs(*tank, {0.0})[0];
    const double first = outputs(*hole, {p, 0.0, 1.0})[0];
    const double second = outputs(*hole, {p + 9806.65 / 0.2 * h * first, 0.0, 1.0})[0];
    ASSERT_TRUE(step_held(*tank, h, {0.5 * (first + second)}).ok);
  }
  const double root = 1.0 - 30.0 * 1e-3 / 0.2 * std::sqrt(9.80665 / 2.0);
  EXPECT_NEAR(outputs(*tank, {0.0})[2], root * root, 1e-6);
}

TEST(Pump, GivesToTheFluidWhatItTakesFromTheShaft) {
  const auto ideal = make_element("pump", {{"displacement", 2e-6}});
  const std::vector<double> u = {150.0, 1e5, 5e6};
  const auto y = outputs(*ideal, u);
  EXPECT_NEAR(y[0], -2e-6 * 4.9e6, 1e-12);
  EXPECT_NEAR(y[2], 3e-4, 1e-15);
  EXPECT_NEAR(y[0] * u[0] + y[1] * u[1] + y[2] * u[2], 0.0, 1e-9);
  const auto worn = make_element("pump", {{"displacement", 2e-6}, {"leakage", 1e-12}, {"friction", 1e-3}});
  const auto z = outputs(*worn, u);
  EXPECT_NEAR(z[2], 3e-4 - 4.9e-6, 1e-15);
  EXPECT_NEAR(-(z[0] * u[0] + z[1] * u[1] + z[2] * u[2]), worn->dissipation_W(u.data()), 1e-9);
  EXPECT_GT(worn->dissipation_W(u.data()), 0.0);
}

}  // namespace
}  // namespace ergon

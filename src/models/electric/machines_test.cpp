// Motor, branch, battery, switch and heater against closed solutions.
#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

const IntegratorOptions accurate_machine{.method = "rk4", .step_s = 1e-4};

// L İ + R I = V: I = V/R (1 − e^(−Rt/L)).
TEST(Branch, AnRlBranchTakesItsCurrentExponentially) {
  const auto rl = make_model("electric.rl_series", {{"R", 2.0}, {"L", 0.5}}, {}, accurate_machine);
  ASSERT_TRUE(step_held(*rl, 0.4, {10.0, 2.0}).ok);
  const double decay = std::exp(-0.4 * 2.0 / 0.5);
  const auto y = outputs(*rl, {10.0, 2.0});
  ASSERT_EQ(y.size(), 2U);
  EXPECT_NEAR(y[0], 6.0 * (1.0 - decay), 1e-10);
  EXPECT_NEAR(y[1], 12.0 * decay, 1e-9);
  const AccountSample energy = account_of(*rl, {10.0, 2.0});
  EXPECT_NEAR(energy.stored_J, 0.25 * y[0] * y[0], 1e-12);
  // ∫ R I² dt with τ = L/R: R I∞² (t − 2τ(1 − e) + τ/2 (1 − e²))
  const double tau = 0.25;
  EXPECT_NEAR(energy.dissipated_J,
              72.0 * (0.4 - 2.0 * tau * (1.0 - decay) + 0.5 * tau * (1.0 - decay * decay)), 1e-9);
}

// At rest: I = V/(R + R_p), V_C = R_p I. The eigenvalues of the two equations give the way there.
TEST(Branch, ALeakingCapacitorEndsAsADivider) {
  const auto branch = make_model("electric.branch", {{"R", 1.0}, {"L", 0.1}, {"C", 0.05}, {"R_leak", 4.0}},
                                 {}, accurate_machine);
  const double V = 10.0;
  const double t = 0.15;
  ASSERT_TRUE(step_held(*branch, t, {V, 0.0}).ok);
  // x = [I, V_C]: ẋ = A (x − x∞), A = [−R/L, −1/L; 1/C, −1/(R_p C)] = [−10, −10; 20, −5]
  const double a = -7.5, w = std::sqrt(200.0 - 6.25);  // eigenvalues a ± i w
  const double c = std::cos(w * t), s = std::sin(w * t) / w, e = std::exp(a * t);
  const double x0 = -2.0, x1 = -8.0;  // start − x∞ = −(V/5, 4V/5)
  const double current = 2.0 + e * (c * x0 + s * ((-10.0 - a) * x0 - 10.0 * x1));
  const double voltage = 8.0 + e * (c * x1 + s * (20.0 * x0 + (-5.0 - a) * x1));
  const auto y = outputs(*branch, {V, 0.0});
  EXPECT_NEAR(y[0], current, 1e-9);
  EXPECT_NEAR(y[2], voltage, 1e-9);
  EXPECT_NEAR(y[3], 0.05 * voltage, 1e-10);
}

// The general branch with a capacitor that does not leak is the circuit that was there before.
TEST(Branch, WithoutALeakItIsTheSeriesCircuit) {
  const Values circuit = {{"R", 0.4}, {"L", 0.5}, {"C", 0.02}};
  const Values start = {{"capacitor_voltage", 5.0}, {"current", 1.0}};
  const auto branch = make_model("electric.branch", circuit, start, accurate_machine);
  const auto rlc = make_model("electric.rlc_series", circuit, start, accurate_machine);
  ASSERT_TRUE(step_held(*branch, 0.8, {1.0, 0.5}).ok);
  ASSERT_TRUE(step_held(*rlc, 0.8, {1.0, 0.5}).ok);
  EXPECT_NEAR(outputs(*branch, {1.0, 0.5})[0], outputs(*rlc, {1.0, 0.5})[0], 1e-12);
  EXPECT_NEAR(outputs(*branch, {1.0, 0.5})[2], outputs(*rlc, {1.0, 0.5})[1], 1e-11);
}

// Stationary: I = (d V − k T)/(R d + k²), ω = (k V + R T)/(R d + k²) with a torque T on the shaft.
TEST(DcMotor, RunsUpToItsStationarySpeed) {
  const double R = 0.5, k = 0.3, d = 0.01, V = 24.0, T = -1.2;
  const auto motor =
      make_model("electric.dc_motor", {{"R", R}, {"L", 0.01}, {"k", k}, {"J", 0.005}, {"d", d}}, {},
                 {.method = "rk4", .step_s = 1e-3});
  ASSERT_TRUE(step_held(*motor, 5.0, {V, T, 0.0}).ok);
  const auto y = outputs(*motor, {V, T, 0.0});
  EXPECT_NEAR(y[2], (k * V + R * T) / (R * d + k * k), 1e-9);
  EXPECT_NEAR(y[0], (d * V - k * T) / (R * d + k * k), 1e-9);
  EXPECT_NEAR(y[3], 0.0, 1e-8);
  EXPECT_NEAR(y[4], k * y[0], 1e-12);
  EXPECT_NEAR(y[5], R * y[0] * y[0], 1e-12);
}

// Without friction and resistance: ω oscillates with k/√(LJ) about V/k, and the energy is what the terminals gave.
TEST(DcMotor, IsAGyratorThatLosesNothingByItself) {
  const double L = 0.02, k = 0.5, J = 0.05, V = 10.0, t = 0.37;
  const auto motor = make_model("electric.dc_motor", {{"R", 0.0}, {"L", L}, {"k", k}, {"J", J}, {"d", 0.0}},
                                {}, accurate_machine);
  ASSERT_TRUE(step_held(*motor, t, {V, 0.0, 0.0}).ok);
  const double w = k / std::sqrt(L * J);
  const auto y = outputs(*motor, {V, 0.0, 0.0});
  EXPECT_NEAR(y[2], V / k * (1.0 - std::cos(w * t)), 1e-9);
  EXPECT_NEAR(y[0], V / (L * w) * std::sin(w * t), 1e-9);
  EXPECT_NEAR(y[1], V / k * (t - std::sin(w * t) / w), 1e-9);
  const AccountSample energy = account_of(*motor, {V, 0.0, 0.0});
  EXPECT_EQ(energy.dissipated_J, 0.0);
  EXPECT_NEAR(energy.stored_J, received_J(*motor, {V, 0.0, 0.0})[0], 1e-10);
}

TEST(Battery, IsDischargedAlongItsCurve) {
  using List = std::vector<double>;
  const auto cell = make_model("electric.battery",
                               {{"capacity_Ah", 0.5},
                                {"soc", List{0.0, 0.2, 1.0}},
                                {"ocv", List{3.0, 3.6, 4.2}},
                                {"R", 0.1},
                                {"R1", 0.2},
                                {"C1", 50.0}},
                               {{"state_of_charge", 0.6}}, {.method = "rk4", .step_s = 0.05});
  ASSERT_TRUE(step_held(*cell, 30.0, {2.0}).ok);
  // Drawn: 60 As of 1800 As. Pair: τ = 10 s.
  const double charge = 0.6 - 60.0 / 1800.0;
  const double pair = 0.4 * (1.0 - std::exp(-3.0));
  const double open = 3.6 + 0.75 * (charge - 0.2);
  const auto y = outputs(*cell, {2.0});
  EXPECT_NEAR(y[1], charge, 1e-12);
  EXPECT_NEAR(y[2], open, 1e-12);
  EXPECT_NEAR(y[0], open - 0.2 - pair, 1e-9);
  EXPECT_NEAR(y[3], 0.4 + pair * pair / 0.2, 1e-9);
  // Without a current it recovers to its open-circuit voltage.
  ASSERT_TRUE(step_held(*cell, 200.0, {0.0}).ok);
  EXPECT_NEAR(outputs(*cell, {0.0})[0], open, 1e-6);
}

TEST(Battery, EndsARunWhereItIsEmptyAndRefusesCurvesThatAreNone) {
  const auto cell = make_model("electric.battery", {{"capacity_Ah", 1e-3}}, {}, accurate_machine);
  const StepStatus status = step_held(*cell, 10.0, {1.0});
  EXPECT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("empty"), std::string::npos);
  EXPECT_FALSE(step_held(*cell, 10.0, {-1.0}).ok);
  using List = std::vector<double>;
  EXPECT_NE(refusal("electric.battery", {{"soc", List{0.0, 0.5, 0.5}}, {"ocv", List{3.0, 3.1, 3.2}}})
                .find("does not increase"),
            std::string::npos);
  EXPECT_NE(refusal("electric.battery", {{"ocv", List{3.0, 3.1, 3.2}}}).find("'ocv' 3"), std::string::npos);
  EXPECT_NE(refusal("electric.battery", {}, {{"state_of_charge", 1.5}}).find("1.5"), std::string::npos);
}

TEST(IdealSwitch, PassesPowerOnAndKeepsNone) {
  const auto chopper = make_model("electric.switch", {}, {}, {.method = "rk4"});
  EXPECT_EQ(outputs(*chopper, {12.0, 3.0, 1.0}), (std::vector<double>{12.0, 3.0}));
  EXPECT_EQ(outputs(*chopper, {12.0, 3.0, 0.0}), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(outputs(*chopper, {12.0, 3.0, 0.25}), (std::vector<double>{3.0, 0.75}));
  EXPECT_EQ(outputs(*chopper, {12.0, 3.0, -0.5}), (std::vector<double>{0.0, 0.0}));
  ASSERT_TRUE(step_held(*chopper, 0.5, {12.0, 3.0, 0.25}).ok);
  const auto received = received_J(*chopper, {12.0, 3.0, 0.25});
  EXPECT_NEAR(received[0], 4.5, 1e-12);  // 0.25 · 12 V · 3 A · 0.5 s
  EXPECT_NEAR(received[1], -4.5, 1e-12);
  const auto bridge = make_model("electric.switch", {{"reversible", true}}, {}, {.method = "rk4"});
  EXPECT_EQ(outputs(*bridge, {12.0, 3.0, -0.5}), (std::vector<double>{-6.0, -1.5}));
}

TEST(Heater, TurnsItsPowerIntoHeat) {
  const auto heater = make_model(
      "electric.heater", {{"R", 2.0}, {"L", 0.01}, {"alpha", 1e-3}, {"T_ref", 300.0}}, {}, accurate_machine);
  ASSERT_TRUE(step_held(*heater, 1.0, {11.0, 400.0}).ok);
  const auto y = outputs(*heater, {11.0, 400.0});
  EXPECT_NEAR(y[0], 11.0 / 2.2, 1e-10);
  EXPECT_NEAR(y[2], 55.0, 1e-9);
  EXPECT_NEAR(y[1] * 400.0, y[2], 1e-12);
  const auto received = received_J(*heater, {11.0, 400.0});
  EXPECT_NEAR(received[0] + received[1], account_of(*heater, {11.0, 400.0}).stored_J, 1e-9);
  EXPECT_EQ(account_of(*heater, {11.0, 400.0}).dissipated_J, 0.0);
}

}  // namespace
}  // namespace ergon

#include "ergon/models/electric/circuits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

const IntegratorOptions accurate_circuit{.method = "rk4", .step_s = 1e-3};

TEST(Circuits, AStepOfVoltageChargesASeriesRcExponentially) {
  const auto rc = make_model("electric.rc_series", {{"R", 2.0}, {"C", 0.25}}, {}, accurate_circuit);
  ASSERT_TRUE(step_held(*rc, 0.7, {10.0, 0.0}).ok);
  const double decay = std::exp(-0.7 / 0.5);
  const auto y = outputs(*rc, {10.0, 0.0});
  EXPECT_NEAR(y[1], 10.0 * (1.0 - decay), 1e-9);
  EXPECT_NEAR(y[0], 5.0 * decay, 1e-9);
  const AccountSample energy = account_of(*rc, {10.0, 0.0});
  EXPECT_NEAR(energy.stored_J, 0.5 * 0.25 * y[1] * y[1], 1e-12);
  // ∫ R I² dt = (V²/R) (RC/2) (1 − e^(−2t/RC))
  EXPECT_NEAR(energy.dissipated_J, 50.0 * 0.25 * (1.0 - decay * decay), 1e-9);
}

TEST(Circuits, AParallelRcDischargesThroughItsResistorAndItsTerminals) {
  const auto rc =
      make_model("electric.rc_parallel", {{"R", 2.0}, {"C", 0.25}}, {{"voltage", 4.0}}, accurate_circuit);
  ASSERT_TRUE(step_held(*rc, 0.7, {1.0, 0.0}).ok);
  // The steady state of a current of 1 A drawn is −R·1 A.
  EXPECT_NEAR(outputs(*rc, {1.0, 0.0})[0], -2.0 + 6.0 * std::exp(-0.7 / 0.5), 1e-9);
}

/// ẍ + 2δẋ + ω₀²x = 0 with x(0) = x0, ẋ(0) = v0, underdamped.
struct Ringing {
  double delta, omega0, x0, v0;
  [[nodiscard]] double frequency() const { return std::sqrt(omega0 * omega0 - delta * delta); }
  [[nodiscard]] double x(double t) const {
    const double w = frequency();
    return std::exp(-delta * t) * (x0 * std::cos(w * t) + (v0 + delta * x0) / w * std::sin(w * t));
  }
  [[nodiscard]] double v(double t) const {
    const double w = frequency();
    return std::exp(-delta * t) *
           (v0 * std::cos(w * t) - (delta * v0 + omega0 * omega0 * x0) / w * std::sin(w * t));
  }
};

TEST(Circuits, ASeriesRlcRingsAsItsFormulaSays) {
  const double R = 0.4, L = 0.5, C = 0.02;
  const auto rlc = make_model("electric.rlc_series", {{"R", R}, {"L", L}, {"C", C}},
                              {{"capacitor_voltage", 5.0}, {"current", 1.0}}, accurate_circuit);
  ASSERT_TRUE(step_held(*rlc, 1.3, {0.0, 0.0}).ok);
  const Ringing exact{R / (2 * L), 1.0 / std::sqrt(L * C), C * 5.0, 1.0};
  const auto y = outputs(*rlc, {0.0, 0.0});
  EXPECT_NEAR(y[0], exact.v(1.3), 1e-9);
  EXPECT_NEAR(y[1], exact.x(1.3) / C, 1e-9);
  EXPECT_NEAR(y[2], exact.x(1.3), 1e-10);
  EXPECT_DOUBLE_EQ(account_of(*rlc, {0.0, 0.0}).stored_J, 0.5 * L * y[0] * y[0] + 0.5 / C * y[2] * y[2]);
}

TEST(Circuits, AParallelRlcIsTheDualOfASeriesOne) {
  const double R = 6.0, L = 0.5, C = 0.02;
  const auto rlc = make_model("electric.rlc_parallel", {{"R", R}, {"L", L}, {"C", C}},
                              {{"inductor_current", 2.0}, {"voltage", 3.0}}, accurate_circuit);
  ASSERT_TRUE(step_held(*rlc, 1.3, {0.0, 0.0}).ok);
  const Ringing exact{1.0 / (2 * R * C), 1.0 / std::sqrt(L * C), L * 2.0, 3.0};
  const auto y = outputs(*rlc, {0.0, 0.0});
  EXPECT_NEAR(y[0], exact.v(1.3), 1e-9);
  EXPECT_NEAR(y[1], exact.x(1.3) / L, 1e-9);
}

TEST(Circuits, VoltageTimesCurrentIsTheWorkBothSidesBook) {
  const auto series = make_model("electric.rlc_series", {{"R", 0.0}}, {{"current", 2.0}}, accurate_circuit);
  const auto parallel = make_model("electric.rlc_parallel", {}, {{"voltage", 3.0}}, accurate_circuit);
  ASSERT_TRUE(step_held(*series, 1e-6, {3.0, 0.0}).ok);
  ASSERT_TRUE(step_held(*parallel, 1e-6, {2.0, 0.0}).ok);
  EXPECT_NEAR(received_J(*series, {0.0, 0.0})[0], 6e-6, 1e-10);
  EXPECT_NEAR(received_J(*parallel, {0.0, 0.0})[0], -6e-6, 1e-10);
  EXPECT_TRUE(product_is_power(series->describe().inputs[0].unit, series->describe().outputs[0].unit));
}

TEST(Circuits, NothingIsWithoutCapacitance) {
  EXPECT_NE(refusal("electric.rc_series", {{"C", 0.0}}).find("must be greater than 0"), std::string::npos);
  EXPECT_NE(refusal("electric.rlc_parallel", {{"R", 0.0}}).find("must be greater than 0"), std::string::npos);
}

}  // namespace
}  // namespace ergon

#include "ergon/models/hydraulics/cylinder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

/// Index of each output.
enum Output { force, pressure_1, pressure_2, mass_1, mass_2, mass_flow_1, mass_flow_2, pump, tank, loss };

const IntegratorOptions accurate_cylinder{.method = "rk4", .step_s = 1e-5};
/// The cylinder of the crane.
const Values crane_valve = {{"valve_area", 5e-4}, {"s0", 0.5}};

TEST(Fluid, TheBulkModulusBelongsToTheDensity) {
  const Fluid oil;
  for (const double p : {0.0, 1e5, 4e6, 5e7}) {
    const double step = 1e3;
    const double slope = (oil.density_at_kg_m3(p + step) - oil.density_at_kg_m3(p - step)) / (2.0 * step);
    EXPECT_NEAR(oil.bulk_modulus_Pa(p), oil.density_at_kg_m3(p) / slope, 1e-6 * oil.bulk_modulus_Pa(p)) << p;
  }
  // [rodriguez2022, (28)] at 3.170846 MPa, by hand: 1.00205860/6.45453387e-10
  EXPECT_NEAR(oil.bulk_modulus_Pa(3.170846e6), 1.552488e9, 1e3);
}

// F against its integral by Simpson's rule, for all three forms of the closed expression.
TEST(Fluid, EnthalpyAndEnergyAreTheirIntegrals) {
  for (const Fluid& fluid :
       {Fluid{}, Fluid{1e-9, 1e-18, 800.0}, Fluid{2e-9, 1e-18, 800.0}, Fluid{1e-8, 0.0, 800.0}}) {
    const double p = 6e7;
    const int n = 200;
    double enthalpy = 0.0, energy = 0.0;
    for (int i = 0; i <= n; ++i) {
      const double weight = (i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * p / n / 3.0;
      const double x = p * i / n;
      enthalpy += weight / fluid.ratio(x);
      // Work of pressing one kilogram, ∫ x/ρ² dρ, times the density at p.
      energy += weight * x * fluid.compliance(x) / (fluid.ratio(x) * fluid.ratio(x)) * fluid.ratio(p);
    }
    EXPECT_NEAR(fluid.enthalpy_Pa(p), enthalpy, 1e-9 * enthalpy);
    EXPECT_NEAR(fluid.energy_density_J_m3(p), energy, 1e-8 * energy);
  }
}

TEST(Orifice, FollowsTheRootAndCrossesZeroSmoothly) {
  const Orifice orifice;
  EXPECT_NEAR(orifice.flow_per_area_m_s(4e6), 0.67 * std::sqrt(2.0 * 4e6 / 850.0), 1e-12);
  EXPECT_EQ(orifice.flow_per_area_m_s(0.0), 0.0);
  EXPECT_EQ(orifice.flow_per_area_m_s(-1e6), 0.0);
  EXPECT_TRUE(std::isnan(orifice.flow_per_area_m_s(std::nan(""))));
  // Value and slope agree where the root takes over, and at 0.
  const auto slope = [&](double p, double step) {
    return (orifice.flow_per_area_m_s(p + step) - orifice.flow_per_area_m_s(p)) / step;
  };
  const double at = orifice.transition_pressure_Pa;
  EXPECT_NEAR(slope(at, 1e-3) / slope(at, -1e-3), 1.0, 1e-5);
  EXPECT_LT(slope(0.0, 1e-3), 1e-5 * slope(at, 1e-3));
  for (double p = 0.0; p < 2.0 * at; p += 0.01 * at) EXPECT_GT(slope(p, 1e-6 * at), 0.0) << p;
}

// With s fixed and the valve open, pressures settle where inflow and outflow are equal:
//   γ² (p_P − p₁) = (1 − γ)² (p₁ − p_T)
TEST(Cylinder, PressuresSettleWhereTheValveBalances) {
  const double gamma = 0.4, pump_Pa = 7.6e6, tank_Pa = 1e5;
  const auto cylinder = make_model("hydraulics.cylinder", crane_valve, {}, accurate_cylinder);
  ASSERT_TRUE(step_held(*cylinder, 0.05, {0.5, 0.0, gamma}).ok);
  const auto y = outputs(*cylinder, {0.5, 0.0, gamma});
  const auto settled = [&](double to_pump) {
    const double in = to_pump * to_pump, out = (1.0 - to_pump) * (1.0 - to_pump);
    return (in * pump_Pa + out * tank_Pa) / (in + out);
  };
  EXPECT_NEAR(y[pressure_1], settled(gamma), 1e-3);
  EXPECT_NEAR(y[pressure_2], settled(1.0 - gamma), 1e-3);
  EXPECT_NEAR(y[force], 65e-4 * (y[pressure_2] - y[pressure_1]), 1e-6);
  // What the pump gives is lost in the valve, or goes to the tank.
  EXPECT_NEAR(y[pump], y[tank] + y[loss], 1e-9 * y[pump]);
}

// Chambers behind a valve that is as good as closed keep their mass: r(p) V is constant, whatever the path of the piston.
TEST(Cylinder, AClosedChamberIsPressedAsItsDensitySays) {
  const Values closed = {{"valve_area", 1e-30}, {"length", 0.4}};
  const auto cylinder =
      make_model("hydraulics.cylinder", closed, {{"p1", 2e6}, {"p2", 4e6}}, accurate_cylinder);
  const double speed = 2e-3, time = 0.2;  // 0.4 mm of 200 mm
  const double coefficients[] = {0.0, speed, 0.5, speed, 0.0, 0.0};
  ASSERT_TRUE(cylinder->step(0.0, time, InputView{coefficients, 3, 1}).ok);
  const auto y = outputs(*cylinder, {speed * time, speed, 0.5});
  const Fluid oil;
  EXPECT_NEAR(oil.ratio(y[pressure_1]) * (0.2 - speed * time), oil.ratio(2e6) * 0.2, 1e-13);
  EXPECT_NEAR(oil.ratio(y[pressure_2]) * (0.2 + speed * time), oil.ratio(4e6) * 0.2, 1e-13);
  EXPECT_NEAR(y[force], 65e-4 * (y[pressure_2] - y[pressure_1]) - 1e5 * speed, 1e-6);
}

// Mass in the chambers against ∫ inflow dt, by Simpson's rule over 0.1 s of a swing of piston and spool; and in the same way
// what the account says is dissipated against losses, pump and tank.
TEST(Cylinder, BalancesOfMassAndEnergyClose) {
  const auto cylinder = make_model("hydraulics.cylinder", {{"valve_area", 1e-4}, {"s0", 0.5}}, {},
                                   {.method = "cvode-bdf", .rtol = 1e-13, .atol = 1e-6});
  const double omega = 20.0, amplitude = 5e-3, h = 2e-5;
  const auto inputs = [&](double t) {
    return std::vector<double>{0.5 + amplitude * std::sin(omega * t), amplitude * omega * std::cos(omega * t),
                               0.5 + 0.2 * std::sin(35.0 * t)};
  };
  const auto start = outputs(*cylinder, inputs(0.0));
  double inflow[2] = {0.0, 0.0};
  double dissipated_J = 0.0;
  double supplied_J = 0.0;
  const auto leaves_W = [](const std::vector<double>& y) { return y[loss] + y[tank]; };
  auto before = start;
  for (int k = 0; k < 5000; k += 2) {
    std::vector<double> y[2];
    for (int half = 0; half < 2; ++half) {
      const double t = (k + half) * h;
      const auto u0 = inputs(t), middle = inputs(t + 0.5 * h), u1 = inputs(t + h);
      // The parabola through three points.
      std::vector<double> c(9);
      for (std::size_t i = 0; i < 3; ++i) {
        c[i] = u0[i];
        c[3 + i] = (4.0 * middle[i] - 3.0 * u0[i] - u1[i]) / h;
        c[6 + i] = 2.0 * (u0[i] - 2.0 * middle[i] + u1[i]) / (h * h);
      }
      ASSERT_TRUE(cylinder->step(t, h, InputView{c.data(), 3, 2}).ok);
      y[half] = outputs(*cylinder, u1);
    }
    for (int chamber = 0; chamber < 2; ++chamber) {
      const auto flow = static_cast<std::size_t>(mass_flow_1 + chamber);
      inflow[chamber] += h / 3.0 * (before[flow] + 4.0 * y[0][flow] + y[1][flow]);
    }
    dissipated_J += h / 3.0 * (leaves_W(before) + 4.0 * leaves_W(y[0]) + leaves_W(y[1]));
    supplied_J += h / 3.0 * (before[pump] + 4.0 * y[0][pump] + y[1][pump]);
    before = y[1];
  }
  EXPECT_GT(std::abs(inflow[0]), 1e-2);
  EXPECT_NEAR(before[mass_1] - start[mass_1], inflow[0], 1e-10 * start[mass_1]);
  EXPECT_NEAR(before[mass_2] - start[mass_2], inflow[1], 1e-10 * start[mass_2]);
  const auto u = inputs(0.1);
  EXPECT_GT(dissipated_J, 1.0);
  EXPECT_GT(supplied_J, 1.0);
  EXPECT_NEAR(account_of(*cylinder, u).dissipated_J, dissipated_J, 1e-6 * dissipated_J);
  EXPECT_NEAR(account_of(*cylinder, u).supplied_J, supplied_J, 1e-6 * supplied_J);
  EXPECT_NEAR(balance_J(*cylinder, u),
              balance_J(*make_model("hydraulics.cylinder", {{"valve_area", 1e-4}, {"s0", 0.5}}), inputs(0.0)),
              1e-6);
}

// Explicit Euler for the pressures: order 1, against the same cylinder integrated accurately.
TEST(Cylinder, ExplicitEulerConvergesWithOrderOne) {
  const std::vector<double> u = {0.51, 0.02, 0.45};
  const auto pressure_after = [&](const IntegratorOptions& integrator) {
    const auto cylinder = make_model("hydraulics.cylinder", crane_valve, {}, integrator);
    EXPECT_TRUE(step_held(*cylinder, 1e-3, u).ok);
    return outputs(*cylinder, u)[pressure_1];
  };
  const double exact = pressure_after({.method = "cvode-bdf", .rtol = 1e-12, .atol = 1e-4});
  double last = 0.0;
  for (const double step : {1e-5, 5e-6, 2.5e-6, 1.25e-6}) {
    const double error = std::abs(pressure_after({.method = "explicit-euler", .step_s = step}) - exact);
    if (last > 0.0) {
      EXPECT_NEAR(std::log2(last / error), 1.0, 0.15) << step;
    }
    last = error;
  }
}

TEST(Cylinder, TheSpoolStopsAtItsEnds) {
  const auto cylinder = make_model("hydraulics.cylinder", crane_valve);
  EXPECT_EQ(outputs(*cylinder, {0.5, 0.0, 1.7}), outputs(*cylinder, {0.5, 0.0, 1.0}));
  EXPECT_EQ(outputs(*cylinder, {0.5, 0.0, -0.1}), outputs(*cylinder, {0.5, 0.0, 0.0}));
}

// ── Where the model ends ────────────────────────────────────────────────────────────────────────────────────

std::string failure(const Values& parameters, const std::vector<double>& u,
                    const IntegratorOptions& integrator) {
  const auto cylinder = make_model("hydraulics.cylinder", parameters, {}, integrator);
  for (int i = 0; i < 1000; ++i) {
    const StepStatus status = step_held(*cylinder, 1e-4, u);
    if (!status.ok) return status.reason;
  }
  return "";
}

TEST(Cylinder, StopsAtTheLimitsOfItsEquations) {
  for (const char* method :
       {"explicit-euler", "semi-implicit-euler", "rk4", "newmark", "cvode-bdf", "arkode"}) {
    const IntegratorOptions integrator{.method = method};
    // The piston beyond its ends: l/2 = 0.221 m.
    EXPECT_NE(failure({}, {0.23, 0.0, 0.5}, integrator).find("chamber 1 has no length left"),
              std::string::npos)
        << method;
    EXPECT_NE(failure({}, {-0.221, 0.0, 0.5}, integrator).find("chamber 2 has no length left"),
              std::string::npos)
        << method;
    const std::string lost = failure({}, {std::nan(""), 0.0, 0.5}, integrator);
    EXPECT_NE(lost.find("or its position is not a number"), std::string::npos) << method << ": " << lost;
    // Pulled faster than the valve fills it.
    EXPECT_NE(failure({}, {0.0, 0.5, 0.5}, integrator).find("pressure of chamber 2 fell below 0"),
              std::string::npos)
        << method;
    // Pressed until a + 2 b p = 0, at 5 MPa. Chamber 1 is the shorter one: well before chamber 2 is empty.
    const std::string pressed =
        failure({{"a", 1e-9}, {"b", -1e-16}, {"pump_pressure", 4.5e6}}, {0.1, 0.1, 0.5}, integrator);
    EXPECT_NE(pressed.find("chamber 1 is beyond a + 2 b p = 0"), std::string::npos)
        << method << ": " << pressed;
  }
}

// With limits it goes on where it would end: chambers and pressures stop there, and the books tell what went.
TEST(Cylinder, GoesOnAtItsStops) {
  const Values stops = {{"shortest_chamber", 0.02}, {"highest_pressure", 1.5e8}};
  // Pressed at 0.5 m/s into a chamber of 0.22 m: β·0.5/0.22·0.1 s is far beyond the limit; the other is drawn empty.
  const auto pressed = make_model("hydraulics.cylinder", stops, {}, {.method = "explicit-euler"});
  const std::vector<double> in = {0.0, 0.5, 0.5};
  const double before_J = balance_J(*pressed, in);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(step_held(*pressed, 1e-4, in).ok);
  const auto y = outputs(*pressed, in);
  EXPECT_EQ(y[pressure_1], 1.5e8);
  EXPECT_EQ(y[pressure_2], 0.0);
  // Explicit Euler: its own error in the energy, of first order, is far below the 1.5e8 Pa · 65 cm² · 5 cm that were pressed in.
  EXPECT_NEAR(balance_J(*pressed, in), before_J, 0.01 * 1.5e8 * 65e-4 * 0.05);
  // Beyond the end of chamber 1, l/2 = 0.221 m: as long as the stop.
  const auto beyond = make_model("hydraulics.cylinder", stops);
  const std::vector<double> far = {0.3, 0.0, 0.5};
  ASSERT_TRUE(step_held(*beyond, 1e-4, far).ok);
  const auto there = outputs(*beyond, far);
  EXPECT_NEAR(there[mass_1], Fluid{}.density_at_kg_m3(there[pressure_1]) * 65e-4 * 0.02, 1e-12);
  EXPECT_NE(failure(stops, {std::nan(""), 0.0, 0.5}, {.method = "explicit-euler"}).find("not a number"),
            std::string::npos);
  EXPECT_NE(refusal("hydraulics.cylinder", {{"shortest_chamber", 0.3}}).find("leaves no way"),
            std::string::npos);
  EXPECT_NE(refusal("hydraulics.cylinder", {{"highest_pressure", 1e6}}).find("not above pump_pressure"),
            std::string::npos);
  EXPECT_NE(refusal("hydraulics.cylinder", {{"highest_pressure", 3e8}}).find("no bulk modulus"),
            std::string::npos);
}

TEST(Cylinder, UnphysicalParametersAreRefused) {
  for (const char* name :
       {"area_1", "area_2", "length", "valve_area", "discharge", "density", "transition_pressure"})
    EXPECT_NE(refusal("hydraulics.cylinder", {{name, 0.0}}).find("must be greater than 0"), std::string::npos)
        << name;
  EXPECT_NE(refusal("hydraulics.cylinder", {{"friction", -1.0}}).find("'friction'"), std::string::npos);
  EXPECT_NE(refusal("hydraulics.cylinder", {}, {{"p1", -1.0}}).find("'p1'"), std::string::npos);
  EXPECT_NE(refusal("hydraulics.cylinder", {{"pump_pressure", 1e5}}).find("is not above tank_pressure"),
            std::string::npos);
  const std::string thin = refusal("hydraulics.cylinder", {{"b", -1e-16}});
  EXPECT_NE(thin.find("no bulk modulus at pump_pressure = 7600000"), std::string::npos) << thin;
  EXPECT_NE(refusal("hydraulics.cylinder", {{"a", 0.0}, {"b", 0.0}}).find("no bulk modulus"),
            std::string::npos);
}

}  // namespace
}  // namespace ergon

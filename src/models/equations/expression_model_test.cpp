#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ergon/models/equations/equation_text.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

/// LIM's oscillator with forces at both masses [lim2021, (1), (2), case 2], as second-order equations.
constexpr const char* two_masses = R"(input f1 [N], f2 [N]
parameter m1 [kg] = 1, m2 [kg] = 1
parameter k1 [N/m] = 10, kc [N/m] = 100, k2 [N/m] = 1000
parameter c1 [N*s/m] = 0.01, cc [N*s/m] = 0.01, c2 [N*s/m] = 0.01
state x1 [m] = 0, x2 [m] = 0, x1' = 100, x2' = -100
m1*x1'' + (c1 + cc)*x1' - cc*x2' + (k1 + kc)*x1 - kc*x2 = f1
m2*x2'' - cc*x1' + (c2 + cc)*x2' - kc*x1 + (k2 + kc)*x2 = f2
output x1, x2, v1 = x1', v2 = x2'
energy stored = (m1*x1'^2 + m2*x2'^2 + k1*x1^2 + kc*(x1 - x2)^2 + k2*x2^2)/2
energy kinetic = (m1*x1'^2 + m2*x2'^2)/2
power dissipated = c1*x1'^2 + cc*(x1' - x2')^2 + c2*x2'^2
power f1 = f1*x1'
power f2 = f2*x2'
)";

using List = std::vector<double>;

std::unique_ptr<Subsystem> native_chain(const IntegratorOptions& integrator) {
  return make_model("oscillator.chain",
                    {{"m", List{1.0, 1.0}},
                     {"k", List{10.0, 1000.0}},
                     {"c", List{0.01, 0.01}},
                     {"kc", List{100.0}},
                     {"cc", List{0.01}}},
                    {{"x", List{0.0, 0.0}}, {"v", List{100.0, -100.0}}}, integrator);
}

// The same equations in another form: what differs is round-off, carried along by 1000 steps.
TEST(ExpressionModel, TwoMassesMoveAsTheNativeModelUnderEveryIntegrator) {
  for (const IntegratorInfo& info : integrators()) {
    const IntegratorOptions integrator{.method = info.name, .rtol = 1e-11, .atol = 1e-11};
    const auto native = native_chain(integrator);
    const auto formulas =
        make_model("equations.expression", {{"equations", std::string(two_masses)}}, {}, integrator);
    ASSERT_NE(formulas, nullptr);
    const std::vector<double> native_u(2, 0.0);  // a force on each mass
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(step_held(*native, 1e-3, native_u).ok);
      ASSERT_TRUE(step_held(*formulas, 1e-3, {0.0, 0.0}).ok);
    }
    const auto expected = state_row(*native);
    const auto row = state_row(*formulas);
    // [x1, x2, v1, v2]; tolerances of solvers with error control are met in different steps.
    const double tolerance = info.variable_step ? 1e-6 : 1e-10;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(row[i], expected[i], tolerance * (i < 2 ? 10.0 : 100.0)) << info.name;
  }
}

TEST(ExpressionModel, DerivativesOfFormulasAreSymbolic) {
  const auto model = make_model("equations.expression", {{"equations", std::string(two_masses)}});
  const DirectionalDerivatives& derivatives = *model->directional_derivatives();
  const std::vector<double> u = {0.3, -0.2};
  std::vector<double> rates(4), outputs(4);
  const auto along = [&](std::vector<double> state, std::vector<double> input) {
    derivatives.directional_derivative(0.0, u.data(), state.data(), input.data(), rates.data(),
                                       outputs.data());
  };
  // ∂ẍ/∂x = −M⁻¹K and so on, to the last bit.
  along({1.0, 0.0, 0.0, 0.0}, {0.0, 0.0});
  EXPECT_EQ(rates, (List{0.0, 0.0, -110.0, 100.0}));
  EXPECT_EQ(outputs, (List{1.0, 0.0, 0.0, 0.0}));
  along({0.0, 0.0, 0.0, 1.0}, {0.0, 1.0});
  EXPECT_EQ(rates, (List{0.0, 1.0, 0.01, 0.98}));
}

// x(t) = (1 − cos t)/2 …: forced by the time itself, ẍ = −x + 2 cos 2t has x = (2/3)(cos t − cos 2t) from rest.
TEST(ExpressionModel, TimeIsThatOfTheRunWithinStepsToo) {
  for (const char* method : {"rk4", "cvode-adams", "newmark"}) {
    const auto model = make_model(
        "equations.expression",
        {{"equations",
          std::string("state x = 0, v = 0\nx' = v\nv' = -x + 2*cos(2*time)\noutput x, late = time*v")}},
        {}, {.method = method, .step_s = 1e-3, .rtol = 1e-10, .atol = 1e-10});
    constexpr double h = 0.05;
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(model->step(i * h, h, InputView{nullptr, 0, 0}).ok);
    double y[2];
    model->outputs(3.0, nullptr, y);
    EXPECT_NEAR(y[0], 2.0 / 3.0 * (std::cos(3.0) - std::cos(6.0)), 3e-6) << method;
    EXPECT_NEAR(y[1], 3.0 * 2.0 / 3.0 * (-std::sin(3.0) + 2.0 * std::sin(6.0)), 3e-5) << method;
  }
}

TEST(ExpressionModel, QuantitiesAreConvertedAtTheBorder) {
  const auto model =
      make_model("equations.expression",
                 {{"equations", std::string("input T [degC] = 20\nparameter C [kJ/K] = 2, G [W/K] = 10\n"
                                            "state body [degC] = 80\nC*body' = G*(T - body)\n"
                                            "output temperature [degC] = body, flow [kW] = G*(T - body)")}},
                 {}, {.method = "rk4"});
  const auto y = outputs(*model, {20.0});
  EXPECT_NEAR(y[0], 80.0, 1e-12);
  EXPECT_NEAR(y[1], -0.6, 1e-12);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(step_held(*model, 1.0, {20.0}).ok);
  EXPECT_NEAR(outputs(*model, {20.0})[0], 20.0 + 60.0 * std::exp(-0.5), 1e-9);
  EXPECT_EQ(model->describe().outputs[1].unit.text, "kW");
}

TEST(ExpressionModel, ParametersAndStatesOfTheTextAreThoseOfTheModel) {
  const auto model =
      make_model("equations.expression", {{"equations", std::string(two_masses)}, {"k1", 30.0}},
                 {{"x1", 0.5}, {"der(x2)", 7.0}});
  const auto y = outputs(*model, {0.0, 0.0});
  EXPECT_EQ(y, (List{0.5, 0.0, 100.0, 7.0}));
  std::vector<double> rates(4);
  const double u[2] = {0.0, 0.0};
  model->state_derivative()->derivative(0.0, u, rates.data());
  EXPECT_NEAR(rates[2], -(30.0 + 100.0) * 0.5 - 0.02 * 100.0 + 0.01 * 7.0, 1e-12);
  EXPECT_NE(refusal("equations.expression", {{"equations", std::string(two_masses)}, {"k3", 1.0}})
                .find("has no 'k3'"),
            std::string::npos);
}

std::string why_not(const std::string& text) {
  return refusal("equations.expression", {{"equations", text}});
}

TEST(ExpressionModel, MistakesGetLineColumnAndCaret) {
  EXPECT_EQ(why_not("state x = 1\nx' = -k*x\noutput x\n"),
            "scenario.toml:7:3: error: 'tested': line 2, column 7 of 'equations': 'k' is not defined. "
            "Available: time, x, x'. The grammar is on docs/expressions.md.\n    x' = -k*x\n          ^\n");
  const std::pair<const char*, const char*> cases[] = {
      {"x' = 1", "line 1, column 1 of 'equations': There is no state."},
      {"state x\noutput x", "line 1, column 7 of 'equations': There is no equation for x'."},
      {"state x\nx' = 1", "There is no output."},
      {"state x [m]\nparameter k [N/m] = 1\nx' = k*x\noutput x",
       "line 3, column 4 of 'equations': The left side has the unit m/s, the right side kg*m/s^2."},
      {"state x, x\nx' = 1\noutput x", "line 1, column 10 of 'equations': 'x' is declared already."},
      {"state x'\nx'' = 1\noutput y = 1", "'x'' is a state, but 'x' is not"},
      {"state x\nx'^2 = 1\noutput x", "not linear in its derivative"},
      {"state x, y\nx' + y' = 1\noutput x", "one of them needs an equation above"},
      {"state x\nx' = 1\nx' = 2\noutput x", "line 3, column 1 of 'equations': This equation defines nothing"},
      {"state x\nparameter k\nx' = 1\noutput x", "Parameter 'k' has no value"},
      {"state x\nx' = 1\noutput x [furlong]", "line 3, column 10 of 'equations': 'furlong' is not a unit."},
      {"state x [m]\nx' = 1\noutput y [s] = x", "'y' is declared with the unit s, but its formula has m."},
      {"state x\ninput u\nx' = u\noutput u = x", "There is a port 'u' already."},
      {"state sin = 1\n", "'sin' is the name of something else already."},
      {"state x\nx' = 1\noutput x\npower dissipated = 1", "needs: energy stored"},
      {"state x\nx' = 1 2\noutput x", "line 2, column 8 of 'equations': The line should end here"},
      {"state x\na = x'\nx' = a\noutput x", "This needs x', whose equation is not above."},
      {"state x\nx' = -x\noutput x\nenergy stored = x^2/2", "the energy formulas do not balance"},
      {"state x\ninput u\nx' = u\noutput x\nenergy stored = x^2/2\npower v = x*u",
       "There is no power 'v'. Available: dissipated, supplied, u."},
      {"state x\ninput u\nx' = u\noutput x\nenergy stored = x^2/2\nenergy kinetic = u\npower u = x*u",
       "cannot depend on the input 'u'"},
  };
  for (const auto& [text, part] : cases)
    EXPECT_NE(why_not(text).find(part), std::string::npos) << why_not(text);
}

// Random rows of words: read or refused, never worse.
TEST(ExpressionModel, NoTextBreaksTheReader) {
  const char* words[] = {"state", "input", "parameter", "output", "energy",     "power", "x",   "x'", "x''",
                         "v",     "u",     "k",         "=",      "=",          "1",     "2.5", "+",  "-",
                         "*",     "/",     "^",         "(",      ")",          ",",     "\n",  "\n", "\n",
                         "[m]",   "[m/s]", "[",         "stored", "dissipated", "time",  "der", "if", "<",
                         "sin",   "#",     ";",         "'",      "é"};
  std::mt19937 generator(5);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = i % 2 == 0 ? "state x = 1\nx' = -x\noutput y = x\n" : "";
    const auto length = generator() % 12U;
    for (unsigned k = 0; k < length; ++k) text += std::string(words[generator() % std::size(words)]) + " ";
    try {
      EquationSystem system = read_equations(text, {});
      (void)system.energy_imbalance();
      (void)system.describe();
      ++read;
    } catch (const expression::FormulaError& error) {
      ASSERT_LE(error.offset, text.size()) << text;
      ASSERT_FALSE(error.what.empty());
    }
  }
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace ergon

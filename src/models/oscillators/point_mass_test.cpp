#include "ergon/models/oscillators/point_mass.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

std::vector<std::string> names(const std::vector<Port>& ports) {
  std::vector<std::string> result;
  for (const Port& port : ports) result.push_back(port.name);
  return result;
}
using Names = std::vector<std::string>;
using List = std::vector<double>;

TEST(PointMass, EachFormHasItsPorts) {
  EXPECT_EQ(names(make_model("oscillator.mass")->describe().inputs), (Names{"force", "external_force"}));
  EXPECT_EQ(names(make_model("oscillator.mass", {{"force_ports", 2.0}})->describe().inputs),
            (Names{"force1", "force2", "external_force"}));
  EXPECT_EQ(names(make_model("oscillator.mass")->describe().outputs), (Names{"position", "velocity"}));
  EXPECT_EQ(names(make_model("oscillator.displacement_driven")->describe().inputs),
            (Names{"position_in", "velocity_in", "external_force"}));
  EXPECT_EQ(names(make_model("oscillator.displacement_driven")->describe().outputs),
            (Names{"position", "velocity"}));
  EXPECT_EQ(names(make_model("oscillator.force_output", {{"force_ports", 1.0}})->describe().inputs),
            (Names{"position_in", "velocity_in", "force_in", "external_force"}));
  EXPECT_EQ(names(make_model("oscillator.force_output", {{"force_ports", 2.0}})->describe().inputs),
            (Names{"position_in", "velocity_in", "force_in1", "force_in2", "external_force"}));
  EXPECT_EQ(names(make_model("oscillator.force_output")->describe().outputs),
            (Names{"position", "velocity", "force"}));
}

TEST(PointMass, OnlyTheExternalForceMayStayUnconnected) {
  for (const Port& port : make_model("oscillator.force_output", {{"force_ports", 2.0}})->describe().inputs) {
    EXPECT_EQ(port.optional, port.name == "external_force") << port.name;
  }
}

TEST(PointMass, ImpossibleParametersAreRefused) {
  EXPECT_NE(refusal("oscillator.mass", {{"m", 0.0}}).find("greater than 0"), std::string::npos);
  EXPECT_NE(refusal("oscillator.mass", {{"force_ports", 1.5}}).find("whole number"), std::string::npos);
  EXPECT_NE(refusal("oscillator.mass", {{"spring", "cubic"}}).find("square-root"), std::string::npos);
  EXPECT_NE(refusal("oscillator.mass", {{"kc", 1.0}}).find("has no 'kc'"), std::string::npos);
}

// The step of M1 in gonzalez2019 §4.1, by hand, with its energies.
//   x = 0.2, v = 3, ξ = −0.1, ξ̇ = −2, m = 2, k = 10, c = 0.5, kc = 100, cc = 0.25, h = 0.01
TEST(PointMass, OneSemiImplicitStepIsTheOneOfThePaper) {
  const double x = 0.2, v = 3.0, xi = -0.1, xi_dot = -2.0, external = 0.7;
  const double m = 2.0, k = 10.0, c = 0.5, kc = 100.0, cc = 0.25, h = 0.01;
  const auto mass = make_model("oscillator.force_output",
                               {{"m", m}, {"k", k}, {"c", c}, {"kc", kc}, {"cc", cc}}, {{"x", x}, {"v", v}});
  const std::vector<double> u = {xi, xi_dot, external};
  std::vector<double> received0, received1;
  const AccountSample energy0 = account_of(*mass, u, received0);
  ASSERT_TRUE(step_held(*mass, h, u).ok);

  const double v1 = v + h * ((-k * x - c * v - (kc * (x - xi) + cc * (v - xi_dot)) + external) / m);
  const double x1 = x + h * v1;
  const auto y = outputs(*mass, u);
  EXPECT_EQ(y[0], x1);
  EXPECT_EQ(y[1], v1);
  EXPECT_EQ(y[2], kc * (x1 - xi) + cc * (v1 - xi_dot));

  const AccountSample energy1 = account_of(*mass, u, received1);
  const auto stored = [&](double at, double velocity) {
    return 0.5 * m * velocity * velocity + 0.5 * k * at * at + 0.5 * kc * (at - xi) * (at - xi);
  };
  EXPECT_DOUBLE_EQ(energy0.stored_J, stored(x, v));
  EXPECT_DOUBLE_EQ(energy1.stored_J, stored(x1, v1));
  EXPECT_DOUBLE_EQ(energy1.dissipated_J, h * (c * v1 * v1 + cc * (v1 - xi_dot) * (v1 - xi_dot)));
  EXPECT_EQ(received1[0], received0[0]);  // a far end that stands still does no work on the spring
  EXPECT_DOUBLE_EQ(received1[1], -h * cc * (v1 - xi_dot) * xi_dot);
  EXPECT_DOUBLE_EQ(received1[2], h * external * 0.5 * (v + v1));
}

TEST(PointMass, AJumpOfTheFarEndIsReceivedThroughThePosition) {
  const auto mass = make_model("oscillator.displacement_driven", {{"kc", 8.0}}, {{"x", 1.0}});
  ASSERT_TRUE(step_held(*mass, 0.0, {1.0, 0.0, 0.0}).ok);  // relaxed: the far end is where the mass is
  const std::vector<double> near = {1.0, 0.0, 0.0};
  const std::vector<double> far = {4.0, 0.0, 0.0};
  const auto before = received_J(*mass, near);
  const auto asked = received_J(*mass, far);
  EXPECT_DOUBLE_EQ(asked[0] - before[0], 0.5 * 8.0 * 9.0);
  ASSERT_TRUE(step_held(*mass, 0.0, far).ok);
  EXPECT_EQ(received_J(*mass, far), asked);  // asked, then stepped with: counted once
}

TEST(PointMass, AForceMeetsTheMassAndTheOtherForces) {
  const auto mass = make_model("oscillator.force_output",
                               {{"m", 4.0}, {"k", 8.0}, {"kc", 16.0}, {"force_ports", 1.0}}, {{"x", 0.5}});
  const std::vector<double> u = {0.25, 0.0, 12.0, 2.0};
  const auto at_force = interface_of(*mass, {2}, {1}, u);
  EXPECT_EQ(at_force.mass, std::vector<double>{4.0});
  EXPECT_DOUBLE_EQ(at_force.force.at(0), -4.0 - 4.0 + 2.0);
  EXPECT_DOUBLE_EQ(interface_of(*mass, {3}, {1}, u).force.at(0), -4.0 - 4.0 + 12.0);
  EXPECT_TRUE(interface_of(*mass, {2}, {0}, u).mass.empty()) << "a position is not a flow";
  EXPECT_TRUE(interface_of(*mass, {2, 3}, {1, 1}, u).mass.empty()) << "two forces move one velocity";
}

// ── One oscillator, split in every way ──────────────────────────────────────────────────────────────────────

struct TwoMasses {
  Values left, right, coupling_left, coupling_right;
  Values law;  // of the element
  Values left_start, right_start;
};

Values joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// LIM case 2 with odd masses; linear or nonlinear laws [rodriguez2022, (22), (23)].
TwoMasses two_masses(bool linear) {
  const Values laws = {{"spring", linear ? "linear" : "square-root"},
                       {"damper", linear ? "linear" : "quadratic"}};
  const Values coupling_laws = {{"coupling_spring", linear ? "linear" : "square-root"},
                                {"coupling_damper", linear ? "linear" : "quadratic"}};
  const Values coupling = joined({{"kc", 100.0}, {"cc", 0.03}}, coupling_laws);
  return {joined({{"m", 3.0}, {"k", 10.0}, {"c", 0.01}}, laws),
          joined({{"m", 0.7}, {"k", 1000.0}, {"c", 0.02}}, laws),
          coupling,
          coupling,
          joined({{"k", 100.0}, {"c", 0.03}}, laws),
          {{"v", 100.0}},
          {{"v", -100.0}}};
}

using Trajectory = std::vector<std::vector<double>>;
constexpr int steps = 2000;
constexpr double h = 1e-3;

Trajectory displacement_displacement(const TwoMasses& p) {
  const auto a = make_model("oscillator.displacement_driven", joined(p.left, p.coupling_left), p.left_start);
  const auto b =
      make_model("oscillator.displacement_driven", joined(p.right, p.coupling_right), p.right_start);
  Trajectory result;
  std::vector<double> y1 = outputs(*a, {0, 0, 0}), y2 = outputs(*b, {0, 0, 0});
  for (int i = 0; i < steps; ++i) {
    step_held(*a, h, {y2[0], y2[1], 0.0});
    step_held(*b, h, {y1[0], y1[1], 0.0});
    y1 = outputs(*a, {0, 0, 0});
    y2 = outputs(*b, {0, 0, 0});
    result.push_back({y1[0], y2[0], y1[1], y2[1]});
  }
  return result;
}

/// Jacobi with the force evaluated again with the new motion (refresh).
Trajectory force_displacement(const TwoMasses& p) {
  const auto a = make_model("oscillator.force_output", joined(p.left, p.coupling_left), p.left_start);
  const auto b = make_model("oscillator.mass", p.right, p.right_start);
  Trajectory result;
  std::vector<double> y2 = outputs(*b, {0, 0}), y1 = outputs(*a, {y2[0], y2[1], 0.0});
  for (int i = 0; i < steps; ++i) {
    step_held(*a, h, {y2[0], y2[1], 0.0});
    step_held(*b, h, {y1[2], 0.0});
    y2 = outputs(*b, {0, 0});
    y1 = outputs(*a, {y2[0], y2[1], 0.0});
    result.push_back({y1[0], y2[0], y1[1], y2[1]});
  }
  return result;
}

Trajectory force_force(const TwoMasses& p) {
  const auto a = make_model("oscillator.mass", p.left, p.left_start);
  const auto b = make_model("oscillator.mass", p.right, p.right_start);
  const auto law = make_element("spring-damper", p.law);
  Trajectory result;
  std::vector<double> y1 = outputs(*a, {0, 0}), y2 = outputs(*b, {0, 0});
  for (int i = 0; i < steps; ++i) {
    const auto force = outputs(*law, {y1[0], y1[1], y2[0], y2[1]});
    step_held(*a, h, {force[0], 0.0});
    step_held(*b, h, {force[1], 0.0});
    y1 = outputs(*a, {0, 0});
    y2 = outputs(*b, {0, 0});
    result.push_back({y1[0], y2[0], y1[1], y2[1]});
  }
  return result;
}

Trajectory monolithic(bool linear) {
  const auto chain = make_model("oscillator.chain",
                                {{"m", List{3.0, 0.7}},
                                 {"k", List{10.0, 1000.0}},
                                 {"c", List{0.01, 0.02}},
                                 {"kc", 100.0},
                                 {"cc", 0.03},
                                 {"spring", linear ? "linear" : "square-root"},
                                 {"damper", linear ? "linear" : "quadratic"},
                                 {"coupling_spring", linear ? "linear" : "square-root"},
                                 {"coupling_damper", linear ? "linear" : "quadratic"}},
                                {{"v", List{100.0, -100.0}}});
  Trajectory result;
  for (int i = 0; i < steps; ++i) {
    step_held(*chain, h, {0.0, 0.0});
    result.push_back(outputs(*chain, {0.0, 0.0}));
  }
  return result;
}

TEST(PointMass, EveryArrangementOfTheTwoMassOscillatorHasTheBitsOfTheMonolithicOne) {
  for (const bool linear : {true, false}) {
    const Trajectory reference = monolithic(linear);
    ASSERT_GT(std::abs(reference.back()[0]), 1e-3);
    EXPECT_EQ(displacement_displacement(two_masses(linear)), reference);
    EXPECT_EQ(force_displacement(two_masses(linear)), reference);
    EXPECT_EQ(force_force(two_masses(linear)), reference);
  }
}

// Rest lengths are measured from either end: what is stretched for one is stretched for the other.
TEST(PointMass, RelaxedLengthsAgreeBetweenFormsAndElement) {
  const double length = 0.35;
  const auto a =
      make_model("oscillator.force_output", {{"kc", 50.0}, {"coupling_rest", -length}}, {{"x", 0.1}});
  const auto b =
      make_model("oscillator.force_output", {{"kc", 50.0}, {"coupling_rest", length}}, {{"x", 0.7}});
  const auto law = make_element("spring-damper", {{"k", 50.0}, {"rest_length", length}});
  const auto force = outputs(*law, {0.1, 0.0, 0.7, 0.0});
  EXPECT_EQ(outputs(*a, {0.7, 0.0, 0.0})[2], force[1]);
  EXPECT_EQ(outputs(*b, {0.1, 0.0, 0.0})[2], force[0]);
  EXPECT_LT(force[1], 0.0);  // stretched: end j is pulled back towards i
  EXPECT_DOUBLE_EQ(outputs(*law, {0.1, 0.0, 0.1 + length, 0.0})[1] + 1.0, 1.0);
}

TEST(PointMass, TheGroundSpringIsRelaxedAtItsRestPosition) {
  const auto mass = make_model("oscillator.mass", {{"k", 100.0}, {"x_rest", 0.25}}, {{"x", 0.25}});
  ASSERT_TRUE(step_held(*mass, 0.1, {0.0, 0.0}).ok);
  EXPECT_EQ(outputs(*mass, {0.0, 0.0}), (std::vector<double>{0.25, 0.0}));
  EXPECT_EQ(account_of(*mass, {0.0, 0.0}).stored_J, 0.0);
}

// Negative damping is a source: m v̇ = 0.3 v, and the other damper takes. Neither hides the other.
TEST(PointMass, NegativeDampingIsSuppliedAndNotLessDissipated) {
  for (const char* method : {"semi-implicit-euler", "rk4", "cvode-adams"}) {
    SCOPED_TRACE(method);
    const auto mass = make_model("oscillator.displacement_driven", {{"m", 1.0}, {"c", -0.3}, {"cc", 0.2}},
                                 {{"v", 1.0}}, {.method = method, .rtol = 1e-10, .atol = 1e-12});
    const std::vector<double> u(mass->describe().inputs.size(), 0.0);
    const double step_s = 1e-4;
    for (int k = 0; k < 10000; ++k)
      ASSERT_TRUE(mass->step(k * step_s, step_s, InputView{u.data(), u.size(), 0}).ok);
    // v = exp(0.1 t): ∫v² dt from 0 to 1.
    const double integral = (std::exp(0.2) - 1.0) / 0.2;
    const AccountSample energy = account_of(*mass, u);
    EXPECT_NEAR(energy.supplied_J, 0.3 * integral, 1e-4);
    EXPECT_NEAR(energy.dissipated_J, 0.2 * integral, 1e-4);
  }
}

}  // namespace
}  // namespace ergon

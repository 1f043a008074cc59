// Masses, gears, suspensions, tyres and roads against figures from elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "ergon/models/mechanics/road.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

TEST(MovingMass, FallsThroughADamperAsItsFormulaSays) {
  const double m = 3.0, c = 2.0, g = 9.81, t = 0.8;
  const auto mass = make_model("translational.mass", {{"m", m}, {"c", c}, {"gravity", g}}, {{"x", 10.0}},
                               {.method = "rk4", .step_s = 1e-3});
  ASSERT_TRUE(step_held(*mass, t, {0.0, 0.0}).ok);
  const double terminal = m * g / c, tau = m / c;
  const double v = -terminal * (1.0 - std::exp(-t / tau));
  const auto y = outputs(*mass, {0.0, 4.0});
  EXPECT_NEAR(y[1], v, 1e-10);
  EXPECT_NEAR(y[0], 10.0 - terminal * (t - tau * (1.0 - std::exp(-t / tau))), 1e-10);
  EXPECT_NEAR(y[2], (4.0 - m * g - c * v) / m, 1e-9) << "with the force of the same instant";
  EXPECT_NEAR(account_of(*mass, {0.0, 0.0}).stored_J, 0.5 * m * v * v + m * g * y[0], 1e-9);
}

TEST(MovingMass, AnInertiaRunsDownInItsBearings) {
  const auto wheel = make_model("rotational.inertia", {{"J", 0.4}, {"d", 0.1}, {"torque_ports", 2.0}},
                                {{"omega", 5.0}}, {.method = "rk4", .step_s = 1e-3});
  ASSERT_TRUE(step_held(*wheel, 2.0, {0.2, -0.1, 0.1}).ok);
  const double decay = std::exp(-2.0 * 0.1 / 0.4);
  EXPECT_NEAR(outputs(*wheel, {0.2, -0.1, 0.1})[1], 2.0 + 3.0 * decay, 1e-10);
  EXPECT_NEAR(outputs(*wheel, {0.2, -0.1, 0.1})[0], 4.0 + 12.0 * (1.0 - decay), 1e-9);
}

/// Power into the law at both ends.
double power_into(const std::vector<double>& u, const std::vector<double>& y) {
  return -(y[0] * u[1] + y[1] * u[3]);
}

TEST(Gear, TurnsTorquesWithItsRatio) {
  const auto gear = make_element("gear", {{"k", 1000.0}, {"ratio", 5.0}});
  const std::vector<double> u = {1.02, 10.0, 0.2, 2.0};  // δ = 0.02, nothing slips
  const auto y = outputs(*gear, u);
  EXPECT_NEAR(y[0], -20.0, 1e-10);
  EXPECT_NEAR(y[1], 100.0, 1e-10);
  EXPECT_NEAR(y[2], 0.02, 1e-15);
  EXPECT_NEAR(power_into(u, y), 0.0, 1e-9);
  EXPECT_NEAR(gear->stored_J(u.data()), 0.5 * 1000.0 * 4e-4, 1e-12);
}

TEST(Gear, LetsGoWithinItsBacklash) {
  const auto gear = make_element("gear", {{"k", 1000.0}, {"c", 2.0}, {"backlash", 0.02}, {"depth", 1e-3}});
  EXPECT_EQ(outputs(*gear, {0.009, 3.0, 0.0, 0.0})[1], 0.0);
  EXPECT_EQ(outputs(*gear, {-0.009, 3.0, 0.0, 0.0})[1], 0.0);
  // Pressed in by 0.0005, half of the depth: half of the damping.
  EXPECT_NEAR(outputs(*gear, {0.0105, 3.0, 0.0, 0.0})[1], 0.5 + 0.5 * 2.0 * 3.0, 1e-9);
  EXPECT_NEAR(outputs(*gear, {-0.015, -3.0, 0.0, 0.0})[1], -5.0 - 6.0, 1e-9);
}

TEST(Gear, LosesItsShareWhicheverShaftDrives) {
  const auto gear = make_element("gear", {{"k", 1000.0}, {"ratio", 4.0}, {"efficiency", 0.9}});
  const std::vector<double> forward = {0.82, 40.0, 0.2, 10.0};   // shaft i drives
  const std::vector<double> backward = {0.78, 40.0, 0.2, 10.0};  // shaft j drives
  const auto y = outputs(*gear, forward);
  EXPECT_NEAR(y[1] * forward[3], 0.9 * -y[0] * forward[1], 1e-9);
  const auto z = outputs(*gear, backward);
  EXPECT_NEAR(z[0] * backward[1], -z[1] * backward[3] / 1.1, 1e-9);
  for (const auto& u : {forward, backward}) {
    EXPECT_NEAR(gear->dissipation_W(u.data()), power_into(u, outputs(*gear, u)), 1e-9);
    EXPECT_GT(gear->dissipation_W(u.data()), 0.0);
  }
}

TEST(TableSpringDamper, HasBumpAndRebound) {
  using List = std::vector<double>;
  const auto strut = make_element("table-spring-damper", {{"spring_compression", List{-0.1, 0.0, 0.1}},
                                                          {"spring_force", List{-1000.0, 0.0, 2000.0}},
                                                          {"damper_rate", List{-1.0, 0.0, 1.0}},
                                                          {"damper_force", List{-3000.0, 0.0, 1000.0}},
                                                          {"rest_length", 0.5}});
  // i below j: 0.05 m compressed, closing with 0.2 m/s.
  const std::vector<double> bump = {0.0, 0.2, 0.45, 0.0};
  const auto y = outputs(*strut, bump);
  EXPECT_NEAR(y[1], 1000.0 + 200.0, 1e-9);
  EXPECT_EQ(y[0], -y[1]);
  EXPECT_NEAR(y[2], 0.05, 1e-15);
  EXPECT_NEAR(y[3], 1000.0, 1e-9);
  EXPECT_NEAR(y[4], 200.0, 1e-9);
  EXPECT_NEAR(strut->stored_J(bump.data()), 0.5 * 20000.0 * 0.0025, 1e-9);
  const std::vector<double> rebound = {0.0, -0.2, 0.55, 0.0};
  EXPECT_NEAR(outputs(*strut, rebound)[1], -500.0 - 600.0, 1e-9);
  EXPECT_NEAR(strut->dissipation_W(rebound.data()), 120.0, 1e-9);
}

std::string refused_element(const std::string& name, const Values& parameters) {
  ProblemList problems;
  const ElementInfo& info = *find_element(name);
  EXPECT_EQ(info.make(ParameterSet(info.parameters, given(parameters), "'e'", problems), problems), nullptr);
  return text_of(problems);
}

TEST(TableSpringDamper, RefusesTablesThatAreNone) {
  using List = std::vector<double>;
  const char* law = "table-spring-damper";
  EXPECT_NE(refused_element(law, {{"spring_force", List{1.0}}}).find("'spring_force' 1"), std::string::npos);
  EXPECT_NE(refused_element(law, {{"spring_compression", List{1.0, -1.0}}}).find("does not increase"),
            std::string::npos);
  EXPECT_NE(refused_element(law, {{"damper_force", List{1.0, 1.0}}}).find("does not oppose"),
            std::string::npos);
  EXPECT_NE(refused_element(law, {{"damper_force", List{-1.0, 3.0}}}).find("at rest"), std::string::npos);
  EXPECT_NE(refused_element("gear", {{"efficiency", 1.1}}).find("above 1"), std::string::npos);
}

TEST(Tyre, PushesAndLiftsOff) {
  const auto tyre = make_element("tyre", {{"k", 2e5}, {"c", 100.0}, {"radius", 0.3}});
  const std::vector<double> pressed = {0.0, 0.0, 0.28, -0.5};
  EXPECT_NEAR(outputs(*tyre, pressed)[1], 4000.0 + 50.0, 1e-9);
  EXPECT_NEAR(outputs(*tyre, pressed)[0], -4050.0, 1e-9);
  EXPECT_NEAR(outputs(*tyre, pressed)[2], 0.02, 1e-15);
  const std::vector<double> lifted = {0.0, 0.0, 0.31, 1.0};
  EXPECT_EQ(outputs(*tyre, lifted), (std::vector<double>{-0.0, 0.0, 0.0}));
  EXPECT_EQ(tyre->stored_J(lifted.data()), 0.0);
  // Leaving faster than its spring follows: no pull, and the spring's energy is lost inside.
  const std::vector<double> leaving = {0.0, 0.0, 0.2999, 1.0};
  EXPECT_EQ(outputs(*tyre, leaving)[1], 0.0);
  EXPECT_NEAR(tyre->dissipation_W(leaving.data()), 2e5 * 1e-4 * 1.0, 1e-9);
}

// ∫ G dn over the band, and the spectrum at one frequency by a Fourier sum of samples: not by the waves that make the road.
TEST(Road, HasTheSpectrumOfItsClass) {
  RoadProfile::Parameters p;
  p.waves = 2000;
  p.run_up_m = 0.0;
  const double G0 = 256e-6, n0 = 0.1;
  p.roughness_m3 = G0;
  double square = 0.0, in_band = 0.0;
  constexpr int roads = 6;
  constexpr double ds = 0.1, length = 2000.0;
  const int samples = static_cast<int>(length / ds);
  for (int road = 0; road < roads; ++road) {
    p.seed = static_cast<std::uint64_t>(road) + 1;
    const RoadProfile profile(p);
    std::vector<double> z;
    for (int i = 0; i < samples; ++i) z.push_back(profile.at(i * ds).height_m);
    for (const double height : z) square += height * height / samples / roads;
    // From 0.2 to 0.4 cycles/m: 400 to 800 periods in 2000 m, each fifth of them.
    for (int k = 400; k < 800; k += 5) {
      std::complex<double> sum;
      for (int i = 0; i < samples; ++i)
        sum += z[static_cast<std::size_t>(i)] * std::polar(1.0, -2.0 * std::numbers::pi * k * i / samples);
      in_band += 2.0 * std::norm(sum / static_cast<double>(samples)) * 5.0 / roads;
    }
  }
  const auto between = [&](double low, double high) { return G0 * n0 * n0 * (1.0 / low - 1.0 / high); };
  EXPECT_NEAR(std::sqrt(square / between(0.011, 2.83)), 1.0, 0.05);
  EXPECT_NEAR(std::sqrt(in_band / between(0.2, 0.4)), 1.0, 0.05);
}

TEST(Road, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto road = make_model("vehicle.road", {{"class", "B"}, {"seed", 3.0}}, {{"distance", 40.0}});
  const auto same = make_model("vehicle.road", {{"class", "B"}, {"seed", 3.0}}, {{"distance", 40.0}});
  const auto other = make_model("vehicle.road", {{"class", "B"}, {"seed", 4.0}}, {{"distance", 40.0}});
  const auto rougher = make_model("vehicle.road", {{"class", "C"}, {"seed", 3.0}}, {{"distance", 40.0}});
  EXPECT_EQ(outputs(*road, {0.0}), outputs(*same, {0.0}));
  EXPECT_NE(outputs(*road, {0.0}), outputs(*other, {0.0}));
  EXPECT_NEAR(outputs(*rougher, {0.0})[0], 2.0 * outputs(*road, {0.0})[0], 1e-15);
}

TEST(Road, StartsLevelAndBooksTheWorkThatItDoes) {
  const auto road =
      make_model("vehicle.road", {{"speed", 10.0}, {"run_up", 4.0}}, {}, {.method = "rk4", .step_s = 1e-4});
  EXPECT_EQ(outputs(*road, {0.0})[0], 0.0);
  EXPECT_EQ(outputs(*road, {0.0})[1], 0.0);
  ASSERT_TRUE(step_held(*road, 2.0, {-300.0}).ok);  // a constant load: the work is force times height
  const double height = outputs(*road, {-300.0})[0];
  EXPECT_NE(height, 0.0);
  EXPECT_NEAR(outputs(*road, {-300.0})[2], 20.0, 1e-10);  // a sum of 20,000 steps
  EXPECT_NEAR(received_J(*road, {-300.0})[0], -300.0 * height, 1e-6);
  const AccountSample energy = account_of(*road, {-300.0});
  EXPECT_GT(energy.dissipated_J, 0.0);
  EXPECT_NEAR(energy.dissipated_J - energy.supplied_J, -300.0 * height, 1e-6);
}

}  // namespace
}  // namespace ergon

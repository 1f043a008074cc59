#include "ergon/models/oscillators/mass_chain.hpp"

#include <gtest/gtest.h>

#include "benchmarks/reference/linear_solution.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using List = std::vector<double>;

MassChain::Parameters linear_chain(const List& m, const List& k, const List& c, const List& kc,
                                   const List& cc,
                                   MassChain::Topology topology = MassChain::Topology::chain) {
  MassChain::Parameters p;
  p.mass_kg = m;
  for (double value : k) p.ground_spring.push_back({value});
  for (double value : c) p.ground_damper.push_back({value});
  for (double value : kc) p.coupling_spring.push_back({value});
  for (double value : cc) p.coupling_damper.push_back({value});
  p.topology = topology;
  return p;
}

// A as printed in [lim2021, (5)].
TEST(MassChain, MatrixOfTwoMassesIsThatOfTheBenchmark) {
  const double m1 = 2, m2 = 3, k1 = 10, kc = 100, k2 = 1000, c1 = 0.1, cc = 0.2, c2 = 0.3;
  const List expected = {0,
                         0,
                         1,
                         0,  //
                         0,
                         0,
                         0,
                         1,  //
                         -(k1 + kc) / m1,
                         kc / m1,
                         -(c1 + cc) / m1,
                         cc / m1,
                         kc / m2,
                         -(k2 + kc) / m2,
                         cc / m2,
                         -(c2 + cc) / m2};
  const List matrix = linear_system_matrix(linear_chain({m1, m2}, {k1, k2}, {c1, c2}, {kc}, {cc}));
  ASSERT_EQ(matrix.size(), expected.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) EXPECT_DOUBLE_EQ(matrix[i], expected[i]) << i;
}

// The matrix applied to any state must be the acceleration of the model, in both topologies.
TEST(MassChain, MatrixIsTheModelsOwn) {
  for (const auto topology : {MassChain::Topology::chain, MassChain::Topology::star}) {
    const auto p =
        linear_chain({1, 2, 3, 4}, {5, 6, 7, 8}, {.1, .2, .3, .4}, {9, 10, 11}, {.5, .6, .7}, topology);
    const List matrix = linear_system_matrix(p);
    const List z = {0.1, -0.2, 0.3, 0.4, 1.0, -2.0, 3.0, 0.5};
    const List no_force(4, 0.0);
    List a(4);
    MassChain(p).acceleration(no_force.data(), z.data(), z.data() + 4, a.data());
    for (std::size_t i = 0; i < 4; ++i) {
      double product = 0.0;
      for (std::size_t j = 0; j < 8; ++j) product += matrix[(4 + i) * 8 + j] * z[j];
      EXPECT_NEAR(a[i], product, 1e-12 * std::abs(product)) << i;
    }
  }
}

// LIM case 2 over 1 s: the model, integrated tightly, against the matrix exponential.
TEST(MassChain, FollowsTheAnalyticSolution) {
  const auto chain =
      make_model("oscillator.chain",
                 {{"m", List{1, 1}}, {"k", List{10, 1000}}, {"c", 0.01}, {"kc", 100.0}, {"cc", 0.01}},
                 {{"v", List{100, -100}}}, {.method = "cvode-adams", .rtol = 1e-11, .atol = 1e-11});
  const List matrix = linear_system_matrix(linear_chain({1, 1}, {10, 1000}, {.01, .01}, {100}, {.01}));
  const List z0 = {0, 0, 100, -100};
  const numerics::LinearSolution exact(matrix, z0);
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(step_held(*chain, 0.01, {0, 0}).ok);
    const auto z = outputs(*chain, {0, 0});
    List expected(4);
    exact.at(0.01 * i, expected);
    for (std::size_t j = 0; j < 4; ++j) ASSERT_NEAR(z[j], expected[j], 2e-6) << i;
  }
}

// Three masses in a row: two that give their force to the right and one at the end, evaluated afresh.
TEST(MassChain, ThreeMassesInARowHaveTheBitsOfThreeSubsystems) {
  const auto chain = make_model("oscillator.chain",
                                {{"m", List{1, 3, 0.7}},
                                 {"k", List{10, 20, 30}},
                                 {"c", List{.1, .2, .3}},
                                 {"kc", List{100, 50}},
                                 {"cc", List{.4, .5}}},
                                {{"v", List{10, -10, 5}}});
  const auto a = make_model("oscillator.force_output",
                            {{"m", 1.0}, {"k", 10.0}, {"c", 0.1}, {"kc", 100.0}, {"cc", 0.4}}, {{"v", 10.0}});
  const auto b = make_model(
      "oscillator.force_output",
      {{"m", 3.0}, {"k", 20.0}, {"c", 0.2}, {"kc", 50.0}, {"cc", 0.5}, {"force_ports", 1.0}}, {{"v", -10.0}});
  const auto c = make_model("oscillator.mass", {{"m", 0.7}, {"k", 30.0}, {"c", 0.3}}, {{"v", 5.0}});
  for (int i = 0; i < 1000; ++i) {
    const List y3 = outputs(*c, {0, 0});
    const List y2 = outputs(*b, {y3[0], y3[1], 0, 0});
    const List y1 = outputs(*a, {y2[0], y2[1], 0});
    ASSERT_EQ(outputs(*chain, {0, 0, 0}), (List{y1[0], y2[0], y3[0], y1[1], y2[1], y3[1]})) << i;
    step_held(*a, 1e-3, {y2[0], y2[1], 0});
    step_held(*b, 1e-3, {y3[0], y3[1], y1[2], 0});
    step_held(*c, 1e-3, {y2[2], 0});
    step_held(*chain, 1e-3, {0, 0, 0});
  }
}

// The star: arms give their forces to the hub's ports, in order.
TEST(MassChain, AStarHasTheBitsOfItsSubsystems) {
  const auto star = make_model(
      "oscillator.chain",
      {{"m", List{1, 3, 0.7}}, {"k", List{10, 20, 30}}, {"kc", List{100, 50}}, {"topology", "star"}},
      {{"v", List{10, -10, 5}}});
  const auto a =
      make_model("oscillator.force_output", {{"m", 1.0}, {"k", 10.0}, {"kc", 100.0}}, {{"v", 10.0}});
  const auto b =
      make_model("oscillator.force_output", {{"m", 3.0}, {"k", 20.0}, {"kc", 50.0}}, {{"v", -10.0}});
  const auto hub =
      make_model("oscillator.mass", {{"m", 0.7}, {"k", 30.0}, {"force_ports", 2.0}}, {{"v", 5.0}});
  for (int i = 0; i < 1000; ++i) {
    const List y3 = outputs(*hub, {0, 0, 0});
    const List y1 = outputs(*a, {y3[0], y3[1], 0});
    const List y2 = outputs(*b, {y3[0], y3[1], 0});
    ASSERT_EQ(outputs(*star, {0, 0, 0}), (List{y1[0], y2[0], y3[0], y1[1], y2[1], y3[1]})) << i;
    step_held(*a, 1e-3, {y3[0], y3[1], 0});
    step_held(*b, 1e-3, {y3[0], y3[1], 0});
    step_held(*hub, 1e-3, {y1[2], y2[2], 0});
    step_held(*star, 1e-3, {0, 0, 0});
  }
}

TEST(MassChain, ExternalForcesMeetTheirMassesAndTheOtherForces) {
  for (const char* topology : {"chain", "star"}) {
    const auto chain = make_model(
        "oscillator.chain", {{"m", List{1, 2, 4}}, {"k", 8.0}, {"kc", List{16, 32}}, {"topology", topology}},
        {{"x", List{0.5, 0.25, 1.0}}});
    const List forces = {1.0, 2.0, 3.0};
    const auto together = interface_of(*chain, {0, 1, 2}, {3, 4, 5}, forces);
    EXPECT_EQ(together.mass, (List{1, 0, 0, 0, 2, 0, 0, 0, 4}));
    for (std::size_t i = 0; i < 3; ++i) {
      const double mass_kg = (List{1, 2, 4})[i];
      const auto alone = interface_of(*chain, {i}, {3 + i}, forces);
      EXPECT_EQ(alone.mass, List{mass_kg});
      const auto pushed =
          make_model("oscillator.chain",
                     {{"m", List{1, 2, 4}}, {"k", 8.0}, {"kc", List{16, 32}}, {"topology", topology}},
                     {{"x", List{0.5, 0.25, 1.0}}});
      step_held(*pushed, 1.0, {0.0, 0.0, 0.0});  // from rest: the new velocity is the acceleration
      const double free = outputs(*pushed, {0, 0, 0})[3 + i];
      EXPECT_DOUBLE_EQ(alone.force.at(0), mass_kg * free) << topology << i;
      EXPECT_DOUBLE_EQ(together.force.at(i), mass_kg * free) << topology << i;
    }
  }
}

TEST(MassChain, ListsOfTheWrongLengthAreAllReported) {
  const std::string text =
      refusal("oscillator.chain", {{"m", List{1, 2, 3}}, {"k", List{1, 2}}, {"kc", List{1, 2, 3}}},
              {{"v", List{1, 2, 3, 4}}});
  EXPECT_NE(text.find("'k' has 2 values, but there are 3 masses"), std::string::npos) << text;
  EXPECT_NE(text.find("'kc' has 3 values, but there are 2 couplings"), std::string::npos) << text;
  EXPECT_NE(text.find("'v' has 4 values"), std::string::npos) << text;
  EXPECT_NE(refusal("oscillator.chain", {{"m", List{}}}).find("empty"), std::string::npos);
  EXPECT_NE(refusal("oscillator.chain", {{"m", List{1, -1}}}).find("is -1; it must be greater than 0"),
            std::string::npos);
}

TEST(MassChain, OneMassNeedsNoCoupling) {
  const auto one = make_model("oscillator.chain", {{"m", 2.0}, {"k", 3.0}}, {{"x", 1.0}});
  ASSERT_TRUE(step_held(*one, 0.1, {0.0}).ok);
  EXPECT_DOUBLE_EQ(outputs(*one, {0.0})[1], -0.15);
}

}  // namespace
}  // namespace ergon

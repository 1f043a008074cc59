#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {
namespace {

constexpr double step_s = 1e-3;
constexpr std::size_t masses = 5;

std::unique_ptr<Subsystem> mass(std::size_t i, ProblemList& problems) {
  const ModelInfo& model = *find_model("oscillator.force_output");
  const auto given = [](double value) { return GivenParameter{value, {}}; };
  const GivenParameters parameters = {{"m", given(1.0 + 0.1 * static_cast<double>(i))},
                                      {"k", given(10.0)},
                                      {"c", given(0.1)},
                                      {"kc", given(100.0)},
                                      {"cc", given(0.1)},
                                      {"force_ports", given(1.0)}};
  const GivenParameters initial = {{"v", given(i % 2 == 0 ? 1.0 : -1.0)}};
  const std::string name = "m" + std::to_string(i);
  return model.make({name,
                     ParameterSet(model.parameters, parameters, name, problems),
                     ParameterSet(model.initial, initial, name, problems),
                     {},
                     "",
                     {}},
                    problems);
}

/// The sweep as a person would write it down, with the same subsystems: everybody takes the newest outputs of its neighbours, steps,
/// and shows its own at once. inputs: position_in, velocity_in, force_in, external_force; outputs: position, velocity, force.
std::vector<double> by_hand(int steps) {
  ProblemList problems;
  std::vector<std::unique_ptr<Subsystem>> chain;
  for (std::size_t i = 0; i < masses; ++i) {
    chain.push_back(mass(i, problems));
    EXPECT_TRUE(chain.back()->initialize({}).ok);
  }
  std::vector<std::vector<double>> u(masses, std::vector<double>(4, 0.0));
  std::vector<std::vector<double>> y(masses, std::vector<double>(3, 0.0));
  const auto look = [&](std::size_t i) {
    if (i + 1 < masses) {
      u[i][0] = y[i + 1][0];
      u[i][1] = y[i + 1][1];
    }
    if (i > 0) u[i][2] = y[i - 1][2];
  };
  // At t₀ motion first, then the forces that it makes.
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < masses; ++i) {
      look(i);
      chain[i]->outputs(0.0, u[i].data(), y[i].data());
    }
  }
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < masses; ++i) {
      look(i);
      EXPECT_TRUE(chain[i]->step(k * step_s, step_s, {u[i].data(), 4, 0}).ok);
      chain[i]->outputs((k + 1) * step_s, u[i].data(), y[i].data());
    }
  }
  std::vector<double> all;
  for (const auto& of_one : y) all.insert(all.end(), of_one.begin(), of_one.end());
  return all;
}

/// More steps than there are from one that is timed to the next: those go another way.
TEST(GaussSeidel, IsTheSweepThatOneWouldWriteByHandBitForBit) {
  constexpr int steps = 200;
  ProblemList problems;
  SystemGraph graph;
  const Rational step = *Rational::from_double(step_s);
  const auto name = [](std::size_t i) { return "m" + std::to_string(i); };
  for (std::size_t i = 0; i < masses; ++i) graph.add(name(i), mass(i, problems), step);
  const auto connect = [&](const std::string& from, const std::string& to) {
    ConnectionSpec spec;
    spec.from = {from};
    spec.to = to;
    graph.connect(spec);
  };
  for (std::size_t i = 0; i + 1 < masses; ++i) {
    connect(name(i) + ".force", name(i + 1) + ".force_in");
    connect(name(i + 1) + ".position", name(i) + ".position_in");
    connect(name(i + 1) + ".velocity", name(i) + ".velocity_in");
  }
  auto system = graph.freeze(problems);
  ASSERT_FALSE(problems.has_errors());
  CouplingOptions options;
  options.scheme = "gauss-seidel";
  options.degree = 0;
  options.feedthrough = FeedthroughMode::stale;
  const std::vector<Rational> all_steps = {step};
  const auto made =
      Engine::make(*system, TimeGrid(Rational(), step * Rational(steps, 1), all_steps), options, problems);
  if (!made) throw InputError(problems);
  Engine& engine = *made;
  ASSERT_FALSE(engine.initialize(problems));
  while (!engine.done()) ASSERT_FALSE(engine.advance());
  const std::vector<double> expected = by_hand(steps);
  for (Index o = 0; o < expected.size(); ++o) EXPECT_EQ(engine.record().output(o), expected[o]) << o;
}

}  // namespace
}  // namespace ergon

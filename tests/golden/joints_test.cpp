// Coupled bodies and circuits as scenarios of examples/, against monolithic solutions.
//
// The figures for bodies come from an independent program, written from the equations: all bodies and joints in one system, classical
// Runge-Kutta with steps of 4e-5 s (double pendulum) and 1e-4 s. To make them again: python3 tests/reference/joints.py
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path joint_examples = std::filesystem::path(ERGON_SOURCE_DIR) / "examples";

/// Values of outputs at the end of a run.
std::vector<double> at_end(const std::string& name, const std::vector<std::string>& outputs,
                           const std::vector<std::string>& settings = {}) {
  Simulation simulation(joint_examples / (name + ".toml"), settings);
  std::vector<Index> indices;
  for (const std::string& output : outputs) indices.push_back(simulation.output(output));
  std::vector<double> values(outputs.size());
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    for (std::size_t i = 0; i < indices.size(); ++i) values[i] = record.output(indices[i]);
  });
  EXPECT_FALSE(failure);
  return values;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(Joints, TheDoublePendulumIsTheMonolithicOne) {
  const auto end =
      at_end("double-pendulum", {"upper.angle", "lower.angle", "lower.position[0]", "lower.position[1]"});
  EXPECT_LT(distance(end, {0.9600398064427301, -1.2752804368762902, 0.719128859952822, 0.3407827957064442}),
            1e-8);
}

TEST(Joints, TheSliderCrankIsTheMonolithicOne) {
  EXPECT_LT(distance(at_end("slider-crank", {"crank.angle", "slider.angle"}),
                     {-4.374389749628712, -3.872161848621247}),
            2e-5);
}

TEST(Joints, TheUniversalJointConvergesToTheMonolithicSolution) {
  const std::vector<double> exact = {-0.14672675030555385, 0.15536808537700894, -0.45895987618234063,
                                     -0.3607178044522389,  0.1951318389043209,  -1.3947886637854037};
  const std::vector<std::string> outputs = {"rod1.position[0]", "rod1.position[1]", "rod1.position[2]",
                                            "rod2.position[0]", "rod2.position[1]", "rod2.position[2]"};
  const double coarse = distance(at_end("universal-joint", outputs), exact);
  const double fine = distance(at_end("universal-joint", outputs, {"simulation.step_size=5e-5"}), exact);
  EXPECT_LT(coarse, 2e-8);
  EXPECT_LT(fine, coarse / 3.5);  // order 2: linear extrapolation
}

/// [current and charge of the line, voltage and flux of the load] at 2 s, both circuits in one system.
std::vector<double> monolithic_circuits() {
  using State = std::array<double, 4>;
  const auto rates = [](double t, const State& z) {
    const double drive_V = 10.0 * std::sin(2.0 * M_PI * t);
    return State{(z[2] + drive_V - 0.5 * z[0] - z[1] / 0.1) / 0.2, z[0],
                 (-z[0] - z[2] / 10.0 - z[3] / 1.0) / 0.02, z[2]};
  };
  const auto moved = [](const State& z, double h, const State& rate) {
    State result = z;
    for (std::size_t i = 0; i < 4; ++i) result[i] += h * rate[i];
    return result;
  };
  State z{};
  constexpr double h = 1e-3;
  for (int n = 0; n < 2000; ++n) {
    const double t = n * h;
    const State k1 = rates(t, z), k2 = rates(t + h / 2, moved(z, h / 2, k1)),
                k3 = rates(t + h / 2, moved(z, h / 2, k2)), k4 = rates(t + h, moved(z, h, k3));
    for (std::size_t i = 0; i < 4; ++i) z[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return {z.begin(), z.end()};
}

TEST(Circuits, CoupledByVoltageAndCurrentTheyConvergeToTheMonolithicSolution) {
  const std::vector<std::string> outputs = {"line.current", "line.charge", "load.voltage", "load.flux"};
  const auto exact = monolithic_circuits();
  const double coarse = distance(at_end("coupled-circuits", outputs), exact);
  const double fine = distance(at_end("coupled-circuits", outputs, {"simulation.step_size=5e-4"}), exact);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse / 3.5);  // order 2: linear extrapolation
}

}  // namespace
}  // namespace ergon::bench

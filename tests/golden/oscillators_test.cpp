// The other published oscillators, uncorrected, as scenarios of examples/: largest energy errors over 10 s.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path oscillator_examples = std::filesystem::path(ERGON_SOURCE_DIR) / "examples";

struct Motion {
  double x = 0.0;
  double v = 0.0;
};

/// Calls `look` with the motion of the named masses at every point.
void follow(Simulation& simulation, const std::vector<std::string>& masses,
            const std::function<void(const std::vector<Motion>&)>& look) {
  std::vector<std::pair<Index, Index>> outputs;
  for (const std::string& m : masses) {
    outputs.emplace_back(simulation.output(m + ".position"), simulation.output(m + ".velocity"));
  }
  std::vector<Motion> motion(masses.size());
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    for (std::size_t i = 0; i < masses.size(); ++i) {
      motion[i] = {record.output(outputs[i].first), record.output(outputs[i].second)};
    }
    look(motion);
  });
  EXPECT_FALSE(failure);
}

// [rodriguez2022, Table 2]: n − 1 masses coupled to the n-th; no damping, so the energy must stay at n · 5000 J.
double multiple_oscillator_error(int n) {
  Simulation simulation(oscillator_examples / ("multiple-oscillator-" + std::to_string(n) + ".toml"));
  std::vector<std::string> masses;
  for (int i = 1; i <= n; ++i) masses.push_back("m" + std::to_string(i));
  const double start = 5000.0 * n;
  double worst = 0.0;
  follow(simulation, masses, [&](const std::vector<Motion>& m) {
    const Motion& last = m.back();
    double energy = 0.5 * last.v * last.v + 500.0 * last.x * last.x;
    for (std::size_t i = 0; i + 1 < m.size(); ++i) {
      const double stretch = m[i].x - last.x;
      energy += 0.5 * m[i].v * m[i].v + 5.0 * m[i].x * m[i].x + 50.0 * stretch * stretch;
    }
    worst = std::max(worst, std::abs(energy - start) / start);
  });
  return worst;
}

TEST(MultipleOscillator, GainsThePublishedEnergyUncorrected) {
  EXPECT_NEAR(multiple_oscillator_error(3), 2.864, 0.02 * 2.864);
  EXPECT_NEAR(multiple_oscillator_error(5), 16.63, 0.02 * 16.63);
}

double square_root_potential(double k, double x) {
  return 2.0 / 3.0 * k * std::pow(std::abs(x), 1.5);
}

TEST(NonlinearOscillator, GainsThePublishedEnergyWithSquareRootSprings) {
  Simulation simulation(oscillator_examples / "nonlinear-oscillator.toml");
  double worst = 0.0;
  follow(simulation, {"left", "right"}, [&](const std::vector<Motion>& m) {
    const double energy = 0.5 * (m[0].v * m[0].v + m[1].v * m[1].v) + square_root_potential(10.0, m[0].x) +
                          square_root_potential(1000.0, m[1].x) +
                          square_root_potential(100.0, m[0].x - m[1].x);
    worst = std::max(worst, std::abs(energy - 1e4) / 1e4);
  });
  EXPECT_NEAR(worst, 0.101, 0.02 * 0.101);
}

double linear_energy(const std::vector<Motion>& m) {
  const double stretch = m[0].x - m[1].x;
  return 0.5 * (m[0].v * m[0].v + m[1].v * m[1].v + 10.0 * m[0].x * m[0].x + 1000.0 * m[1].x * m[1].x +
                100.0 * stretch * stretch);
}

// Case 2: linear springs, quadratic dampers of 0.001 everywhere; the reference is the monolithic model with RK4.
TEST(NonlinearOscillator, GainsThePublishedEnergyWithQuadraticDampers) {
  const auto lim = std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator";
  Simulation reference(lim / "monolithic.toml",
                       {"both.damper=quadratic", "both.coupling_damper=quadratic", "both.c=[0.001, 0.001]",
                        "both.cc=[0.001]", "both.integrator.method=rk4", "both.integrator.step=1e-4"});
  std::vector<double> exact;
  const Index x = reference.output("both.position[0]");
  const Index v = reference.output("both.velocity[0]");
  EXPECT_FALSE(reference.for_each_point([&](const StepRecord& record) {
    exact.push_back(
        linear_energy({{record.output(x), record.output(v)}, {record.output(x + 1), record.output(v + 1)}}));
  }));
  Simulation simulation(lim / "f-s.toml",
                        {"left.damper=quadratic", "left.coupling_damper=quadratic", "right.damper=quadratic",
                         "left.c=0.001", "left.cc=0.001", "right.c=0.001"});
  double worst = 0.0;
  std::size_t point = 0;
  follow(simulation, {"left", "right"}, [&](const std::vector<Motion>& m) {
    worst = std::max(worst, std::abs(linear_energy(m) - exact[point++]) / 1e4);
  });
  EXPECT_NEAR(worst, 0.122, 0.02 * 0.122);
}

// Without control the energy of 0.5 J has grown to 26.2 J after 2 s where the force is sampled fresh, to 1026 J where it
// is stale [gonzalez2019, Sect. 2].
double haptic_energy(const std::string& mode) {
  Simulation simulation(oscillator_examples / "haptic.toml", {"bond.grip.feedthrough=" + mode});
  double energy = 0.0;
  follow(simulation, {"virtual", "device"}, [&](const std::vector<Motion>& m) {
    const double stretch = m[0].x - m[1].x;
    energy = 0.05 * (m[0].v * m[0].v + m[1].v * m[1].v) + 50.0 * stretch * stretch;
  });
  return energy;
}

TEST(HapticDevice, GainsThePublishedEnergyWithoutControl) {
  EXPECT_NEAR(haptic_energy("refresh"), 26.2, 0.05);
  EXPECT_NEAR(haptic_energy("stale"), 1026.0, 0.5);
}

// Every example runs to its end without a warning.
TEST(Examples, Run) {
  int examples_seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(oscillator_examples)) {
    if (entry.path().extension() != ".toml") continue;
    Simulation simulation(entry.path());
    EXPECT_FALSE(simulation.for_each_point([](const StepRecord&) {})) << entry.path();
    ++examples_seen;
  }
  EXPECT_GE(examples_seen, 6);
}

}  // namespace
}  // namespace ergon::bench

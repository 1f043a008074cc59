// Jacobians that follow from derivatives, where efforts begin as rounding: the joints of these links and rods are closed at the start, and
// their force there is 1e-11 N.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

double end_of(const char* scenario, const char* output, const std::string& scheme,
              const std::string& jacobian, const char* step, const char* stop_time) {
  Simulation simulation(
      std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / scenario,
      {"coupling.scheme=" + scheme, "coupling.jacobian=" + jacobian,
       fmt::format("simulation.step_size=\"{}\"", step), fmt::format("simulation.stop_time={}", stop_time)});
  const auto failure = simulation.for_each_point([](const StepRecord&) {});
  EXPECT_FALSE(failure) << scheme << " " << jacobian << ": " << (failure ? failure->what : "");
  return simulation.value(output);
}

TEST(JointJacobians, OfDerivativesServeAtTheStepsOfDifferences) {
  for (const std::string jacobian : {"directional", "effective-inertia"}) {
    // Solved to 1e-8 the answer does not depend on the way to it.
    for (const char* step : {"1/512", "1/256"}) {
      const char* links = "double-pendulum/double-pendulum.toml";
      const double by_differences =
          end_of(links, "upper.angle", "implicit", "finite-difference", step, "0.25");
      EXPECT_NEAR(end_of(links, "upper.angle", "implicit", jacobian, step, "0.25"), by_differences, 1e-7)
          << jacobian << step;
      // One iteration leaves what the Jacobian is off by; the angle moves by 0.2.
      EXPECT_NEAR(end_of(links, "upper.angle", "semi-implicit", jacobian, step, "0.25"), by_differences, 2e-6)
          << jacobian << step;
    }
    const char* rods = "universal-joint-3d/universal-joint-3d.toml";
    EXPECT_NEAR(end_of(rods, "rod2.position[2]", "implicit", jacobian, "1/320", "0.1"),
                end_of(rods, "rod2.position[2]", "implicit", "finite-difference", "1/320", "0.1"), 1e-8)
        << jacobian;
  }
}

}  // namespace
}  // namespace ergon::bench

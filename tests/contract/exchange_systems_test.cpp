// FMUs for model exchange in systems: a mass that Ergon integrates for an FMU is the mass that it integrates for itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ergon/fmi/worker/worker.hpp"
#include "ergon/run/simulation.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

constexpr const char* native_mass = R"(
model = "oscillator.mass"
integrator = { method = "cvode-adams", rtol = 1e-11, atol = 1e-13 }
parameters = { m = 2.0, k = 90.0 }
initial = { v = -0.5 }
)";

std::string exchange_mass(int version, bool isolate) {
  return fmt::format(R"(
fmu = "{}/oscillator{}.fmu"
tolerance = 1e-11
isolate = {}
parameters = {{ mass = 2.0, stiffness = 90.0, mu = 0.0 }}
initial = {{ position = 0.0, velocity = -0.5 }}
energy = {{ stored = "energy.stored" }}
)",
                     ERGON_TEST_FMUS, version, isolate);
}

std::string scenario(const std::string& coupling, const std::string& mass) {
  return fmt::format(R"(
[simulation]
stop_time = 1.0
step_size = 0.01
[coupling]
{}
[[subsystem]]
name = "left"
model = "oscillator.force_output"
integrator = {{ method = "cvode-adams", rtol = 1e-11, atol = 1e-13 }}
parameters = {{ m = 1.0, k = 50.0, kc = 120.0 }}
initial = {{ v = 1.0 }}
[[subsystem]]
name = "right"
{}
[[bond]]
name = "spring"
a = {{ effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }}
b = {{ effort = "right.force", flow = "right.velocity", displacement = "right.position" }}
)",
                     coupling, mass);
}

struct FollowedExchange {
  std::vector<double> positions;
  Verdict verdict;
};

FollowedExchange follow(const std::string& text) {
  const test::TemporaryFolder folder;
  Simulation simulation{std::filesystem::path(folder.write("scenario.toml", text))};
  FollowedExchange run;
  const Index position = simulation.output("right.position");
  const auto failure = simulation.for_each_point(
      [&](const StepRecord& record) { run.positions.push_back(record.output(position)); });
  EXPECT_FALSE(failure) << failure->what;
  run.verdict = simulation.verdict();
  return run;
}

// Explicit with and without extrapolation, with repeated steps, with the Jacobian of the interface: the difference is that of two
// solvers with tolerances of 1e-11, 100 times begun anew; of the coupling it is none.
TEST(ExchangeSystems, AMassOfModelExchangeIsTheNativeMassInEveryScheme) {
  fmi::set_worker_command(ERGON_COMMAND);
  for (const char* coupling : {"scheme = \"jacobi\"\nextrapolation = \"hold\"",
                               "scheme = \"gauss-seidel\"\nextrapolation = \"quadratic\"",
                               "scheme = \"semi-implicit\"", "scheme = \"implicit\""}) {
    const FollowedExchange native = follow(scenario(coupling, native_mass));
    ASSERT_EQ(native.positions.size(), 101U);
    double largest = 0.0;
    for (const double x : native.positions) largest = std::max(largest, std::abs(x));
    EXPECT_GT(largest, 0.03);
    for (const int version : {2, 3}) {
      const FollowedExchange fmu = follow(scenario(coupling, exchange_mass(version, false)));
      ASSERT_EQ(fmu.positions.size(), native.positions.size());
      for (std::size_t i = 0; i < fmu.positions.size(); ++i)
        EXPECT_NEAR(fmu.positions[i], native.positions[i], 1e-7) << coupling << ", point " << i;
      EXPECT_EQ(fmu.verdict.energy, native.verdict.energy) << coupling;
      EXPECT_EQ(follow(scenario(coupling, exchange_mass(version, true))).positions, fmu.positions)
          << coupling << ", isolated";
    }
  }
}

// 90 N/m · x = 45 N: found from another guess, and at rest from there on.
TEST(ExchangeSystems, AStaticEquilibriumIsFoundInTheStatesOfTheFmu) {
  for (const int version : {2, 3}) {
    const test::TemporaryFolder folder;
    const std::string text = fmt::format(R"(
simulation = {{ stop_time = 1.0, step_size = 0.01 }}
[[subsystem]]
name = "right"
fmu = "{}/oscillator{}.fmu"
parameters = {{ mass = 2.0, stiffness = 90.0, mu = 0.0 }}
initial = {{ position = 0.1, velocity = 0.0, force = 45.0 }}
[initialization]
mode = "static"
free = ["right.position"]
)",
                                         ERGON_TEST_FMUS, version);
    Simulation simulation{std::filesystem::path(folder.write("scenario.toml", text))};
    const Index position = simulation.output("right.position");
    std::size_t points = 0;
    const auto failure = simulation.for_each_point([&](const StepRecord& record) {
      ++points;
      EXPECT_NEAR(record.output(position), 0.5, 1e-8);
    });
    EXPECT_FALSE(failure) << failure->what;
    EXPECT_EQ(points, 101U);
  }
}

}  // namespace
}  // namespace ergon

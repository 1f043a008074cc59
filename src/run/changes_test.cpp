// What a change of the parameters of a source does, and when.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ergon/run/simulation.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using test::TemporaryFolder;

/// 1 kg, pushed with 5 N, from a time on with 8 N.
std::string changed(const std::string& method, const std::string& time, int degree) {
  return fmt::format(R"(simulation = {{ stop_time = 1.0, step_size = 0.01 }}
coupling = {{ scheme = "{}", extrapolation = "{}" }}
step_control = {{ method = "{}" }}
[[subsystem]]
name = "push"
model = "source.constant"
parameters = {{ value = 5.0, unit = "N" }}
[[subsystem]]
name = "mass"
model = "oscillator.mass"
integrator = {{ method = "rk4" }}
[[connection]]
from = "push.value"
to = "mass.force"
[[change]]
time = {}
parameter = "push.value"
value = 8.0
)",
                     method == "milne" ? "implicit" : "jacobi", degree > 0 ? "linear" : "hold", method, time);
}

// v(1 s) = 5 t + 8 (1 − t), if the force changes at t and at no other time. The constant is sampled as it is: nothing is left out.
TEST(Changes, HappenAtTheTimeAskedForUnderStepControl) {
  const TemporaryFolder folder;
  for (const char* method : {"richardson", "milne"}) {
    for (const char* time : {"0.5", "0.12345", "0.33333", "0.9999871"}) {
      SCOPED_TRACE(fmt::format("{} {}", method, time));
      Simulation simulation(folder.write("changed.toml", changed(method, time, 0)));
      simulation.run();
      ASSERT_EQ(simulation.summary().parameter_changes.size(), 1U);
      EXPECT_EQ(simulation.summary().parameter_changes[0].time_s, std::stod(time));
      const double t = std::stod(time);
      EXPECT_NEAR(simulation.value("mass.velocity"), 5.0 * t + 8.0 * (1.0 - t), 1e-12);
      for (const VerdictReason& reason : simulation.verdict().reasons)
        EXPECT_NE(reason.kind, ReasonKind::source_sampling) << reason.what;
    }
  }
}

// The same with fixed steps, at every point of which the source is sampled.
TEST(Changes, OfASourceActFromTheirPointOnWithFixedSteps) {
  const TemporaryFolder folder;
  std::string text = changed("richardson", "0.5", 0);
  const auto control = text.find("step_control");
  text.erase(control, text.find('\n', control) - control);
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    SCOPED_TRACE(scheme);
    Simulation simulation(folder.write("fixed.toml", text), {std::string("coupling.scheme=") + scheme});
    simulation.run();
    EXPECT_NEAR(simulation.value("mass.velocity"), 6.5, 1e-12);
    for (const VerdictReason& reason : simulation.verdict().reasons)
      EXPECT_NE(reason.kind, ReasonKind::source_sampling) << reason.what;
  }
}

}  // namespace
}  // namespace ergon

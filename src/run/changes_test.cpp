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

/// 2 kg, pushed by nothing but an input that nothing feeds.
std::string pushed(const std::string& scheme, const std::string& change) {
  return fmt::format(R"(simulation = {{ stop_time = 1.0, step_size = 0.01 }}
coupling = {{ scheme = "{}" }}
[[subsystem]]
name = "mass"
model = "oscillator.mass"
integrator = {{ method = "rk4" }}
parameters = {{ m = 2.0, k = 0.0 }}
initial = {{ force = 3.0 }}
[[change]]
time = 0.25
parameter = "mass.force"
{}
)",
                     scheme, change);
}

// m·v(1 s) is the impulse.
TEST(Changes, OfAnInputThatNothingFeedsActForTheirTime) {
  const TemporaryFolder folder;
  const std::pair<const char*, double> cases[] = {
      {"value = 8.0", 3.0 * 0.25 + 8.0 * 0.75},
      {"value = 8.0\nuntil = 0.75", 3.0 * 0.5 + 8.0 * 0.5},
      {"bias = -1.0", 3.0 * 0.25 + 2.0 * 0.75},
      {"bias = -1.0\nuntil = 0.5", 3.0 * 0.75 + 2.0 * 0.25},
      {"value = 8.0\nuntil = 5.0", 3.0 * 0.25 + 8.0 * 0.75},
  };
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    for (const auto& [change, impulse] : cases) {
      SCOPED_TRACE(fmt::format("{} {}", scheme, change));
      Simulation simulation(folder.write("pushed.toml", pushed(scheme, change)));
      simulation.run();
      EXPECT_NEAR(2.0 * simulation.value("mass.velocity"), impulse, 1e-12);
    }
  }
}

TEST(Changes, ThatCannotBeMadeAreRefused) {
  const TemporaryFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {pushed("jacobi", "value = 8.0\nbias = 1.0"), "has both 'value' and 'bias'"},
      {pushed("jacobi", "value = 8.0\nuntil = 0.25"), "'until' in [[change]] no. 1 is not after 'time'"},
      {changed("off", "0.5", 0) + "[[change]]\ntime = 0.5\nparameter = \"mass.force\"\nvalue = 1.0\n",
       "'mass.force' is fed by a connection"},
  };
  for (auto [scenario, words] : cases) {
    if (const auto control = scenario.find("step_control"); control != std::string::npos)
      scenario.erase(control, scenario.find('\n', control) - control);
    try {
      Simulation simulation(folder.write("refused.toml", scenario));
      simulation.run();
      ADD_FAILURE() << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace ergon

#include "ergon/scenario/write/resolved_scenario.hpp"

#include <gtest/gtest.h>

#include "ergon/core/sha256.hpp"
#include "ergon/coupling/engine.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

const std::string everything = R"([simulation]
stop_time = "1/3"
step_size = 1e-3

[[subsystem]]
name = "m1"
model = "oscillator.mass"
integrator = { method = "cvode-adams", step = 0.00016666666666666666 }
parameters = { m = 3, force_ports = 2 }
initial = { x = -0.0, external_force = 1e22 }
initial_history = { position = [0.1] }

[[subsystem]]
name = "m2"
model = "oscillator.mass"
step_size = "1/700"

[[subsystem]]
name = "row"
model = "oscillator.chain"
parameters = { m = [1.0, 2.0], k = 5 }

[[subsystem]]
name = "load"
model = "source.table"
parameters = { file = "load.csv", unit = "N" }

[[element]]
name = "kc"
law = "spring-damper"
ends = ["m1:force2", "m2"]

[[connection]]
from = "load.value"
to = "m1.force1"
gain = 0.1

[[connection]]
from = ["load.value"]
to = "row.external_force[0]"
extrapolation = "linear"

[output]
variables = ["m1.*", "row.position"]
interval = 1e-2
)";

std::string saved(const TemporaryFolder& folder) {
  folder.write("load.csv", "time,force\n0,1\n1,2\n");
  return folder.write("scenario.toml", everything);
}

/// All outputs after some communication points.
std::vector<double> run(Opened& opened) {
  const auto made =
      Engine::make(*opened.built->system, opened.built->grid, opened.built->coupling, opened.problems);
  if (!made) throw InputError(opened.problems);
  Engine& engine = *made;
  EXPECT_FALSE(engine.initialize(opened.problems)) << opened.all();
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(engine.advance());
  std::vector<double> values;
  for (Index i = 0; i < opened.built->system->outputs.size(); ++i)
    values.push_back(engine.record().output(i));
  return values;
}

TEST(ResolvedScenario, LoadsToItself) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.settings = {"m2.m=0.1", "coupling.feedthrough=predict"};
  Opened first = open_file(saved(folder), overrides);
  ASSERT_TRUE(first.built) << first.all();
  const std::string text = resolved_toml(first.scenario, "1.2.3");

  // Elsewhere: the file of the table is still found.
  const TemporaryFolder results;
  Opened second = open_file(results.write("scenario.toml", text));
  ASSERT_TRUE(second.built) << second.all() << text;
  EXPECT_EQ(resolved_toml(second.scenario, "1.2.3"), text);
  EXPECT_EQ(second.built->coupling.initial_history, first.built->coupling.initial_history);
  EXPECT_EQ(second.built->recorded, first.built->recorded);
  EXPECT_EQ(run(second), run(first));
}

TEST(ResolvedScenario, SaysDefaultsAndOverrides) {
  const Opened o = open_text(two_masses, {"left.m=0.1"});
  const std::string text = resolved_toml(o.scenario, "1.2.3");
  for (const char* part : {"start_time = 0.0\n", "threads = 1\n", "on_unreliable = \"continue\"\n",
                           "step_size = 0.001\n", "step_size = 1e-04\n", "m = 0.1", "cc = 0.0",
                           "integrator = { method = \"semi-implicit-euler\", step = \"communication\" }",
                           "initial = { v = -100.0, x = 0.0 }", "starter = \"none\"",
                           "ergon_version = \"1.2.3\"", "overrides = [ \"left.m=0.1\" ]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(ResolvedScenario, SaysTheThreadsOfTheCommandLine) {
  ScenarioOverrides overrides;
  overrides.threads = 2;
  const Opened o = open_text(two_masses, overrides);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.built->coupling.threads, 2U);
  const std::string text = resolved_toml(o.scenario, "1");
  EXPECT_NE(text.find("threads = 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("simulation.threads=2"), std::string::npos) << text;
}

TEST(ResolvedScenario, NamesEveryInputFileWithItsHash) {
  const TemporaryFolder folder;
  const Opened o = open_file(saved(folder));
  const std::string text = resolved_toml(o.scenario, "1");
  EXPECT_NE(text.find(sha256(everything)), std::string::npos);
  EXPECT_NE(text.find(sha256("time,force\n0,1\n1,2\n")), std::string::npos);

  // As long as nobody edits it, the copy comes from the same files; then it is a scenario of its own.
  const TemporaryFolder results;
  EXPECT_EQ(open_file(results.write("a.toml", text)).scenario.inputs.at(0).sha256, sha256(everything));
  const std::string edited = with(text, "stop_time = \"1/3\"", "stop_time = 1");
  EXPECT_EQ(open_file(results.write("b.toml", edited)).scenario.inputs.at(0).sha256, sha256(edited));
}

TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace ergon::test

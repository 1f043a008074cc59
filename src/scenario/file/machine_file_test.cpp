// Machine files: numbers that no machine has are refused where they stand; what a scenario changes of a machine.
#include "ergon/scenario/file/machine_file.hpp"

#include <gtest/gtest.h>

#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

const std::string crane_machine = R"([machine]
gravity = [0, 0, -9.81]

[[body]]
name = "boom"
mass = 80
inertia = [1, 20, 20]
position = [1, 0, 1]

[[body]]
name = "log"
mass = 200
inertia = [5, 5, 5]
position = [2, 0, 0]

[[joint]]
name = "pivot"
type = "revolute"
a = "ground"
b = "boom"
point = [0, 0, 1]
axis = [0, 1, 0]

[[joint]]
name = "boom"
type = "spherical"
a = "boom"
b = "log"
point = [2, 0, 1]

[[marker]]
name = "hook"
body = "log"
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

std::string problems_of(const std::string& text) {
  ProblemList problems;
  const auto machine = read_machine(text, "m.toml", problems);
  EXPECT_EQ(machine == nullptr, problems.has_errors());
  std::string all;
  for (const Problem& p : problems.all()) all += to_string(p) + "\n";
  return all;
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(MachineFile, NumbersThatAreNotFiniteOrTooLargeAreRefusedWithLineAndColumn) {
  expect_part(problems_of(replaced(crane_machine, "mass = 80", "mass = inf")), "m.toml:6:8: error: 'mass'");
  expect_part(problems_of(replaced(crane_machine, "[1, 20, 20]", "[1, 1e300, 20]")),
              "m.toml:7:15: error: 'inertia'");
  expect_part(problems_of(replaced(crane_machine, "[1, 0, 1]", "[1, nan, 1]")),
              "m.toml:8:16: error: 'position'");
  expect_part(problems_of(replaced(crane_machine, "-9.81", "-inf")), "m.toml:2:18: error: 'gravity'");
  expect_part(problems_of(replaced(crane_machine, "axis = [0, 1, 0]", "damping = 1e16")), "out of range");
  expect_part(problems_of(crane_machine + "[solver]\njoint_relaxation = inf\n"), "joint_relaxation");
  EXPECT_EQ(problems_of(crane_machine), "");
}

/// A scenario of that machine, with more lines in its subsystem.
struct CraneScenario {
  explicit CraneScenario(const std::string& more = {}) {
    (void)folder.write("crane.toml", crane_machine);
    path = folder.write("scenario.toml",
                        "[simulation]\nstop_time = 0.02\nstep_size = 1e-3\n[[subsystem]]\nname = \"crane\"\n"
                        "model = \"multibody.nonsmooth\"\ndescription = \"crane.toml\"\n" +
                            more);
  }
  [[nodiscard]] Opened open(const std::vector<std::string>& settings = {}) const {
    ScenarioOverrides overrides;
    overrides.settings = settings;
    return open_file(path, overrides);
  }
  TemporaryFolder folder;
  std::string path;
};

/// Mass of all bodies, as the account of the machine says.
double mass_of(Opened& opened) {
  if (!opened.built) {
    ADD_FAILURE() << opened.all();
    return 0.0;
  }
  const EnergyAccount* account = opened.built->system->nodes[0].subsystem->energy_account();
  std::vector<double> received(100, 0.0);
  AccountSample sample;
  sample.received_J = received;
  account->sample({}, sample);
  return sample.momentum.mass_kg;
}

TEST(MachineFile, ScenariosChangePartsByName) {
  Opened plain = CraneScenario().open();
  EXPECT_EQ(mass_of(plain), 280.0);
  Opened by_file = CraneScenario("machine = { log = { mass = 500 } }\n").open();
  EXPECT_EQ(mass_of(by_file), 580.0);
  Opened by_option = CraneScenario().open({"crane.log.mass=500", "crane.body.boom.mass=100"});
  EXPECT_EQ(mass_of(by_option), 600.0);
}

TEST(MachineFile, WrongNamesOfPartsAreRefusedWithWhatWasMeant) {
  const std::string of_part = CraneScenario("machine = { lgo = { mass = 500 } }\n").open().all();
  expect_part(of_part, "scenario.toml:8:13");
  expect_part(of_part, "The machine has no part 'lgo'. Did you mean 'log'?");
  const std::string of_key = CraneScenario().open({"crane.log.mas=500"}).all();
  expect_part(of_key, "--set crane.log.mas=500");
  expect_part(of_key, "Did you mean 'mass'?");
  const std::string of_two = CraneScenario().open({"crane.boom.mass=500"}).all();
  expect_part(of_two, "'boom' is the name of a body and of a joint of the machine.");
  const std::string of_kind = CraneScenario().open({"crane.joint.boon.damping=5"}).all();
  expect_part(of_kind, "The machine has no joint 'boon'. Did you mean 'boom'?");
  const std::string of_value = CraneScenario().open({"crane.log.mass=inf"}).all();
  expect_part(of_value, "--set crane.log.mass=inf");
  const std::string of_name = CraneScenario().open({"crane.log.name=wood"}).all();
  expect_part(of_name, "cannot be changed here");
}

TEST(MachineFile, GravityAndTheSolverAreChangedToo) {
  ProblemList problems;
  const auto changes =
      parse_document("gravity = [0, 0, -1.62]\nsolver = { joint_relaxation = 3 }\n", "s", problems);
  const auto machine = read_machine(crane_machine, "m.toml", problems, &*changes);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gravity_m_s2[2], -1.62);
  EXPECT_EQ(machine->solver.joint_relaxation, 3.0);
  EXPECT_EQ(machine->bodies[1].mass_kg, 200.0);
  EXPECT_TRUE(CraneScenario().open({"crane.gravity=[0,0,-1.62]"}).built);
}

TEST(MachineFile, TheResolvedScenarioKeepsWhatWasChanged) {
  const CraneScenario scenario;
  const Opened changed = scenario.open({"crane.log.mass=500", "crane.gravity=[0,0,-1.62]"});
  const std::string text = resolved_toml(changed.scenario, "1");
  Opened again = open_file(scenario.folder.write("resolved.toml", text));
  EXPECT_EQ(mass_of(again), 580.0);
  EXPECT_EQ(resolved_toml(again.scenario, "1"), text);
}

TEST(MachineFile, JointsStartAtTheCoordinatesThatAScenarioGives) {
  const CraneScenario scenario("initial = { pivot = 0.3 }\n");
  const Opened opened = scenario.open();
  ASSERT_TRUE(opened.built) << opened.all();
  const double stored = [&] {
    std::vector<double> received(100, 0.0);
    AccountSample sample;
    sample.received_J = received;
    opened.built->system->nodes[0].subsystem->energy_account()->sample({}, sample);
    return sample.stored_J;
  }();
  // The boom turns about +y, so that what is at x > 0 goes down: its middle by sin 0.3, the log as it hangs by 2 sin 0.3 or less.
  EXPECT_LT(stored, 80.0 * 9.81);
  Opened again = open_file(scenario.folder.write("resolved.toml", resolved_toml(opened.scenario, "1")));
  EXPECT_TRUE(again.built) << again.all();
  expect_part(scenario.open({"crane.initial.pivto=0.3"}).all(), "pivto");
  EXPECT_TRUE(scenario.open({"crane.initial.pivot=0.5"}).built);
}

TEST(MachineFile, OtherModelsHaveNoMachine) {
  const TemporaryFolder folder;
  const Opened opened =
      open_file(folder.write("s.toml",
                             "[simulation]\nstop_time = 1\nstep_size = 0.1\n[[subsystem]]\nname = "
                             "\"m\"\nmodel = \"oscillator.mass\"\n"
                             "machine = { log = { mass = 5 } }\n"));
  expect_part(opened.all(), "takes no machine file");
}

}  // namespace
}  // namespace ergon::test

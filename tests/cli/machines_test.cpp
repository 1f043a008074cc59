// Machine files as their user meets them: all mistakes at once, with file, line and remedy; what a machine is before a run.
#include <gtest/gtest.h>

#include <string>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string source_folder = ERGON_SOURCE_DIR;

void expect_machine_text(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

const std::string machine_scenario =
    "[simulation]\nstop_time = 0.1\nstep_size = 1e-3\n[[subsystem]]\nname = \"m\"\nmodel = "
    "\"multibody.nonsmooth\"\n";

/// `ergon check` of a machine file with this text.
Outcome check(const std::string& machine) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "machine.toml") << machine;
  std::ofstream(directory / "scenario.toml") << machine_scenario << "description = \"machine.toml\"\n";
  return ergon("check " + (directory / "scenario.toml").string());
}

const std::string two_bodies =
    "[[body]]\nname = \"one\"\nmass = 1\ninertia = [1, 1, 1]\n"                         // lines 1 to 4
    "[[body]]\nname = \"two\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [1, 0, 0]\n";  // lines 5 to 9

TEST(Machines, AllMistakesAreToldAtOnceWithLineAndRemedy) {
  const Outcome outcome = check(
      "[[body]]\nname = \"light\"\nmass = -2\ninertia = [1, 1, 1]\n"                 // line 1
      "[[body]]\nname = \"thin\"\nmass = 1\ninertia = [1, 1, 3]\n"                   // line 5
      "[[body]]\nname = \"light\"\nmass = 1\ninertia = [1, 1, 1]\n"                  // line 9
      "[[joint]]\nname = \"J\"\ntype = \"revolute\"\na = \"thin\"\nb = \"lihgt\"\n"  // line 13
      "[[shape]]\nname = \"S\"\nbody = \"thin\"\ntype = \"sphere\"\nradius = 0\n"    // line 18
      "[[contact]]\na = \"S\"\nb = \"floor\"\nmaterial = \"wood\"\n");               // line 23
  EXPECT_EQ(outcome.exit_code, 2);
  expect_machine_text(outcome.output, "machine.toml:1:");
  expect_machine_text(outcome.output, "The mass of body 'light' is -2 kg");
  expect_machine_text(outcome.output, "machine.toml:5:");
  expect_machine_text(outcome.output, "The largest is at most the sum of the other two");
  expect_machine_text(outcome.output, "machine.toml:9:");
  expect_machine_text(outcome.output, "Body 'light' is in two places: it is described in line 1 already");
  expect_machine_text(outcome.output, "machine.toml:13:");
  expect_machine_text(outcome.output, "Did you mean 'light'?");
  expect_machine_text(outcome.output, "machine.toml:18:");
  expect_machine_text(outcome.output, "Give a length > 0");
  expect_machine_text(outcome.output, "machine.toml:23:");
  expect_machine_text(outcome.output, "There is no material 'wood'");
}

TEST(Machines, SlipsOfThePenAreToldWithThoseOfMeaning) {
  const Outcome outcome = check(
      "[[body]]\nname = \"one\"\nmas = 1\ninertia = [1, 1]\n[[joint]]\nname = \"J\"\ntype = \"hinge\"\n");
  EXPECT_EQ(outcome.exit_code, 2);
  expect_machine_text(outcome.output, "machine.toml:3:");
  expect_machine_text(outcome.output, "Did you mean 'mass'?");
  expect_machine_text(outcome.output, "'inertia' in [[body]] 'one' has 2 numbers");
  expect_machine_text(outcome.output, "Unknown type 'hinge'");
}

TEST(Machines, PartsThatCannotBeAssembledNameTheJointThatStaysOpen) {
  const Outcome outcome = check(
      two_bodies +
      "[[joint]]\nname = \"near\"\ntype = \"spherical\"\na = \"one\"\nb = \"two\"\npoint = [0.5, 0, 0]\n"
      "[[joint]]\nname = \"far\"\ntype = \"spherical\"\na = \"one\"\nb = \"two\"\n"
      "point_a = [5, 0, 0]\npoint_b = [0, 0, 0]\n");
  EXPECT_EQ(outcome.exit_code, 2);
  expect_machine_text(outcome.output, "The parts cannot be assembled");
  expect_machine_text(outcome.output, "Check the points and axes of this joint");
}

TEST(Machines, AMissingFileOrDescriptionIsToldWithTheRemedy) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.toml") << machine_scenario;
  std::ofstream(directory / "b.toml") << machine_scenario << "description = \"nowhere.toml\"\n";
  const Outcome without = ergon("check " + (directory / "a.toml").string());
  EXPECT_EQ(without.exit_code, 2);
  expect_machine_text(without.output, "'m' has no 'description'");
  const Outcome elsewhere = ergon("check " + (directory / "b.toml").string());
  EXPECT_EQ(elsewhere.exit_code, 2);
  expect_machine_text(elsewhere.output, "cannot be read");
}

TEST(Machines, CheckTellsRankDegreesOfFreedomAndRedundantRowsByName) {
  const Outcome outcome = check(
      two_bodies +
      "[[joint]]\nname = \"near\"\ntype = \"revolute\"\na = \"one\"\nb = \"two\"\npoint = [0.5, 0, 0]\naxis "
      "= [0, 1, 0]\n"
      "[[marker]]\nname = \"end\"\nbody = \"one\"\n"
      "[[joint]]\nname = \"again\"\ntype = \"spherical\"\na = \"one\"\nb = \"two\"\npoint = [0.5, 0, 1]\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  // The second point is on the axis of neither: it takes the turning away; its other two rows are there already.
  expect_machine_text(outcome.output, "8 constraint rows of rank 6, 6 degrees of freedom");
  expect_machine_text(outcome.output, "redundant: again: point ");
}

TEST(Machines, ModelsTellsWhatAMachineFileHolds) {
  const Outcome outcome = ergon("models " + source_folder + "/benchmarks/log-crane/machine.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  expect_machine_text(outcome.output, "18 bodies, 22 joints");
  expect_machine_text(outcome.output, "97 constraint rows of rank 97, 11 degrees of freedom");
  expect_machine_text(outcome.output, "cylinder1_force");
  expect_machine_text(outcome.output, "held by -6346");
}

}  // namespace
}  // namespace ergon::cli

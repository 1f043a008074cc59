// Constrained multibody systems and cables as their user meets them: what is wrong is said before the start, what goes wrong
// is said with subsystem and time.
#include <gtest/gtest.h>

#include <string>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string benchmarks = std::string(ERGON_SOURCE_DIR) + "/benchmarks/";

/// Runs a scenario that must end with the exit code; returns what was printed.
std::string run_expecting(int exit_code, const std::string& scenario_and_options) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      ergon("run " + benchmarks + scenario_and_options + " --quiet --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.output;
  return outcome.output;
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(Constrained, AStepThatDrivesConstraintsApartIsRefusedWithTheRemedy) {
  const std::string text = run_expecting(2, "pendula/pendula.toml --step-size 1e-2");
  expect_in(text, "'first'");
  expect_in(text, "it is 0.01 s");
  expect_in(text, "smaller constraint_omega");
}

TEST(Constrained, ACableStepAboveItsLimitIsRefusedWithTheLimit) {
  const std::string text = run_expecting(
      2, "pendulum-cable/pendulum-cable.toml --step-size 2e-2 --set cable.integrator.step=communication");
  expect_in(text, "'cable'");
  expect_in(text, "stability limit");
}

// Uncorrected and held over 10 ms the energy grows until the motion can no longer be computed.
TEST(Constrained, ARunawayIsToldWithSubsystemAndTime) {
  const std::string text = run_expecting(
      1, "pendulum-cable/pendulum-cable.toml --step-size 1e-2 --set 'bond.A.correction={method=\"none\"}'");
  expect_in(text, "t = ");
  EXPECT_TRUE(text.find("'rod'") != std::string::npos || text.find("'cable'") != std::string::npos) << text;
}

TEST(Constrained, ACableThatStartsElsewhereThanItsHolderIsRefusedWithBothPoints) {
  const std::string shifted = "../examples/cable-and-mass.toml --set cable.a=[0,0.1,0]";
  for (const char* scheme : {"", " --set coupling.scheme=gauss-seidel"}) {
    const std::string text = run_expecting(2, shifted + scheme);
    expect_in(text, "'cable' cannot start: end A of the cable is at (0, 0.1, 0) m");
    expect_in(text, "'a_position' at (0, 0, 0) m");
  }
  // Held in a sweep, the first step sees where the body has got to: no reason to refuse.
  run_expecting(0,
                "../examples/cable-and-mass.toml --stop-time 0.1 --set coupling.scheme=gauss-seidel "
                "--set bond.hook.extrapolation=hold");
}

TEST(Constrained, UnphysicalParametersAreRefusedBeforeTheStart) {
  expect_in(run_expecting(2, "pendulum-cable/pendulum-cable.toml --set cable.E=-1"), "'E'");
  expect_in(run_expecting(2, "pendulum-cable/pendulum-cable.toml --set cable.length=9"), "starts straight");
  expect_in(run_expecting(
                2, "pendulum-cable/pendulum-cable.toml --step-size 2e-2 --set cable.integrator.step=2e-2"),
            "stability limit");
  expect_in(run_expecting(2, "pendulum-cable/pendulum-cable.toml --set rod.density=0"), "'density'");
  expect_in(run_expecting(2, "pendulum-cable/pendulum-cable.toml --set rod.integrator.method=rk4"),
            "semi-implicit-euler or newmark");
  expect_in(run_expecting(2, "pendula/pendula.toml --set second.length=0"), "'length'");
}

}  // namespace
}  // namespace ergon::cli

// The verdict as the user of `ergon run` meets it: words, summary.json, exit codes, stopping.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string judged_oscillator = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";
const std::string refreshed = " --set bond.coupling.feedthrough=refresh";

struct FinishedRun : Outcome {
  nlohmann::json summary;
};

FinishedRun run(const std::string& arguments) {
  const TemporaryDirectory directory;
  FinishedRun result{ergon("run " + arguments + " --out " + (directory / "out").string()), {}};
  result.summary = nlohmann::json::parse(read_file(directory / "out" / "summary.json"));
  return result;
}

TEST(VerdictCommand, IsPrintedAndWritten) {
  const FinishedRun good = run(judged_oscillator + refreshed);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_NE(good.output.find("verdict: reliable\n"), std::string::npos) << good.output;
  EXPECT_EQ(good.summary["verdict"]["value"], "reliable");
  ASSERT_EQ(good.summary["verdict"]["reasons"].size(), 2U);
  EXPECT_EQ(good.summary["verdict"]["reasons"][0]["kind"], "motion");
  EXPECT_EQ(good.summary["verdict"]["reasons"][1]["kind"], "energy-balance");
  EXPECT_EQ(good.summary["verdict"]["energy"], "consistent");
  EXPECT_EQ(good.summary["motion"]["checked"], true);
  EXPECT_EQ(good.summary["motion"]["variables"]["left.position"]["unit"], "m");

  const FinishedRun bad = run(judged_oscillator);
  EXPECT_EQ(bad.exit_code, 0) << "a finished run, and nobody was strict";
  EXPECT_NE(bad.output.find("verdict: unreliable\n  errors above 5 % from "), std::string::npos)
      << bad.output;
  EXPECT_EQ(bad.summary["status"], "finished");
  EXPECT_EQ(bad.summary["verdict"]["value"], "unreliable");
  EXPECT_NE(bad.output.find("  try feedthrough = \"refresh\" at bond 'coupling' and "), std::string::npos)
      << bad.output;
  EXPECT_NE(bad.output.find("(--set bond.coupling.feedthrough=refresh "), std::string::npos) << bad.output;
  const auto& reason = bad.summary["verdict"]["reasons"][1];
  EXPECT_EQ(reason["says"], "unreliable");
  EXPECT_EQ(reason["bond"], "coupling");
  EXPECT_EQ(reason["subsystems"], nlohmann::json({"left", "right"}));
  EXPECT_GT(reason["from_s"], 1.0);
  EXPECT_EQ(reason["to_s"], 10.0);
  EXPECT_GT(reason["ratio"], 1.0);
  EXPECT_NE(reason["what"].get<std::string>().find("10000 J"), std::string::npos);
}

// Its first movements are off by more than 5 % of what has moved then, which is little of what follows.
TEST(VerdictCommand, AMotionThatIsRightIsRightToTheEnd) {
  const FinishedRun boom = run(std::string(ERGON_SOURCE_DIR) +
                               "/examples/led-boom.toml --set "
                               "'output.accuracy={\"boom.jack_force\"=\"any\",\"boom.jack_rate\"=\"any\"}'");
  const auto& motion = boom.summary["motion"];
  ASSERT_LT(motion["ratio"], 0.05);
  ASSERT_LT(motion["variables"]["boom.jack_length"]["passes_5_percent_s"], 1.0);
  EXPECT_EQ(motion["right_until_s"], boom.summary["reached_time_s"]);
  EXPECT_EQ(boom.output.find("errors above"), std::string::npos) << boom.output;
}

// What the books alone can say, and the files of a check.
TEST(VerdictCommand, WithoutACheckNothingIsReliable) {
  const FinishedRun off = run(judged_oscillator + refreshed + " --check=off");
  EXPECT_NE(off.output.find("verdict: consistent\n"), std::string::npos) << off.output;
  EXPECT_EQ(off.summary["motion"]["check"], "off");
  EXPECT_EQ(off.summary["motion"]["checked"], false);
  EXPECT_EQ(off.summary["verdict"]["motion"], "not monitored");
  EXPECT_EQ(ergon("run " + judged_oscillator + " --check=twice").exit_code, 2);

  const TemporaryDirectory directory;
  const std::string scenario = judged_oscillator + refreshed + " --quiet --set simulation.stop_time=1";
  ASSERT_EQ(ergon("run " + scenario + " --check=half --out " + (directory / "half").string()).exit_code, 0);
  ASSERT_EQ(ergon("run " + scenario + " --check=off --out " + (directory / "off").string()).exit_code, 0);
  EXPECT_EQ(read_file(directory / "half" / "results.csv"), read_file(directory / "off" / "results.csv"));
  EXPECT_EQ(read_file(directory / "half" / "motion.csv").find("time,left.position"), 0U);
  EXPECT_FALSE(std::filesystem::exists(directory / "off" / "motion.csv"));
  EXPECT_NE(read_file(directory / "half" / "scenario.toml").find("check = \"half\""), std::string::npos);
}

TEST(VerdictCommand, StrictEndsWithExitCode3WhereItIsUnreliable) {
  EXPECT_EQ(run(judged_oscillator + " --strict").exit_code, 3);
  EXPECT_EQ(run(judged_oscillator + refreshed + " --strict").exit_code, 0);
}

TEST(VerdictCommand, QuietTellsNothingButAnUnreliableVerdict) {
  EXPECT_EQ(run(judged_oscillator + refreshed + " --quiet").output, "");
  const std::string warning = run(judged_oscillator + " --quiet").output;
  EXPECT_EQ(warning.find("warning: the results are unreliable: errors above 5 % from "), 0U) << warning;
  EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1);
}

// 15 % too much energy at 2.2 s: it stops soon after, and keeps what it had.
TEST(VerdictCommand, StopsARunThatIsUnreliable) {
  const TemporaryDirectory directory;
  const std::string stop = " --set simulation.on_unreliable=stop --out " + (directory / "out").string();
  const Outcome outcome = ergon("run " + judged_oscillator + stop);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.output.find("stopped as unreliable at t = "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("verdict: unreliable\n"), std::string::npos) << outcome.output;
  const auto summary = nlohmann::json::parse(read_file(directory / "out" / "summary.json"));
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["verdict"]["value"], "unreliable");
  EXPECT_GT(summary["reached_time_s"], 2.0);
  EXPECT_LT(summary["reached_time_s"], 3.0);
  const std::string results = read_file(directory / "out" / "results.csv");
  EXPECT_EQ(static_cast<double>(std::count(results.begin(), results.end(), '\n')),
            1.0 + summary["points"].get<double>());
  EXPECT_NE(read_file(directory / "out" / "scenario.toml").find("on_unreliable = \"stop\""),
            std::string::npos);

  EXPECT_EQ(ergon("run " + judged_oscillator + refreshed + stop).exit_code, 0);
}

TEST(VerdictCommand, AFailedRunIsUnreliable) {
  const FinishedRun failed = run(judged_oscillator + " --step-size 1 --stop-time 2000");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.summary["verdict"]["value"], "unreliable");
  const auto& reason = failed.summary["verdict"]["reasons"][0];
  EXPECT_EQ(reason["kind"], "failure");
  EXPECT_EQ(reason["subsystems"][0], failed.summary["failure"]["subsystem"]);
  EXPECT_EQ(reason["from_s"], failed.summary["failure"]["time_s"]);
}

TEST(VerdictCommand, AnUnknownReactionIsRefused) {
  const Outcome outcome = ergon("check " + judged_oscillator + " --set simulation.on_unreliable=panic");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("on_unreliable"), std::string::npos) << outcome.output;
}

// The multiplier form exchanges the same numbers as force/force where the directions are fixed: its books say the same. Its element
// has no flow input, but is told the motion of the point all the same.
TEST(VerdictCommand, JudgesTheMultiplierFormAsForceForce) {
  const std::string pendulum =
      std::string(ERGON_SOURCE_DIR) + "/benchmarks/double-pendulum/double-pendulum.toml --stop-time 0.5";
  const auto by_form = [&](const std::string& form) {
    return run(pendulum + " --set elbow.form=" + form).summary;
  };
  const auto forces = by_form("force/force");
  const auto multipliers = by_form("multiplier");
  EXPECT_EQ(multipliers["verdict"]["value"], "reliable");
  EXPECT_EQ(forces["verdict"]["value"], "reliable");
  for (const char* bond : {"elbow.i", "elbow.j"}) {
    const double exchanged_J = forces["bonds"][bond]["exchanged_energy_J"];
    EXPECT_NEAR(multipliers["bonds"][bond]["interface_energy_J"].get<double>(), 0.0, 1e-12 * exchanged_J);
    EXPECT_NEAR(multipliers["bonds"][bond]["exchanged_energy_J"].get<double>(), exchanged_J,
                1e-9 * exchanged_J);
  }
}

// Coupling variables and outputs differed by more than their size, step after step, and the run was reliable: the stiff damper at
// the left mass is not in the Jacobian, and what it takes out hides the rest from the energy balance.
TEST(VerdictCommand, DoesNotTrustCouplingVariablesThatDidNotConverge) {
  const TemporaryDirectory directory;
  const std::string scenario = directory.write("stiff.toml", R"(
simulation = { stop_time = 1.0, step_size = 1e-2 }
coupling = { scheme = "semi-implicit", jacobian = "effective-inertia", degree = 1 }

[[subsystem]]
name = "left"
model = "oscillator.mass"
integrator = { method = "rk4", step = 1e-5 }
parameters = { k = 10.0, c = 1e4 }
initial = { v = 1.0 }

[[subsystem]]
name = "right"
model = "oscillator.mass"
integrator = { method = "rk4", step = 1e-4 }
parameters = { k = 1000.0 }
initial = { v = -1.0 }

[[element]]
name = "spring"
law = "spring-damper"
ends = ["left", "right"]
parameters = { k = 1e3, c = 100.0 }
)");
  // By the books alone, and beside what companions find.
  for (const auto& [check, place] : {std::pair(" --check=off", 0), std::pair(" --check=auto", 1)}) {
    const FinishedRun stiff = run(scenario + check);
    EXPECT_EQ(stiff.exit_code, 0) << stiff.output;
    EXPECT_GT(stiff.summary["implicit"]["largest_residual"], 1.0);
    EXPECT_EQ(stiff.summary["verdict"]["value"], "unreliable");
    const auto& reason = stiff.summary["verdict"]["reasons"][place];
    EXPECT_EQ(reason["kind"], "coupling-residual") << check;
    EXPECT_EQ(reason["says"], "unreliable") << check;
  }
  // With the Jacobian of the system itself one step solves it: what is wrong then is something else.
  const FinishedRun solved = run(scenario + " --set coupling.jacobian=finite-difference");
  EXPECT_LT(solved.summary["implicit"]["largest_residual"], 0.03);
  for (const auto& reason : solved.summary["verdict"]["reasons"])
    EXPECT_NE(reason["kind"], "coupling-residual");
}

}  // namespace
}  // namespace ergon::cli

// Hydraulics as the user of `ergon run` meets them: the verdict on the crane, where a run ends, what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string crane = std::string(ERGON_SOURCE_DIR) + "/benchmarks/hydraulic-crane/crane.toml";
const std::string too_long = " --set mechanics.step_size=0.0115";
const std::string fine_steps = " --set hydraulics.step_size=1e-4 --set spool.step_size=1e-4";

nlohmann::json verdict_of(const std::string& settings) {
  const TemporaryDirectory directory;
  const Outcome outcome = ergon("run " + crane + settings + " --quiet --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  return nlohmann::json::parse(read_file(directory / "out" / "summary.json"))["verdict"];
}

// [rodriguez2022, Fig. 37]: the oscillation is between 3 and 5 s.
TEST(HydraulicCrane, TheVerdictTellsTheSpuriousOscillation) {
  const auto verdict = verdict_of(too_long + fine_steps + " --stop-time 9.9935");
  EXPECT_EQ(verdict["value"], "unreliable");
  EXPECT_EQ(verdict["energy"], "unreliable");
  EXPECT_EQ(verdict["motion"], "unreliable");
  bool covers = false;
  for (const auto& reason : verdict["reasons"]) {
    // The motion is wrong from then on, and samples are few all the time: energy tells where it comes from.
    if (reason["kind"] != "sudden-change" && reason["kind"] != "energy-balance") continue;
    const double from = reason["from_s"], to = reason["to_s"];
    EXPECT_GT(from, 2.0) << reason;
    EXPECT_LT(to, 6.0) << reason;
    covers = covers || (from < 3.0 && to > 5.0);
  }
  EXPECT_TRUE(covers) << verdict;
}

TEST(HydraulicCrane, TheVerdictTrustsShortSteps) {
  EXPECT_EQ(verdict_of(" --set mechanics.step_size=1e-3" + fine_steps)["value"], "reliable");
}

TEST(HydraulicCrane, AChamberThatIsTornEmptyEndsTheRun) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      ergon("run " + crane + too_long + fine_steps + " --stop-time 12 --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(std::regex_search(
      outcome.output,
      std::regex(R"(error: 'hydraulics' failed at t = 11\.\d+ s: the pressure of chamber \d fell below 0)")))
      << outcome.output;
  EXPECT_GT(read_file(directory / "out" / "results.csv").size(), 1000U) << "what was reached is kept";
}

// A piston that is led to its end at 0.221 m, which it reaches after 0.221 s; and one that presses oil beyond the pressure at
// which a + 2 b p = 0, here 8 MPa.
TEST(HydraulicLimits, EndTheRunWithCylinderChamberAndTime) {
  const std::string led = R"(simulation = { stop_time = 1.0, step_size = 1e-4 }
[[subsystem]]
name = "way"
model = "source.ramp"
parameters = { duration_s = 1.0, after = 1.0, unit = "m" }
[[subsystem]]
name = "jack"
model = "hydraulics.cylinder"
initial = { velocity_in = 0.0, spool = 0.5 }
[[connection]]
from = "way.value"
to = "jack.position_in"
)";
  const TemporaryDirectory directory;
  const std::string file = directory.write("jack.toml", led);
  const std::string out = " --out " + (directory / "out").string();
  const Outcome at_its_end = ergon("run " + file + out);
  EXPECT_EQ(at_its_end.exit_code, 1);
  EXPECT_TRUE(std::regex_search(
      at_its_end.output, std::regex(R"('jack' failed at t = 0\.2210?1? s: chamber 1 has no length left)")))
      << at_its_end.output;
  const Outcome pressed =
      ergon("run " + file + out + " --set jack.a=1.6e-9 --set jack.b=-1e-16 --set jack.velocity_in=0.05");
  EXPECT_EQ(pressed.exit_code, 1);
  EXPECT_TRUE(std::regex_search(
      pressed.output,
      std::regex(R"('jack' failed at t = 0\.\d+ s: the pressure of chamber 1 is beyond a \+ 2 b p = 0)")))
      << pressed.output;
}

const std::string lift = R"([simulation]
stop_time = 0.1
step_size = 1e-4

[[subsystem]]
name = "load"
model = "oscillator.mass"
parameters = { m = 500.0 }
initial = { x = 0.5, external_force = -4905.0 }

[[subsystem]]
name = "cylinder"
model = "hydraulics.cylinder"
parameters = { s0 = 0.5, valve_area = 5e-5 }

[[bond]]
name = "piston"
a = { effort = "cylinder.force", flow = "cylinder.velocity_in", displacement = "cylinder.position_in" }
b = { effort = "load.force", flow = "load.velocity", displacement = "load.position" }

[initialization]
mode = "static"
free = ["cylinder.p1", "cylinder.p2", "cylinder.spool"]
)";

struct HydraulicMistake {
  std::string name, piece, replacement;
  int exit_code;
  std::string message;  ///< regular expression
};
void PrintTo(const HydraulicMistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

const std::vector<HydraulicMistake> hydraulic_mistakes = {
    {"Nothing", "s0 = 0.5", "s0 = 0.5", 0, "verdict: reliable"},
    {"NegativeArea", "s0 = 0.5", "s0 = 0.5, area_1 = -1e-3", 2, R"(lift\.toml:14:\d+: error: .*'area_1')"},
    {"NoOil", "s0 = 0.5", "s0 = 0.5, b = -1e-15", 2,
     R"(lift\.toml:11:\d+: error: 'cylinder'.*no bulk modulus at pump_pressure)"},
    {"PumpBelowTank", "s0 = 0.5", "s0 = 0.5, tank_pressure = 8e6", 2,
     R"(lift\.toml:11:\d+: error: 'cylinder'.*not above tank_pressure)"},
    {"MisspeltParameter", "s0 = 0.5", "s0 = 0.5, pump_presure = 7e6", 2,
     R"(lift\.toml:14:\d+: error: .*pump_presure.*pump_pressure)"},
    {"PistonOutside", "s0 = 0.5", "s0 = 0.9", 2,
     R"(lift\.toml:22:\d+: error: The static equilibrium cannot be looked for)"},
    {"MisspeltFree", "\"cylinder.spool\"", "\"cylinder.spol\"", 2,
     R"(lift\.toml:23:\d+: error: .*cylinder\.spol.*cylinder\.spool)"},
    {"NotDetermined", "\"cylinder.spool\"", "\"cylinder.spool\", \"load.external_force\"", 2,
     R"(lift\.toml:22:\d+: error: The static equilibrium is not determined: 4 free)"},
    {"NoEquilibrium", "\"cylinder.p1\", \"cylinder.p2\", \"cylinder.spool\"",
     "\"cylinder.p1\", \"cylinder.p2\"", 2,
     R"(lift\.toml:22:\d+: error: What is held is not a static equilibrium.*load\.v changes by)"},
    {"TooHeavy", "-4905.0", "-60000.0", 2, R"(lift\.toml:22:\d+: error: No static equilibrium was found)"},
};

class HydraulicMistakes : public testing::TestWithParam<HydraulicMistake> {};

TEST_P(HydraulicMistakes, GetTheirMessageAndExitCode) {
  const HydraulicMistake& mistake = GetParam();
  std::string text = lift;
  const auto at = text.find(mistake.piece);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, mistake.piece.size(), mistake.replacement);
  const TemporaryDirectory directory;
  const Outcome outcome =
      ergon("run " + directory.write("lift.toml", text) + " --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, mistake.exit_code) << outcome.output;
  EXPECT_TRUE(std::regex_search(outcome.output, std::regex(mistake.message))) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(All, HydraulicMistakes, testing::ValuesIn(hydraulic_mistakes),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ergon::cli

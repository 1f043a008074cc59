// Hydraulics as the user of `ergon run` meets them: the verdict on the crane, where a run ends, what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string crane = std::string(ERGON_SOURCE_DIR) + "/benchmarks/hydraulic-crane/crane.toml";
const std::string too_long = " --set mechanics.step_size=0.0115";
const std::string fine = " --set hydraulics.step_size=1e-4 --set spool.step_size=1e-4";

nlohmann::json verdict_of(const std::string& settings) {
  const TemporaryDirectory directory;
  const Outcome outcome = ergon("run " + crane + settings + " --quiet --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  return nlohmann::json::parse(read_file(directory / "out" / "summary.json"))["verdict"];
}

// [rodriguez2022, Fig. 37]: the oscillation is between 3 and 5 s.
TEST(HydraulicCrane, TheVerdictTellsTheSpuriousOscillation) {
  const auto verdict = verdict_of(too_long + fine + " --stop-time 9.9935");
  EXPECT_EQ(verdict["value"], "unreliable");
  bool covers = false;
  for (const auto& reason : verdict["reasons"]) {
    const double from = reason["from_s"], to = reason["to_s"];
    EXPECT_GT(from, 2.0) << reason;
    EXPECT_LT(to, 6.0) << reason;
    covers = covers || (from < 3.0 && to > 5.0);
  }
  EXPECT_TRUE(covers) << verdict;
}

TEST(HydraulicCrane, TheVerdictTrustsShortSteps) {
  EXPECT_EQ(verdict_of(" --set mechanics.step_size=1e-3" + fine)["value"], "reliable");
}

TEST(HydraulicCrane, AChamberThatIsTornEmptyEndsTheRun) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      ergon("run " + crane + too_long + fine + " --stop-time 12 --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(std::regex_search(
      outcome.output,
      std::regex(R"(error: 'hydraulics' failed at t = 11\.\d+ s: the pressure of chamber \d fell below 0)")))
      << outcome.output;
  EXPECT_GT(read_file(directory / "out" / "results.csv").size(), 1000U) << "what was reached is kept";
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

struct Mistake {
  std::string name, piece, replacement;
  int exit_code;
  std::string message;  ///< regular expression
};
void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

const std::vector<Mistake> mistakes = {
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
     R"(lift\.toml:22:\d+: error: What is held is no static equilibrium.*load\.v changes by)"},
    {"TooHeavy", "-4905.0", "-60000.0", 2, R"(lift\.toml:22:\d+: error: No static equilibrium was found)"},
};

class HydraulicMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(HydraulicMistakes, GetTheirMessageAndExitCode) {
  const Mistake& mistake = GetParam();
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

INSTANTIATE_TEST_SUITE_P(All, HydraulicMistakes, testing::ValuesIn(mistakes),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ergon::cli

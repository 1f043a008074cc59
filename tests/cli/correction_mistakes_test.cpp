// What a user can get wrong about corrections and step control: one message with its place, exit code 2, nothing written.
#include <gtest/gtest.h>

#include <regex>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string before = R"([simulation]
stop_time = 0.1
step_size = 1e-3

[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { m = 1.0, k = 10.0, kc = 100.0 }
initial = { x = 0.0, v = 100.0 }

[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { m = 1.0, k = 1000.0 }
initial = { v = -100.0 }

[[bond]]
name = "coupling"
a = { effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }
)";

struct CorrectionCase {
  std::string name;
  std::string more;     ///< lines of the bond, from line 21 on
  std::string message;  ///< regular expression
};

std::string name_of(const testing::TestParamInfo<CorrectionCase>& param) {
  return param.param.name;
}

class CorrectionMistake : public testing::TestWithParam<CorrectionCase> {};

TEST_P(CorrectionMistake, GetsOneClearMessageAndExitCodeTwo) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("system.toml", before + GetParam().more);
  const Outcome outcome = ergon("run " + file + " --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_TRUE(std::regex_search(outcome.output, std::regex(GetParam().message))) << outcome.output;
  EXPECT_FALSE(std::filesystem::exists(directory / "out"));
}

INSTANTIATE_TEST_SUITE_P(
    Scenario, CorrectionMistake,
    testing::Values(
        CorrectionCase{"NegativeLimit", R"(correction = { method = "energy-leak", limit = -0.1 })",
                       R"(:21:\d+: error: .*'limit'.*-0\.1.*from 0)"},
        CorrectionCase{"UnknownMethod", R"(correction = { method = "energy-leek" })",
                       R"(:21:\d+: error: .*energy-leak)"},
        CorrectionCase{"UnknownKey", R"(correction = { method = "energy-leak", limits = 0.1 })",
                       R"(:21:\d+: error: .*'limit')"},
        CorrectionCase{"KeyOfAnotherMethod", R"(correction = { method = "energy-leak", nu = 0.1 })",
                       R"(:21:\d+: error: .*nu)"},
        CorrectionCase{"WrongType", R"(correction = { method = "residual-power", nu = "much" })",
                       R"(:21:\d+: error: .*'nu'.*"much".*a number)"},
        CorrectionCase{"FlagForANumber", R"(correction = { method = "energy-leak", limit = true })",
                       R"(:21:\d+: error: .*'limit'.*true.*a number)"},
        CorrectionCase{"NumberForAFlag", R"(correction = { method = "passivity", prediction = 1.0 })",
                       R"(:21:\d+: error: .*'prediction'.*true or false)"},
        CorrectionCase{"List", R"(correction = { method = "energy-leak", limit = [0.1] })",
                       R"(:21:\d+: error: 'limit'.*list.*one value)"},
        CorrectionCase{"LimitThatIsNoNumber", R"(correction = { method = "residual-power", limit = nan })",
                       R"(:21:\d+: error: .*'limit'.*nan)"},
        CorrectionCase{"MethodThatIsNoText", R"(correction = { method = 3 })",
                       R"(:21:\d+: error: .*'method'.*string)"},
        CorrectionCase{"NoTable", R"(correction = "energy-leak")", R"(:21:\d+: error: .*correction)"},
        CorrectionCase{"SettingWithoutMethod", R"(correction = { method = "none", limit = 0.1 })",
                       R"(:21:\d+: error: .*limit)"},
        CorrectionCase{"NoMethod", R"(correction = { limit = 0.1 })", R"(:21:\d+: error: .*no 'method')"},
        CorrectionCase{"FactorBeyondTheDelay", R"(correction = { method = "residual-power", mu = 0.5 })",
                       R"(:21:\d+: error: .*mu = 0\.5.*harm.*accept_harm)"},
        CorrectionCase{
            "ParameterOfAVariantWithoutOne",
            "feedthrough = \"stale\"\ncorrection = { method = \"residual-power\", variant = \"banked\", "
            "limit = 0.5 }",
            R"(:22:\d+: error: .*banked)"},
        CorrectionCase{"InterfaceEnergyUnknown",
                       R"(correction = { method = "passivity", energies = "interface" })",
                       R"(:21:\d+: error: .*initial_energy)"},
        CorrectionCase{"EnergyThatNobodyAsksFor",
                       R"(correction = { method = "passivity", initial_energy = 3.0 })",
                       R"(:21:\d+: error: .*initial_energy.*interface)"},
        CorrectionCase{"NoPower", "scale = 0.0", R"(error: .*scale)"},
        CorrectionCase{"StepControlWithoutMethod", "[step_control]\nrtol = 1e-3",
                       R"(:21:\d+: error: .*method)"},
        CorrectionCase{"StepControlUnknown", "[step_control]\nmethod = \"interface-powers\"",
                       R"(:22:\d+: error: .*interface-power)"},
        CorrectionCase{"StepControlTolerance", "[step_control]\nmethod = \"interface-power\"\nrtol = 0.0",
                       R"(:23:\d+: error: .*rtol)"},
        CorrectionCase{"StepControlSmallestStep",
                       "[step_control]\nmethod = \"interface-power\"\nmin_step = 1.0",
                       R"(:23:\d+: error: .*min_step)"}),
    name_of);

// Force times position is an energy: as a power it would make nonsense of every balance.
TEST(CorrectionMistake, AProductThatIsNoPower) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("system.toml", R"(simulation = { stop_time = 0.1, step_size = 1e-3 }
[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { kc = 100.0 }
[[subsystem]]
name = "right"
model = "oscillator.mass"
[[bond]]
name = "coupling"
a = { effort = "left.force", flow = "left.position_in" }
b = { effort = "right.force", flow = "right.position" }
correction = { method = "residual-power" }
)");
  const Outcome outcome = ergon("run " + file + " --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_TRUE(std::regex_search(outcome.output, std::regex(R"(:9:\d+: error: .*is not a power.*scale)")))
      << outcome.output;
  EXPECT_FALSE(std::filesystem::exists(directory / "out"));
}

TEST(CorrectionMistake, AccountsAreMissing) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("system.toml", R"(simulation = { stop_time = 0.1, step_size = 1e-3 }
[[subsystem]]
name = "m1"
model = "oscillator.mass"
initial = { v = 1.0 }
[[subsystem]]
name = "m2"
model = "oscillator.mass"
[[element]]
name = "spring"
law = "spring-damper"
parameters = { k = 100.0 }
[[bond]]
name = "b1"
a = { effort = "spring.force_i", flow = "spring.velocity_i", displacement = "spring.position_i" }
b = { effort = "m1.force", flow = "m1.velocity", displacement = "m1.position" }
correction = { method = "energy-leak" }
[[bond]]
name = "b2"
a = { effort = "spring.force_j", flow = "spring.velocity_j", displacement = "spring.position_j" }
b = { effort = "m2.force", flow = "m2.velocity", displacement = "m2.position" }
correction = { method = "passivity" }
)");
  const Outcome outcome = ergon("check " + file);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_TRUE(std::regex_search(outcome.output, std::regex("'spring' is an element.*residual-power")))
      << outcome.output;
  EXPECT_TRUE(std::regex_search(outcome.output, std::regex("passivity needs the energy account")))
      << outcome.output;
}

TEST(CorrectionMistake, BondsAtOnePortMustAgree) {
  const TemporaryDirectory directory;
  const std::string third = R"(correction = { method = "residual-power" }
feedthrough = "stale"
[[subsystem]]
name = "third"
model = "oscillator.force_output"
parameters = { kc = 50.0 }
[[bond]]
name = "other"
a = { effort = "third.force", flow = "third.velocity_in", displacement = "third.position_in" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }
feedthrough = "stale"
correction = { method = "nepce" }
)";
  const Outcome outcome = ergon("check " + directory.write("system.toml", before + third));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_TRUE(std::regex_search(outcome.output, std::regex("act on the same port"))) << outcome.output;
}

// Refreshed at single rate nothing is late, and nobody looks ahead: neither has anything to do.
TEST(Correction, EveryMethodThatIsSwitchedOffSaysSo) {
  const TemporaryDirectory directory;
  for (const char* method : {"residual-power", "nepce"}) {
    for (const char* mode : {"refresh", "predict"}) {
      const std::string file = directory.write("system.toml", before + "correction = { method = \"" + method +
                                                                  "\" }\nfeedthrough = \"" + mode + "\"\n");
      const Outcome outcome = ergon("check " + file);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      EXPECT_TRUE(std::regex_search(outcome.output,
                                    std::regex(std::string(":21:\\d+: warning: .*") + method + ".*disabled")))
          << outcome.output;
    }
  }
}

TEST(Correction, SaysThatItIsSwitchedOff) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("system.toml", before + "correction = { method = \"residual-power\" }\n");
  const Outcome outcome = ergon("run " + file + " --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("disabled"), std::string::npos) << outcome.output;
  EXPECT_NE(read_file(directory / "out/summary.json").find("disabled"), std::string::npos);
}

}  // namespace
}  // namespace ergon::cli

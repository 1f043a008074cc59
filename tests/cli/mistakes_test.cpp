// What a user can get wrong, and the one message and exit code that each mistake gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

/// A right scenario; a mistake replaces one piece of it.
const std::string good_scenario = R"([simulation]
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

struct Mistake {
  std::string name;
  std::string piece;
  std::string replacement;
  std::string message;  ///< regular expression
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

const std::vector<Mistake> mistakes = {
    {"SyntaxErrorTellsLineAndColumn", "stop_time = 0.1", "stop_time = = 0.1", R"(:2:\d+: error: )"},
    {"UnknownModel", "oscillator.mass\"", "oscillator.mas\"",
     R"(:13:\d+: error: .*oscillator\.mas.*oscillator\.mass)"},
    {"UnknownPortTellsTheNearest", "left.velocity_in", "left.velocty_in",
     R"(:19:\d+: error: .*velocty_in.*velocity_in)"},
    {"UnknownSubsystem", "right.velocity\"", "rigth.velocity\"", R"(:20:\d+: error: .*rigth.*right)"},
    {"UnitClash", "flow = \"right.velocity\"", "flow = \"right.position\"",
     R"(:\d+.*error: .*\[m\].*\[m/s\])"},
    {"UnitClashInAConnection", "[[bond]]",
     "[[connection]]\nfrom = \"left.position\"\nto = \"right.external_force\"\n\n[[bond]]",
     R"(error: .*\[m\].*\[N\])"},
    {"TooManyInternalSteps", "m = 1.0, k = 1000.0 }", "m = 1.0, k = 1000.0 }\nintegrator = { step = 1e-15 }",
     R"(:15:\d+: error: 'right' would take 1e\+12 internal steps)"},
    {"ZeroStep", "step_size = 1e-3", "step_size = 0", R"(:3:\d+: error: .*step_size)"},
    {"NegativeStep", "step_size = 1e-3", "step_size = -1e-3", R"(:3:\d+: error: .*step_size)"},
    {"NanStep", "step_size = 1e-3", "step_size = nan", R"(:3:\d+: error: .*step_size)"},
    {"StepLargerThanTheDuration", "step_size = 1e-3", "step_size = 1.0", R"(:3:\d+: error: .*step_size)"},
    {"UnknownKey", "step_size = 1e-3", "stepsize = 1e-3", R"(:3:\d+: error: .*stepsize.*step_size)"},
    {"FeatureThatDoesNotExist", "name = \"coupling\"",
     "name = \"coupling\"\ncorrection = { method = \"telepathy\" }", R"(:19:\d+: error: )"},
    {"WrongType", "stop_time = 0.1", "stop_time = true", R"(:2:\d+: error: .*stop_time)"},
    {"IncompatibleInitialPositions", "initial = { x = 0.0, v = 100.0 }",
     "initial = { x = 0.0, v = 100.0, position_in = 0.5 }",
     R"(error: .*left\.position_in.*0\.5.*right\.position)"},
    {"OutputIntervalThatNoClockCounts", "[[bond]]", "[output]\ninterval = 1e16\n\n[[bond]]",
     R"(:18:\d+: error: .*interval)"},
    {"ParameterOutOfRange", "m = 1.0, k = 1000.0", "m = -1.0, k = 1000.0", R"(:14:\d+: error: .*m)"},
    {"UnknownReaction", "stop_time = 0.1", "stop_time = 0.1\non_unreliable = \"panic\"",
     R"(:3:\d+: error: .*panic)"},
    {"IterationsThatAreNotWhole", "[simulation]",
     "[coupling]\nscheme = \"implicit\"\nmax_iterations = 2.5\n\n[simulation]",
     R"(:3:\d+: error: 'max_iterations' in \[coupling\] is the number 2\.5.*whole number)"},
    {"NoIterations", "[simulation]", "[coupling]\nscheme = \"implicit\"\nmax_iterations = 0\n\n[simulation]",
     R"(:3:\d+: error: 'max_iterations' in \[coupling\] is the number 0.*from 1)"},
    {"TooManyIterations", "[simulation]",
     "[coupling]\nscheme = \"implicit\"\nmax_iterations = 100001\n\n[simulation]",
     R"(:3:\d+: error: .*100001.*100000)"},
    {"UnknownIntegrator", "parameters = { m = 1.0, k = 1000.0 }",
     "parameters = { m = 1.0, k = 1000.0 }\nintegrator = { method = \"rk5\" }",
     R"(:15:\d+: error: .*rk5.*rk4)"},
    {"UnknownParameter", "k = 1000.0", "kk = 1000.0", R"(:14:\d+: error: .*'kk'.*'k')"},
    {"UnknownInitialValue", "initial = { v = -100.0 }", "initial = { w = -100.0 }",
     R"(:15:\d+: error: .*'w')"},
    {"ParameterThatIsAText", "k = 1000.0", "k = \"stiff\"", R"(:14:\d+: error: .*'k')"},
    {"TwoOfOneName", "name = \"right\"", "name = \"left\"", R"(:12:\d+: error: .*'left'.*line 6)"},
    {"UnknownLaw", "[[bond]]",
     "[[element]]\nname = \"spring\"\nlaw = \"spring-dampr\"\nends = [\"left\", \"right\"]\n\n[[bond]]",
     R"(:19:\d+: error: .*spring-dampr.*spring-damper)"},
    {"InputThatGetsTwoThings", "[[bond]]",
     "[[connection]]\nfrom = \"left.force\"\nto = \"right.force\"\n\n[[bond]]",
     R"(:21:\d+: error: .*'right\.force')"},
    {"UnknownExtrapolation", "name = \"coupling\"", "name = \"coupling\"\nextrapolation = \"cubicc\"",
     R"(:19:\d+: error: .*cubicc.*cubic)"},
    {"UnknownFeedthrough", "name = \"coupling\"", "name = \"coupling\"\nfeedthrough = \"fresh\"",
     R"(:19:\d+: error: .*fresh.*refresh)"},
    {"BondWithoutName", "name = \"coupling\"\n", "", R"(:17:\d+: error: .*'name')"},
    {"SubsystemWithoutModel", "model = \"oscillator.mass\"\n", "", R"(:11:\d+: error: .*'model')"},
    {"UnknownKeyOfACorrection", "name = \"coupling\"",
     "name = \"coupling\"\ncorrection = { method = \"nepce\", muu = 1.0 }", R"(:19:\d+: error: .*'muu')"},
    {"CorrectionOutOfRange", "name = \"coupling\"",
     "name = \"coupling\"\ncorrection = { method = \"residual-power\", mu = -1.1 }",
     R"(:19:\d+: error: .*'mu')"},
    {"ZeroStepOfASubsystem", "name = \"right\"", "name = \"right\"\nstep_size = 0",
     R"(:13:\d+: error: .*step_size)"},
    {"StepThatIsNoTime", "name = \"right\"", "name = \"right\"\nstep_size = \"fast\"",
     R"(:13:\d+: error: .*fast)"},
    {"OutputThatIsNotThere", "[[bond]]", "[output]\nvariables = [\"left.posiion\"]\n\n[[bond]]",
     R"(:18:\d+: error: .*left\.posiion.*left\.position)"},
    {"UnknownSubsystemInTheOrder", "[[bond]]",
     "[coupling]\nscheme = \"gauss-seidel\"\norder = [\"left\", \"rigth\"]\n\n[[bond]]",
     R"(:19:\d+: error: .*rigth.*right)"},
    {"UnknownStepControl", "[[bond]]", "[step_control]\nmethod = \"powr\"\n\n[[bond]]",
     R"(:18:\d+: error: .*powr)"},
    {"UnknownShape", "[[bond]]",
     "[[shape]]\nname = \"s\"\nkind = \"bx\"\nsize = [0.1, 0.1, 0.1]\nposition = "
     "[\"left.position\"]\n\n[[bond]]",
     R"(:19:\d+: error: .*bx.*box)"},
    {"UnknownUnit", "[[bond]]",
     "[[subsystem]]\nname = \"push\"\nmodel = \"source.sine\"\nparameters = { unit = \"Newtn\" }\n\n"
     "[[connection]]\nfrom = \"push.value\"\nto = \"right.external_force\"\n\n[[bond]]",
     R"(:17:\d+: error: .*Newtn)"},
    {"PairThatIsNone", "[[bond]]",
     "[[subsystem]]\nname = \"crane\"\nmodel = \"multibody.planar_crane\"\nparameters = { base = [1.0] "
     "}\n\n[[bond]]",
     R"(:17:\d+: error: .*'base')"},
    {"VectorOfTwo", "[[bond]]",
     "[[subsystem]]\nname = \"rod\"\nmodel = \"multibody.rod\"\nparameters = { pivot = [1.0, 2.0] "
     "}\n\n[[bond]]",
     R"(:17:\d+: error: .*'pivot' has 2)"},
    {"PairOfThree", "[[bond]]",
     "[[subsystem]]\nname = \"swing\"\nmodel = \"multibody.pendulum\"\nparameters = { pivot = [1.0, 2.0, "
     "3.0] }\n\n[[bond]]",
     R"(:17:\d+: error: .*'pivot' has 3)"},
    {"InertiaOfTwo", "[[bond]]",
     "[[subsystem]]\nname = \"body\"\nmodel = \"multibody.rigid_body\"\nparameters = { J = [1.0, 2.0] "
     "}\n\n[[bond]]",
     R"(:17:\d+: error: .*'J' has 2)"},
    {"SpringsForOtherMasses", "[[bond]]",
     "[[subsystem]]\nname = \"chain\"\nmodel = \"oscillator.chain\"\nparameters = { k = [1.0, 2.0, 3.0] "
     "}\n\n[[bond]]",
     R"(:17:\d+: error: .*'k' has 3)"},
};

std::string with(const Mistake& mistake) {
  std::string text = good_scenario;
  const auto at = text.find(mistake.piece);
  EXPECT_NE(at, std::string::npos) << mistake.piece;
  return text.replace(at, mistake.piece.size(), mistake.replacement);
}

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, GetOneClearMessageAndExitCodeTwo) {
  const Mistake& mistake = GetParam();
  const TemporaryDirectory directory;
  const std::string file = directory.write("case.toml", with(mistake));
  const std::string out = (directory / "out").string();
  for (const std::string& command : {"run " + file + " --out " + out, "check " + file}) {
    const Outcome outcome = ergon(command);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_TRUE(std::regex_search(outcome.output, std::regex(mistake.message))) << outcome.output;
    const auto lines = std::count(outcome.output.begin(), outcome.output.end(), '\n');
    EXPECT_EQ(lines, 1) << outcome.output;
  }
  EXPECT_FALSE(std::filesystem::exists(out)) << "nothing may be half-written";
}

INSTANTIATE_TEST_SUITE_P(Scenario, Mistakes, testing::ValuesIn(mistakes),
                         [](const testing::TestParamInfo<Mistake>& tested) { return tested.param.name; });

TEST(Command, TheScenarioWithoutMistakesRuns) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      ergon("run " + directory.write("good.toml", good_scenario) + " --out " + (directory / "out").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  for (const char* name : {"results.csv", "bonds.csv", "summary.json", "scenario.toml"}) {
    EXPECT_TRUE(std::filesystem::exists(directory / "out" / name)) << name;
  }
}

TEST(Command, AllMistakesOfAFileAreReportedAtOnce) {
  std::string text = good_scenario;
  text.replace(text.find("step_size = 1e-3"), 16, "step_size = 0");
  text.replace(text.find("left.velocity_in"), 16, "left.velocty_in");
  text.replace(text.find("oscillator.mass\""), 16, "oscillator.mas\"");
  const TemporaryDirectory directory;
  const Outcome outcome = ergon("check " + directory.write("bad.toml", text));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 3) << outcome.output;
}

TEST(Command, MissingFile) {
  const Outcome outcome = ergon("run no-such-file.toml");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("no-such-file.toml"), std::string::npos) << outcome.output;
}

TEST(Command, TwoConnectionsIntoOneInputTellTheRemedy) {
  const TemporaryDirectory directory;
  const std::string twice = "[[connection]]\nfrom = \"left.force\"\nto = \"right.external_force\"\n";
  const Outcome outcome = ergon("check " + directory.write("twice.toml", good_scenario + twice + twice));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("from = ["), std::string::npos) << outcome.output;
}

TEST(Command, UnwritableOutputDirectory) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("good.toml", good_scenario);
  const Outcome outcome = ergon("run " + file + " --out " + file + "/out");  // below a regular file
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_NE(outcome.output.find("out"), std::string::npos);
}

TEST(Command, AnUnconnectedInputIsAWarningAndAnErrorWithStrict) {
  std::string text = good_scenario.substr(0, good_scenario.find("[[bond]]"));
  const TemporaryDirectory directory;
  const std::string file = directory.write("loose.toml", text);
  const std::string out = " --out " + (directory / "out").string();
  const Outcome lenient = ergon("run " + file + out);
  EXPECT_EQ(lenient.exit_code, 0) << lenient.output;
  EXPECT_NE(lenient.output.find("warning: "), std::string::npos) << lenient.output;
  EXPECT_NE(lenient.output.find("right.force"), std::string::npos) << lenient.output;
  const Outcome strict = ergon("run " + file + " --strict --out " + (directory / "strict").string());
  EXPECT_EQ(strict.exit_code, 2) << strict.output;
  EXPECT_FALSE(std::filesystem::exists(directory / "strict"));
}

TEST(Command, BadUsageIsExitCodeTwoAndHelpIsZero) {
  EXPECT_EQ(ergon("fly").exit_code, 2);
  EXPECT_EQ(ergon("run").exit_code, 2);
  EXPECT_EQ(ergon("").exit_code, 2);
  for (const char* command :
       {"--help", "run --help", "bench --help", "--version", "version", "models", "bench --list"}) {
    const Outcome outcome = ergon(command);
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_FALSE(outcome.output.empty()) << command;
  }
}

TEST(Command, UnknownNamesOnTheCommandLineTellTheNearest) {
  const Outcome model = ergon("models oscillator.mas");
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_NE(model.output.find("oscillator.mass"), std::string::npos) << model.output;
  const Outcome bench = ergon("bench lim-oscilator");
  EXPECT_EQ(bench.exit_code, 2);
  EXPECT_NE(bench.output.find("lim-oscillator"), std::string::npos) << bench.output;
  const TemporaryDirectory directory;
  const Outcome set = ergon("check " + directory.write("good.toml", good_scenario) + " --set right.mm=3");
  EXPECT_EQ(set.exit_code, 2);
  EXPECT_NE(set.output.find("mm"), std::string::npos) << set.output;
}

// A name in the wrong one of both tables is sent to the other.
TEST(Command, InitialValuesAmongParametersAreSentToTheirTable) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("swapped.toml", R"(
simulation = { stop_time = 1.0, step_size = 1e-3 }
[[subsystem]]
name = "left"
model = "oscillator.mass"
parameters = { x = 3.0 }
initial = { m = 2.0, external_force = 0.0, force = 0.0 }
)");
  const Outcome outcome = ergon("check " + file);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_NE(
      outcome.output.find("swapped.toml:6:20: error: 'left' (oscillator.mass): 'x' is an initial value, "
                          "not a parameter. Write it as: initial = { x = … }."),
      std::string::npos)
      << outcome.output;
  EXPECT_NE(
      outcome.output.find("swapped.toml:7:17: error: 'left' (oscillator.mass) has no initial value or input "
                          "'m'. 'm' is a parameter: write it as parameters = { m = … }."),
      std::string::npos)
      << outcome.output;

  const std::string fmu = (directory / "mass.fmu").string();
  ASSERT_EQ(ergon("export oscillator.mass -o " + fmu).exit_code, 0);
  const Outcome of_fmu = ergon("check " + directory.write("fmu.toml", R"(
simulation = { stop_time = 1.0, step_size = 1e-3 }
[[subsystem]]
name = "left"
fmu = "mass.fmu"
initial = { v = 2.0 }
)"));
  EXPECT_EQ(of_fmu.exit_code, 2) << of_fmu.output;
  EXPECT_NE(of_fmu.output.find("write it as parameters = { \"initial.v\" = … }."), std::string::npos)
      << of_fmu.output;
}

// A digital controller holds what it sends: a line through its samples overshoots, and runs at other steps do the same.
TEST(Command, ExtrapolatedSamplesAreWarnedOf) {
  const TemporaryDirectory directory;
  const std::string start = R"(
simulation = { stop_time = 1.0, step_size = 0.01 }
[[subsystem]]
name = "mass"
model = "oscillator.mass"
[[subsystem]]
name = "relay"
model = "control.hysteresis"
step_size = 0.1
sampled = true
[[connection]]
from = "mass.position"
to = "relay.in"
[[connection]]
from = "relay.out"
to = "mass.force"
)";
  const std::string warning =
      "'relay' is sampled, but 'mass.force' extrapolates 'relay.out' between its samples.";
  for (const auto& [coupling, warned] :
       {std::pair("linear", true), std::pair("auto-linear", false), std::pair("hold", false)}) {
    const Outcome outcome =
        ergon("check " + directory.write("relay.toml", start) + " --set coupling.extrapolation=" + coupling);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(outcome.output.find(warning) != std::string::npos, warned) << outcome.output;
  }
}

// A heater whose coil is faster than the steps: the battery fails of a current that has grown, and the advice makes it run.
TEST(Command, ARunThatFailsOfItsStepSizeIsToldASmallerOne) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("heater.toml", R"(
simulation = { stop_time = 20.0, step_size = 0.1 }
[[subsystem]]
name = "battery"
model = "electric.battery"
[[subsystem]]
name = "heater"
model = "electric.heater"
parameters = { R = 3.0, L = 0.1 }
[[subsystem]]
name = "body"
model = "thermal.capacity"
parameters = { C = 500.0 }
[[bond]]
name = "wire"
a = { effort = "battery.voltage", flow = "battery.current" }
b = { effort = "heater.voltage", flow = "heater.current" }
[[bond]]
name = "heat"
a = { effort = "heater.entropy_flow", flow = "heater.temperature" }
b = { effort = "body.entropy_flow", flow = "body.temperature" }
)");
  const std::string out = " --out " + (directory / "out").string();
  const Outcome failed = ergon("run " + file + out);
  EXPECT_EQ(failed.exit_code, 1) << failed.output;
  EXPECT_NE(failed.output.find("the energy grows before it fails (--step-size 0.025)"), std::string::npos)
      << failed.output;
  EXPECT_EQ(ergon("run " + file + out + " --step-size 0.025").exit_code, 0);
}

}  // namespace
}  // namespace ergon::cli

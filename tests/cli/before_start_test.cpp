// What can be known before the first step is told by `check`, and by `run` with exit code 2 and nothing written.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

struct Impossible {
  std::string name;
  std::string text;
  std::string message;  ///< regular expression
};
void PrintTo(const Impossible& impossible, std::ostream* out) {
  *out << impossible.name;
}

const std::string short_simulation = "[simulation]\nstop_time = 0.1\nstep_size = 1e-3\n";

const std::vector<Impossible> impossible = {
    {"CylinderOutsideItsStroke",
     short_simulation +
         "[[subsystem]]\nname = \"jack\"\nmodel = \"hydraulics.cylinder\"\nparameters = { s0 = 0.5 }\n"
         "initial = { position_in = 0.8, velocity_in = 0.0, spool = 0.5 }\n",
     R"(:4:\d+: error: 'jack' cannot start: the actuator is 0\.8 m long, outside its stroke from 0\.279 to )"
     R"(0\.721 m)"},
    {"CylinderPushedPastItsEndByAConnection",
     short_simulation +
         "[[subsystem]]\nname = \"jack\"\nmodel = \"hydraulics.cylinder\"\n"
         "initial = { velocity_in = 0.0, spool = 0.5 }\n"
         "[[subsystem]]\nname = \"load\"\nmodel = \"oscillator.mass\"\ninitial = { x = -0.3 }\n"
         "[[connection]]\nfrom = \"load.position\"\nto = \"jack.position_in\"\n",
     R"(:4:\d+: error: 'jack' cannot start: the actuator is -0\.3 m long, outside its stroke from -0\.221 to )"
     R"(0\.221 m)"},
    {"ConstraintsThatACommunicationStepDrivesApart",
     short_simulation +
         "[[subsystem]]\nname = \"swing\"\nmodel = \"multibody.pendulum\"\nparameters = { constraint_omega = "
         "1e9 }\n",
     R"(:4:\d+: error: 'swing': with 'constraint_omega' = 1000000000 rad/s .* it is 0\.001 s)"},
    {"CableThatNoCommunicationStepFollows",
     short_simulation +
         "[[subsystem]]\nname = \"rope\"\nmodel = \"cable.ancf\"\nparameters = { E = 1e11, elements = 40 }\n",
     R"(:4:\d+: error: 'rope': an internal step of 0\.001 s is above the stability limit of )"},
};

class BeforeTheStart : public ::testing::TestWithParam<Impossible> {};

TEST_P(BeforeTheStart, IsToldByCheckAndByRun) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("system.toml", GetParam().text);
  const std::filesystem::path out = directory / "out";
  for (const std::string& command : {"check " + file, "run " + file + " --out " + out.string()}) {
    const Outcome outcome = ergon(command);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_TRUE(std::regex_search(outcome.output, std::regex(GetParam().message))) << outcome.output;
  }
  EXPECT_FALSE(std::filesystem::exists(out / "results.csv"));
}

INSTANTIATE_TEST_SUITE_P(Impossible, BeforeTheStart, ::testing::ValuesIn(impossible),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ergon::cli

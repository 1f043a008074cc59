// FMUs as other tools write them: names with brackets and dots, no outputs, folders without a library.
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

class ForeignFmu : public testing::Test {
 protected:
  static std::string file(const std::string& name) {
    return std::string(ERGON_TEST_FMUS) + "/" + name + ".fmu";
  }
  /// The last row of results, after a run of one second.
  std::string last_row(const std::string& scenario) {
    const Outcome done = shell(std::string(ERGON_COMMAND) + " run " + folder_.write("system.toml", scenario) +
                               " --check off --out " + (folder_ / "out").string() + " 2>&1");
    EXPECT_EQ(done.exit_code, 0) << done.output;
    std::ifstream stream(folder_ / "out" / "results.csv");
    std::getline(stream, header_);
    std::string last;
    for (std::string line; std::getline(stream, line);) last = line;
    return last;
  }
  std::string system(const std::string& fmu, const std::string& input, const std::string& output) {
    return "simulation = { stop_time = 1.0, step_size = 0.01 }\n"
           "[[subsystem]]\nname = \"body\"\nfmu = \"" +
           file(fmu) + "\"\n" + "[[subsystem]]\nname = \"push\"\nmodel = \"source.sine\"\n" +
           "parameters = { amplitude = 3.0, frequency_Hz = 0.7 }\n" +
           "[[connection]]\nfrom = \"push.value\"\nto = \"body." + input + "\"\n" +
           "[output]\nvariables = [\"body." + output + "\"]\n";
  }
  TemporaryDirectory folder_;
  std::string header_;
};

TEST_F(ForeignFmu, NamesWithBracketsAndDotsAreConnectedAndRecorded) {
  const std::string usual = last_row(system("kit2", "force", "position"));
  EXPECT_EQ(header_, "time,body.position");
  const std::string unusual = last_row(system("kit2_bracket_names", "input[1]", "a.b[2].c"));
  EXPECT_EQ(header_, "time,body.a.b[2].c");
  EXPECT_FALSE(usual.empty());
  EXPECT_EQ(usual, unusual);
}

TEST_F(ForeignFmu, NamesWithBracketsAreInitialisedAndSet) {
  const auto scenario = [&](const std::string& fmu, const std::string& input, const std::string& output) {
    return "simulation = { stop_time = 1.0, step_size = 0.01 }\n[[subsystem]]\nname = \"body\"\nfmu = \"" +
           file(fmu) + "\"\ninitial = { \"" + input + "\" = 2.0 }\n[output]\nvariables = [\"body." + output +
           "\"]\n";
  };
  const std::string usual = last_row(scenario("kit2", "force", "position"));
  EXPECT_EQ(usual, last_row(scenario("kit2_bracket_names", "input[1]", "a.b[2].c")));
  EXPECT_NE(usual, last_row("simulation = { stop_time = 1.0, step_size = 0.01 }\n[[subsystem]]\nname = "
                            "\"body\"\nfmu = \"" +
                            file("kit2") + "\"\n[output]\nvariables = [\"body.position\"]\n"));
}

// One table of values for parameters, inputs and names with brackets; a name of an instance with a blank and a slash.
TEST_F(ForeignFmu, ValuesNeedNotSayWhetherTheyAreParametersOrInputs) {
  const auto scenario = [&](const std::string& name, const std::string& fmu, const std::string& keys,
                            const std::string& output) {
    return "simulation = { stop_time = 1.0, step_size = 0.01 }\n[[subsystem]]\nname = \"" + name +
           "\"\nfmu = \"" + file(fmu) + "\"\n" + keys + "\n[output]\nvariables = [\"" + name + "." + output +
           "\"]\n";
  };
  const std::string usual = last_row(
      scenario("body", "kit2", "parameters = { m = 3.0, \"initial.x\" = 0.5 }\ninitial = { force = 2.0 }",
               "position"));
  EXPECT_EQ(usual, last_row(scenario("body", "kit2", "values = { m = 3.0, \"initial.x\" = 0.5, force = 2.0 }",
                                     "position")));
  EXPECT_EQ(usual,
            last_row(scenario("car/left wheel", "kit2_bracket_names",
                              "values = { m = 3.0, \"initial.x\" = 0.5, \"input[1]\" = 2.0 }", "a.b[2].c")));
  EXPECT_EQ(header_, "time,car/left wheel.a.b[2].c");
  // An override finds the value where it is said.
  const std::string lighter =
      scenario("a b", "kit2", "values = { m = 9.0, \"initial.x\" = 0.5, force = 7.0 }", "position");
  const Outcome done =
      shell(std::string(ERGON_COMMAND) + " run " + folder_.write("set.toml", lighter) +
            " --set 'a b.m=3' --set 'a b.force=2' --check off --out " + (folder_ / "out").string());
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_EQ(shell("tail -n 1 " + (folder_ / "out/results.csv").string()).output, usual + "\n");
  const std::string twice =
      scenario("body", "kit2", "values = { m = 3.0 }\nparameters = { m = 2.0 }", "position");
  const Outcome refused = shell(std::string(ERGON_COMMAND) + " check " + folder_.write("twice.toml", twice));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.output.find("has 'm' in 'values' and in 'parameters'"), std::string::npos)
      << refused.output;
}

TEST_F(ForeignFmu, OfWhichOneCanExistPerProcessAreToBeIsolated) {
  const std::string one = "[[subsystem]]\nfmu = \"" + file("kit2_only_once") + "\"\n";
  const Outcome refused =
      shell(std::string(ERGON_COMMAND) + " check " +
            folder_.write("twins.toml", "simulation = { stop_time = 1.0, step_size = 0.01 }\n" + one +
                                            "name = \"a\"\n" + one + "name = \"b\"\n"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.output.find("isolate = true"), std::string::npos) << refused.output;
}

TEST_F(ForeignFmu, ANameThatIsWrongIsStillAMistake) {
  const Outcome done =
      shell(std::string(ERGON_COMMAND) + " check " +
            folder_.write("system.toml", system("kit2_bracket_names", "input[2]", "a.b[2].c")) + " 2>&1");
  EXPECT_EQ(done.exit_code, 2) << done.output;
  EXPECT_NE(done.output.find("'body' has no port 'input[2]'. Did you mean 'input[1]'?"), std::string::npos)
      << done.output;
}

TEST_F(ForeignFmu, WithoutOutputsItRunsAndSaysThatNothingIsRecorded) {
  const std::string table = folder_.write("input.csv", "time,u\n0,1\n1,2\n");
  for (const std::string& input : {std::string(), " --input " + table}) {
    const Outcome done =
        shell(std::string(ERGON_COMMAND) + " run-single " + file("plain2_no_outputs") + input +
              " --stop-time 1 --step-size 0.1 --out " + (folder_ / "out").string() + " 2>&1");
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_NE(done.output.find("has no outputs"), std::string::npos) << done.output;
  }
}

TEST_F(ForeignFmu, APlatformIsListedOnlyWithALibrary) {
  const Outcome listed =
      shell(std::string(ERGON_COMMAND) + " inspect " + file("kit2_empty_platform") + " 2>&1");
  EXPECT_EQ(listed.output.find("linux64"), std::string::npos) << listed.output;
}

}  // namespace
}  // namespace ergon::cli

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

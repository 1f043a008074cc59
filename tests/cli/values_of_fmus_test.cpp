// Values of FMUs that are given by hand, and files that are not there, as a user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

std::string fmu(const std::string& name) {
  return std::string(ERGON_TEST_FMUS) + "/" + name + ".fmu";
}

class FmuValues : public ::testing::Test {
 protected:
  Outcome run(const std::string& scenario, const std::string& arguments = "") {
    return ergon("run " + folder_.write("system.toml", scenario) + " --quiet --out " +
                 (folder_ / "out").string() + " " + arguments);
  }
  /// A column of the first row of the results.
  std::string at_start(const std::string& column) {
    std::ifstream stream(folder_ / "out/results.csv");
    std::string names, values;
    while (std::getline(stream, names) && names.starts_with("#")) {
    }
    std::getline(stream, values);
    std::istringstream heads(names), cells(values);
    std::string header, cell;
    while (std::getline(heads, header, ',') && std::getline(cells, cell, ',')) {
      if (header.starts_with(column)) return cell;
    }
    return "no column " + column + " in " + names;
  }
  static std::string one(const std::string& name, const std::string& more) {
    return "simulation = { stop_time = 0.02, step_size = 0.01 }\n[[subsystem]]\nname = \"body\"\nfmu = \"" +
           fmu(name) + "\"\n" + more;
  }
  TemporaryDirectory folder_;
};

// y begins with 1 + whole − (2^53 + 1): 2^53 and 2^53 + 1 are one double.
TEST_F(FmuValues, IntegersOf64BitsKeepTheirDigitsFromScenarioAndCommandLine) {
  const auto start_of = [&](const std::string& more, const std::string& arguments) {
    const Outcome outcome = run(one("plain3", more), arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return std::stod(at_start("body.y"));
  };
  EXPECT_EQ(start_of("", ""), 1.0);
  EXPECT_EQ(start_of("parameters = { whole = 9007199254740993 }\n", ""), 1.0);
  EXPECT_EQ(start_of("parameters = { whole = 9007199254740995 }\n", ""), 3.0);
  EXPECT_EQ(start_of("", "--set body.whole=9007199254740997"), 5.0);
  EXPECT_EQ(start_of("parameters = { whole = 9007199254740995 }\nisolate = true\n", ""), 3.0);
  // The scenario that the run writes down is the same run.
  const Outcome again = ergon("run " + (folder_ / "out/scenario.toml").string() + " --quiet --out " +
                              (folder_ / "out").string() + "2");
  ASSERT_EQ(again.exit_code, 0) << again.output;
  EXPECT_NE(shell("cat " + (folder_ / "out/scenario.toml").string()).output.find("9007199254740995"),
            std::string::npos);
  const Outcome single =
      ergon("run-single " + fmu("plain3") + " --stop-time 0.02 --quiet --set whole=9007199254740995 --out " +
            (folder_ / "out").string());
  ASSERT_EQ(single.exit_code, 0) << single.output;
  EXPECT_EQ(std::stod(at_start("fmu.y")), 3.0);
}

TEST_F(FmuValues, StartValuesOfInputsOf64BitsKeepTheirDigits) {
  const Outcome described = run(one("kit3_large_integers", ""));
  ASSERT_EQ(described.exit_code, 0) << described.output;
  EXPECT_EQ(at_start("body.int64_out"), "9007199254740994");
  EXPECT_EQ(at_start("body.uint64_out"), "9007199254740994");
  const Outcome given = run(one("kit3", "initial = { int64_in = 9007199254740993 }\n"));
  ASSERT_EQ(given.exit_code, 0) << given.output;
  EXPECT_EQ(at_start("body.int64_out"), "9007199254740994");
}

TEST_F(FmuValues, InspectShowsIntegersOf64BitsWithAllTheirDigits) {
  const Outcome outcome = ergon("inspect " + fmu("plain3"));
  EXPECT_NE(outcome.output.find("= 9007199254740993"), std::string::npos) << outcome.output;
  const auto json = nlohmann::json::parse(ergon("inspect --json " + fmu("plain3")).output);
  for (const auto& variable : json.at("variables")) {
    if (variable.at("name") == "whole") {
      EXPECT_EQ(variable.at("start"), std::vector<std::int64_t>{9007199254740993});
    }
  }
}

// A parameter is what the description calls one, by any other name it is refused: once, with the line of the scenario.
TEST_F(FmuValues, WhatIsNoParameterIsRefusedAsParameter) {
  struct Named {
    const char* fmu;
    const char* variable;
    const char* value;
  };
  for (const Named& named :
       {Named{"kit2", "position", "0.5"}, Named{"kit3", "position", "0.5"}, Named{"kit2", "place", "0.5"},
        Named{"kit2", "force", "0.5"}, Named{"kit3", "force", "0.5"}, Named{"kit3", "steps", "3"},
        Named{"kit3", "text_out", "\"x\""}, Named{"kit3", "blob_in", "\"x\""},
        Named{"kit3_clock", "clock", "true"}, Named{"kit3", "time", "1.0"}}) {
    const Outcome outcome =
        run(one(named.fmu, std::string("parameters = { ") + named.variable + " = " + named.value + " }\n"));
    SCOPED_TRACE(std::string(named.fmu) + " " + named.variable + ": " + outcome.output);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.output.find("system.toml:5:"), std::string::npos);
    EXPECT_NE(outcome.output.find("'" + std::string(named.variable) + "'"), std::string::npos);
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  }
}

// The FMU returns its array the other way round, and its sum.
TEST_F(FmuValues, ComponentsOfAnArrayBeginWithTheirOwnStartValues) {
  for (const char* place : {"", "isolate = true\n"}) {
    const Outcome outcome = run(one("kit3_array_starts", place));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(std::stod(at_start("body.array_out[0]")), 300.0);
    EXPECT_EQ(std::stod(at_start("body.array_out[1]")), 20.0);
    EXPECT_EQ(std::stod(at_start("body.array_out[2]")), 1.0);
    EXPECT_EQ(std::stod(at_start("body.array_sum")), 321.0);
  }
  // What is given holds.
  ASSERT_EQ(run(one("kit3_array_starts", "initial = { array_in = [4.0, 5.0, 6.0] }\n")).exit_code, 0);
  EXPECT_EQ(std::stod(at_start("body.array_out[0]")), 6.0);
  EXPECT_EQ(std::stod(at_start("body.array_sum")), 15.0);
}

TEST_F(FmuValues, AnArrayOfAnotherLengthThanItsStartValuesIsToldOf) {
  const Outcome longer = run(one("kit3_array_starts", "parameters = { length = 4 }\n"));
  ASSERT_EQ(longer.exit_code, 0) << longer.output;
  EXPECT_NE(longer.output.find("has 4 components and 3 start values: the rest begin with 0"),
            std::string::npos)
      << longer.output;
  EXPECT_EQ(std::stod(at_start("body.array_sum")), 321.0);
  EXPECT_EQ(std::stod(at_start("body.array_out[0]")), 0.0);
  const Outcome shorter = run(one("kit3_array_starts", "parameters = { length = 2 }\n"));
  EXPECT_NE(shorter.output.find("has 2 components and 3 start values: the last are not used"),
            std::string::npos)
      << shorter.output;
  EXPECT_EQ(std::stod(at_start("body.array_sum")), 21.0);
  // One value is that of all components, and nobody wonders.
  const Outcome one_for_all = run(one("kit3", "parameters = { length = 4 }\n"));
  EXPECT_EQ(one_for_all.output.find("start values"), std::string::npos) << one_for_all.output;
}

TEST_F(FmuValues, AnIntegerThatWouldLoseDigitsIsRefused) {
  const Outcome outcome = run(one("plain3", "parameters = { whole = 9.1e15 }\n"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("is not held exactly"), std::string::npos) << outcome.output;
}

TEST_F(FmuValues, AFileThatIsNotThereIsNotLookedForInTheFolderOfAScenarioThatThereIsNot) {
  for (const char* command :
       {"validate", "inspect", "run-single --stop-time 1", "inspect --json", "inspect --try"}) {
    const Outcome outcome = ergon(std::string(command) + " nowhere.fmu");
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_NE(outcome.output.find("nowhere.fmu"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("Check the name of the file."), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find("scenario"), std::string::npos) << command << ": " << outcome.output;
  }
  const Outcome scenario =
      run("simulation = { stop_time = 1.0, step_size = 0.01 }\n[[subsystem]]\nname = \"a\"\nfmu = "
          "\"nowhere.fmu\"\n");
  EXPECT_EQ(scenario.exit_code, 2);
  EXPECT_NE(scenario.output.find("starts at the folder of the scenario"), std::string::npos)
      << scenario.output;
}

// A single FMU runs in a scenario that nobody has written, and that is gone when the message is read.
TEST_F(FmuValues, ASingleFmuIsWhatMessagesAreAbout) {
  const std::string out = " --stop-time 0.02 --out " + (folder_ / "single").string();
  const Outcome refused = ergon("run-single " + fmu("kit3_triggered_clock") + out);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.output.find(fmu("kit3_triggered_clock") + ": error: The clock 'clock' is triggered"), 0U)
      << refused.output;
  const Outcome warned = ergon("run-single " + fmu("kit3") + out);
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_EQ(warned.output.find(fmu("kit3") + ": warning: Input 'fmu.force' is not connected"), 0U)
      << warned.output;
  for (const Outcome* outcome : {&refused, &warned})
    EXPECT_EQ(outcome->output.find(".toml"), std::string::npos) << outcome->output;
}

}  // namespace
}  // namespace ergon::cli

// One FMU by itself, with the files that other tools bring: tables with jumps and with columns of every type, options of the cross-check.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "cli/command.hpp"
#include "cli/exported_scenario.hpp"

namespace ergon::cli {
namespace {

class RunSingle : public testing::TestWithParam<const char*> {
 protected:
  static std::string fmu(const std::string& variant = "") {
    return std::string(ERGON_TEST_FMUS) + "/" + GetParam() + variant + ".fmu";
  }
  Outcome run(const std::string& arguments, const std::string& file = fmu()) {
    return ergon("run-single " + file + " --check off --out " + (folder_ / "out").string() + " " + arguments);
  }
  /// Columns by name, as texts.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> results() const {
    std::ifstream stream(folder_ / "out" / "results.csv");
    std::map<std::string, std::vector<std::string>> columns;
    std::vector<std::string> names;
    for (std::string line; std::getline(stream, line);) {
      std::istringstream cells(line);
      std::vector<std::string> row;
      for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
      if (names.empty()) {
        names = row;
        continue;
      }
      for (std::size_t i = 0; i < row.size(); ++i) columns[names[i]].push_back(row[i]);
    }
    return columns;
  }
  TemporaryDirectory folder_;
};

TEST_P(RunSingle, FeedsInputsOfEveryTypeAndTunableParametersFromATable) {
  const bool is_2 = std::string(GetParam()) == "kit2";
  const std::string integer = is_2 ? "count" : "int32";
  const std::string table =
      folder_.write("in.csv", "Time [s],force," + integer +
                                  "_in,gear_in,switch_in,text_in,gain\n"
                                  "0,1,5,low,false,first,2\n0.5,1,5,low,false,first,2\n0.5,3,-7,high,true,"
                                  "second,10\n1,3,-7,3,1,second,10\n");
  for (const char* isolate : {"", " --isolate"}) {
    const Outcome done = run("--stop-time 1 --step-size 0.25 --input " + table + isolate);
    ASSERT_EQ(done.exit_code, 0) << done.output;
    auto all = results();
    EXPECT_EQ(all["time"], (std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"}));
    // In event mode outputs that depend on an input at once have the values after the jump, otherwise one step later, as in a plain loop; a
    // parameter acts from the next step on.
    EXPECT_EQ(all["fmu.twice_force"], is_2 ? (std::vector<std::string>{"2", "2", "2", "30", "30"})
                                           : (std::vector<std::string>{"2", "2", "6", "30", "30"}));
    const auto at_jump = [&](const std::string& earlier, const std::string& later) {
      return std::vector<std::string>{earlier, earlier, is_2 ? earlier : later, later, later};
    };
    if (is_2) {
      EXPECT_EQ(all["fmu.count_out"], at_jump("6", "-6"));
    }
    EXPECT_EQ(all["fmu.gear_out"], at_jump("middle", "low"));
    EXPECT_EQ(all["fmu.switch_out"], at_jump("true", "false"));
    EXPECT_EQ(all["fmu.text_out"].front(), "kit: first");
    EXPECT_EQ(all["fmu.text_out"].back(), "kit: second");
  }
  const std::string wrong = folder_.write("wrong.csv", "time,m\n0,1\n");
  const Outcome refused = run("--stop-time 1 --input " + wrong);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.output.find("'m' is not an input or tunable parameter"), std::string::npos)
      << refused.output;
}

// At the jump a plain FMI loop (set, step, get) reads its outputs before it sets the new inputs. FMUs with event mode may be asked after it.
TEST_P(RunSingle, OutputsAreReadAsAPlainLoopDoes) {
  const bool is_2 = std::string(GetParam()) == "kit2";
  const std::string integer = is_2 ? "count" : "int32";
  const std::string table =
      folder_.write("in.csv", "time,force," + integer + "_in\n0,1,5\n0.5,1,5\n0.5,3,-7\n1,3,-7\n");
  const std::map<std::string, bool> is_late = {{"", is_2}, {"stale", true}, {"refresh", false}};
  for (const char* isolate : {"", " --isolate"}) {
    for (const auto& [mode, late] : is_late) {
      const Outcome done = run("--stop-time 1 --step-size 0.25 --input " + table + isolate +
                               (mode.empty() ? "" : " --feedthrough " + mode));
      ASSERT_EQ(done.exit_code, 0) << done.output;
      EXPECT_EQ(results()["fmu.twice_force"],
                (std::vector<std::string>{"2", "2", late ? "2" : "6", "6", "6"}))
          << mode;
      EXPECT_EQ(results()["fmu." + integer + "_out"],
                (std::vector<std::string>{"6", "6", late ? "6" : "-6", "-6", "-6"}))
          << mode;
    }
  }
  EXPECT_EQ(run("--stop-time 1 --feedthrough late").exit_code, 2);
}

TEST_P(RunSingle, TakesTimesOfAnOptionsFile) {
  const std::string options = folder_.write(
      "ref.opt", "StartTime, 0.5\r\nStopTime, 1\r\n\r\nStepSize, 1e-001\r\nRelTol, 0.1\r\nSolverType, \"x\"");
  const Outcome done = run("--options " + options);
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_EQ(results()["time"], (std::vector<std::string>{"0.5", "0.6", "0.7", "0.8", "0.9", "1"}));
  // What is said beside it wins; a step of 0 stands for the output interval.
  const std::string variable =
      folder_.write("variable.opt", "StopTime, 9\nStepSize, 0\nOutputIntervalLength, 0.25\n");
  const Outcome other = run("--start-time 1/2 --stop-time 1 --options " + variable);
  ASSERT_EQ(other.exit_code, 0) << other.output;
  EXPECT_EQ(results()["time"], (std::vector<std::string>{"0.5", "0.75", "1"}));
  const Outcome wrong = run("--options " + folder_.write("wrong.opt", "StopTime, 1\nStepSize, long\n"));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.output.find("wrong.opt:2:10: error: StepSize: 'long' is not a time"), std::string::npos)
      << wrong.output;
}

TEST_P(RunSingle, RecordsLocalVariablesAndParametersByPattern) {
  const bool is_2 = std::string(GetParam()) == "kit2";
  const Outcome done =
      run("--stop-time 1 --step-size 0.5 --record 'i?itial.*'" + std::string(is_2 ? " --record place" : ""));
  ASSERT_EQ(done.exit_code, 0) << done.output;
  auto all = results();
  if (is_2) {
    EXPECT_EQ(all["fmu.place"], all["fmu.position"]);
  }
  EXPECT_EQ(all["fmu.initial.x"].back(), "1");
  const Outcome wrong = run("--stop-time 1 --record 'plaice'");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.output.find("--record plaice"), std::string::npos) << wrong.output;
}

// Some FMUs crash where their state is saved, which a loop of set, step and get does not do.
TEST_P(RunSingle, SavesNoStatesUnasked) {
  const Outcome done = run("--stop-time 1 --step-size 0.5");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / "checkpoints"));
}

TEST_P(RunSingle, SetsInputsAsItSetsParameters) {
  const Outcome done = run("--stop-time 1 --step-size 0.5 --set force=3 --set m=2");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_EQ(results()["fmu.twice_force"], (std::vector<std::string>{"6", "6", "6"}));
}

// 0.2 s + 0.1 s is beyond 0.3 s by one unit of the last place.
TEST_P(RunSingle, TheLastStepDoesNotEndBeyondTheStopTime) {
  for (const char* isolate : {"", " --isolate"}) {
    const Outcome done = run("--stop-time 0.3 --step-size 0.1" + std::string(isolate), fmu("_strict_stop"));
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_EQ(results()["time"].back(), "0.3");
  }
}

TEST_P(RunSingle, OutputsAtTheStartAreThoseAfterInitialization) {
  for (const char* isolate : {"", " --isolate"}) {
    const Outcome done = run("--stop-time 0.3 --step-size 0.1" + std::string(isolate), fmu("_late_start"));
    ASSERT_EQ(done.exit_code, 0) << done.output;
    const auto late = results();
    ASSERT_EQ(run("--stop-time 0.3 --step-size 0.1" + std::string(isolate)).exit_code, 0);
    EXPECT_EQ(late.at("fmu.position"), results().at("fmu.position"));
  }
}

TEST_P(RunSingle, AnFmuThatAsksToTerminateEndsTheRun) {
  for (const char* isolate : {"", " --isolate"}) {
    const Outcome done = run("--stop-time 1 --step-size 0.01" + std::string(isolate), fmu("_terminate"));
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_NE(done.output.find("ended by 'fmu' at t = 0.51 s: it asked to end the run"), std::string::npos)
        << done.output;
    auto all = results();
    ASSERT_EQ(all["time"].size(), 52U);  // t₀, 50 steps, and the one that it ended in
    EXPECT_EQ(all["time"].back(), "0.51");
    EXPECT_EQ(all["fmu.position"][51], all["fmu.position"][50]);
    const std::string summary = shell("cat " + (folder_ / "out/summary.json").string()).output;
    EXPECT_NE(summary.find("\"status\": \"ended\""), std::string::npos) << summary;
    EXPECT_NE(summary.find("\"ended_by\""), std::string::npos) << summary;
  }
}

TEST_P(RunSingle, AnFmuWithoutPortsRuns) {
  const Outcome done = run("--stop-time 1 --step-size 0.1", fmu("_no_ports"));
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_NE(done.output.find("has no outputs"), std::string::npos) << done.output;
}

TEST_P(RunSingle, WorkersReceiveTheEnvironmentThatIsNamed) {
  const auto seen = [&](const std::string& arguments) {
    const Outcome done = shell("KIT_LICENCE=granted " + std::string(ERGON_COMMAND) + " run-single " +
                               fmu("_licensed") + " --stop-time 1 --step-size 0.1 --check off --out " +
                               (folder_ / "out").string() + " " + arguments);
    return done.exit_code;
  };
  EXPECT_EQ(seen(""), 0);
  EXPECT_EQ(seen("--isolate"), 2);
  EXPECT_EQ(seen("--isolate --keep-environment"), 0);
  const auto scenario = [&](const std::string& key) {
    const std::string file = folder_.write("licensed.toml",
                                           "simulation = { stop_time = 1.0, step_size = 0.1 }\n"
                                           "[[subsystem]]\nname = \"body\"\nfmu = \"" +
                                               fmu("_licensed") + "\"\nisolate = true\n" + key);
    return shell("KIT_LICENCE=granted " + std::string(ERGON_COMMAND) + " run " + file +
                 " --check off --out " + (folder_ / "out").string());
  };
  EXPECT_EQ(scenario("environment = [\"HOME\", \"KIT_*\"]\n").exit_code, 0);
  const Outcome refused = scenario("environment = [\"HOME\"]\n");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(scenario("").exit_code, 2);
  EXPECT_NE(scenario("").output.find("name the variables in 'environment'"), std::string::npos)
      << scenario("").output;
}

INSTANTIATE_TEST_SUITE_P(Versions, RunSingle, testing::Values("kit2", "kit3"),
                         [](const auto& kit) { return std::string(kit.param); });

// FMI 1.0 has no initialization mode: inputs have to be known before an FMU is initialized. 200 N on 100 N/m are 2 m, at rest.
TEST(RunSingleOfFmi1, BeginsWithTheInputsOfItsTable) {
  const TemporaryDirectory folder;
  const std::string table = folder.write("in.csv", "time,force\n0,200\n1,200\n");
  for (const std::string isolate : {"", " --isolate"}) {
    const Outcome done = ergon("run-single " + std::string(ERGON_TEST_FMUS) +
                               "/kit1_rests.fmu --stop-time 0.1 --step-size 0.01 --check off --out " +
                               (folder / "out").string() + " --input " + table + isolate);
    ASSERT_EQ(done.exit_code, 0) << done.output;
    const auto columns = csv_columns(read_file(folder / "out" / "results.csv"));
    EXPECT_EQ(columns.at("fmu.position"), std::vector<double>(11, 2.0));
  }
}

// The second one stands before the first, which feeds it: as many newtons as the first one moved metres. The third one feeds itself.
TEST(RunSingleOfFmi1, SendersBeginBeforeTheirReceivers) {
  const TemporaryDirectory folder;
  const std::string kit = std::string(ERGON_TEST_FMUS) + "/kit1_rests.fmu";
  const auto subsystem = [&](const std::string& name) {
    return "[[subsystem]]\nname = \"" + name + "\"\nfmu = \"" + kit + "\"\n";
  };
  const auto connection = [](const std::string& from, const std::string& to) {
    return "[[connection]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\nconvert_units = false\n";
  };
  const std::string scenario = folder.write(
      "chain.toml",
      "[simulation]\nstop_time = 0.1\nstep_size = 0.01\n" + subsystem("second") + subsystem("first") +
          subsystem("ring") +
          "[[subsystem]]\nname = \"push\"\nmodel = \"source.constant\"\nparameters = { value = 200.0 }\n" +
          connection("push.value", "first.force") + connection("first.position", "second.force") +
          connection("ring.velocity", "ring.force"));
  for (const std::string isolate : {"", " --isolate"}) {
    const Outcome done = ergon("run " + scenario + " --check off -o " + (folder / "out").string() + isolate);
    ASSERT_EQ(done.exit_code, 0) << done.output;
    const auto columns = csv_columns(read_file(folder / "out" / "results.csv"));
    EXPECT_EQ(columns.at("first.position"), std::vector<double>(11, 2.0));
    EXPECT_EQ(columns.at("second.position"), std::vector<double>(11, 0.02));
    EXPECT_EQ(columns.at("ring.position"), std::vector<double>(11, 0.0));
  }
}

// Nobody waits for 10⁹ steps that nobody asked for.
TEST(RunSingleOfFmi2, ALongExperimentWithoutAStepIsAThousandSteps) {
  const TemporaryDirectory folder;
  const Outcome done =
      ergon("run-single " + std::string(ERGON_TEST_FMUS) +
            "/plain2_no_outputs.fmu --stop-time 1e6 --check off --out " + (folder / "out").string());
  ASSERT_EQ(done.exit_code, 0) << done.output;
  const auto times = csv_columns(read_file(folder / "out" / "results.csv")).at("time");
  EXPECT_EQ(times.size(), 1001U);
  EXPECT_EQ(times.at(1), 1000.0);
}

// Experiments of other tools need not end with a whole step; what somebody asks for on the command line is not changed.
TEST(RunSingleOfFmi2, StepsOfOneLengthEndWithTheLastWholeOne) {
  const TemporaryDirectory folder;
  const std::string options = folder.write("ref.opt", "StopTime, 0.105\nStepSize, 0.01\n");
  const std::string command = "run-single " + std::string(ERGON_TEST_FMUS) +
                              "/kit2_fixed_step.fmu --check off --out " + (folder / "out").string() +
                              " --options " + options;
  const Outcome done = ergon(command);
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_NE(done.output.find("the run ends with the last whole one, at 0.1 s instead of 0.105 s"),
            std::string::npos)
      << done.output;
  EXPECT_EQ(csv_columns(read_file(folder / "out" / "results.csv")).at("time").back(), 0.1);
  EXPECT_EQ(ergon(command + " --stop-time 0.105").exit_code, 2);
}

// The FMU adds one. 2⁶³ + 1 is recorded as the integer with sign of the same bits.
TEST(RunSingleOfFmi3, TablesHoldIntegersWithoutSign) {
  TemporaryDirectory folder;
  const auto run = [&](const std::string& value) {
    return ergon("run-single " + std::string(ERGON_TEST_FMUS) +
                 "/kit3.fmu --check off --quiet --stop-time 0.1 --step-size 0.1 --out " +
                 (folder / "out").string() + " --input " +
                 folder.write("in.csv", "time,uint64_in\n0," + value + "\n"));
  };
  ASSERT_EQ(run("9223372036854775808").exit_code, 0);
  EXPECT_NE(read_file(folder / "out/results.csv").find(",-9223372036854775807,"), std::string::npos);
  ASSERT_EQ(run("18446744073709551614").exit_code, 0);
  EXPECT_NE(read_file(folder / "out/results.csv").find(",-1,"), std::string::npos);
  for (const char* wrong : {"-1", "18446744073709551616", "0.5"}) {
    const Outcome refused = run(wrong);
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_NE(refused.output.find("a whole number from 0 to 2^64 - 1"), std::string::npos) << refused.output;
  }
}

TEST(RunSingleOfFmi3, EventModeThatIsRefusedIsNotUsed) {
  const TemporaryDirectory folder;
  for (const char* isolate : {"", " --isolate"}) {
    const Outcome done = ergon("run-single " + std::string(ERGON_TEST_FMUS) +
                               "/kit3_refuses_events.fmu --stop-time 1 --step-size 0.1 --check off --out " +
                               (folder / "out").string() + isolate);
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_NE(done.output.find("declares event mode and refuses it"), std::string::npos) << done.output;
  }
}

}  // namespace
}  // namespace ergon::cli

// FMUs as a user meets them: scenarios with test FMUs, inspect, validate, run-single; faults in workers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

std::string kit(const std::string& name) {
  return std::string(ERGON_TEST_FMUS) + "/" + name + ".fmu";
}

std::string one(const std::string& name, const std::string& more = "") {
  return "simulation = { stop_time = 1.0, step_size = 0.01 }\n[[subsystem]]\nname = \"body\"\nfmu = \"" +
         kit(name) + "\"\n" + more;
}

std::size_t rows(const fs::path& file) {
  std::ifstream stream(file);
  std::size_t count = 0;
  for (std::string line; std::getline(stream, line);) ++count;
  return count;
}

/// What is in the folder for temporary files: everything that a command leaves there is found.
class FmuCommand : public testing::TestWithParam<int> {
 protected:
  FmuCommand() { fs::create_directories(folder_ / "tmp"); }
  Outcome ergon_here(const std::string& arguments) {
    return shell("TMPDIR=" + (folder_ / "tmp").string() + " " + ERGON_COMMAND + " " + arguments);
  }
  Outcome run(const std::string& scenario, const std::string& arguments = "") {
    return ergon_here("run " + folder_.write("system.toml", scenario) + " --out " +
                      (folder_ / "out").string() + " " + arguments);
  }
  void expect_nothing_left() {
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    const Outcome left = shell(
        "pgrep -f -- '--fmu-worker' | xargs -r -I{} sh -c \"tr '\\0' '\\n' < /proc/{}/environ 2>/dev/null | "
        "grep -c '" +
        (folder_ / "tmp").string() + "'\" | grep -v '^0$' | wc -l");
    EXPECT_EQ(std::stoi(left.output.empty() ? "0" : left.output), 0) << left.output;
  }
  [[nodiscard]] std::string version() const { return "kit" + std::to_string(GetParam()); }
  TemporaryDirectory folder_;
};
INSTANTIATE_TEST_SUITE_P(Fmi, FmuCommand, testing::Values(2, 3));

TEST_P(FmuCommand, RunsAScenarioWithFmusTheSameHereAndIsolated) {
  const std::string scenario =
      "simulation = { stop_time = 1.0, step_size = 0.01 }\n"
      "[[subsystem]]\nname = \"a\"\nfmu = \"" +
      kit(version()) +
      "\"\nparameters = { k = 50.0, \"initial.x\" = 0.5 }\n"
      "[[subsystem]]\nname = \"b\"\nfmu = \"" +
      kit(version()) +
      "\"\n"
      "[[connection]]\nfrom = \"a.spring_force\"\nto = \"b.force\"\n"
      "[[connection]]\nfrom = \"b.spring_force\"\nto = \"a.force\"\n";
  const Outcome here = run(scenario, "--quiet");
  ASSERT_EQ(here.exit_code, 0) << here.output;
  const std::string results = shell("cat " + (folder_ / "out/results.csv").string()).output;
  EXPECT_EQ(rows(folder_ / "out/results.csv"), 102U);
  const Outcome isolated = run(scenario, "--quiet --isolate");
  ASSERT_EQ(isolated.exit_code, 0) << isolated.output;
  EXPECT_EQ(shell("cat " + (folder_ / "out/results.csv").string()).output, results);
  // The resolved scenario is the same run.
  const Outcome again = ergon_here("run " + (folder_ / "out/scenario.toml").string() + " --quiet --out " +
                                   (folder_ / "again").string());
  ASSERT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(shell("cat " + (folder_ / "again/results.csv").string()).output, results);
  expect_nothing_left();
}

TEST_P(FmuCommand, KeepsResultsWhenAnIsolatedFmuDies) {
  for (const char* fault : {"segfault", "abort", "exit", "hang"}) {
    const Outcome outcome = run(one(version() + "_" + fault, "isolate = true\ncall_limit = 1.0\n"));
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("'body' failed at t = 0.5"), std::string::npos) << outcome.output;
    EXPECT_EQ(rows(folder_ / "out/results.csv"), 52U) << fault;  // heading, t₀, 50 steps
    EXPECT_NE(shell("cat " + (folder_ / "out/summary.json").string()).output.find("failed"),
              std::string::npos);
    expect_nothing_left();
  }
}

TEST_P(FmuCommand, TellsWhichFmuFailedWhenAndWhy) {
  const std::pair<const char*, const char*> faults[] = {
      {"error", "this step cannot be done"}, {"fatal", "nothing can be done any more"}, {"nan", "position"}};
  for (const auto& [fault, words] : faults) {
    for (const char* isolate : {"", " --isolate"}) {
      const Outcome outcome = run(one(version() + "_" + fault), isolate);
      EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
      EXPECT_NE(outcome.output.find("'body' failed at t = 0.5"), std::string::npos) << outcome.output;
      EXPECT_NE(outcome.output.find(words), std::string::npos) << outcome.output;
      EXPECT_GE(rows(folder_ / "out/results.csv"), 52U) << fault;
      expect_nothing_left();
    }
  }
}

TEST_P(FmuCommand, RefusesWhatCannotBeUsedWithExitCode2) {
  for (const char* fault : {"no_instance", "wrong_token", "missing_step", "claims_states", "garbage_binary",
                            "other_platform", "xml_bomb", "zip_bomb", "no_description", "broken_description",
                            "truncated", "path_escape", "backslash_escape", "absolute_path", "link"}) {
    const Outcome outcome = run(one(version() + "_" + fault));
    EXPECT_EQ(outcome.exit_code, 2) << fault << ": " << outcome.output;
    EXPECT_NE(outcome.output.find("system.toml:"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(version() + "_" + fault), std::string::npos) << outcome.output;
    EXPECT_FALSE(fs::exists(folder_ / "out")) << fault;
    expect_nothing_left();
  }
}

TEST_P(FmuCommand, TakesOddButUsableFmus) {
  for (const char* variant :
       {"latin1", "backslash", "dot_slash", "no_states", "discard", "sluggish", "only_once"}) {
    const Outcome outcome = run(one(version() + "_" + variant), "--quiet");
    EXPECT_EQ(outcome.exit_code, 0) << variant << ": " << outcome.output;
    expect_nothing_left();
  }
}

TEST_P(FmuCommand, FmusThatExistOncePerProcessRunTwiceWhenIsolated) {
  const std::string two = one(version() + "_only_once") + "[[subsystem]]\nname = \"other\"\nfmu = \"" +
                          kit(version() + "_only_once") + "\"\n";
  const Outcome here = run(two);
  EXPECT_EQ(here.exit_code, 2) << here.output;
  const Outcome isolated = run(two, "--isolate --quiet");
  EXPECT_EQ(isolated.exit_code, 0) << isolated.output;
}

TEST_P(FmuCommand, InspectsAndValidates) {
  const Outcome text = ergon_here("inspect " + kit(version()));
  EXPECT_EQ(text.exit_code, 0) << text.output;
  EXPECT_NE(
      text.output.find("effort = \"NAME.force\", flow = \"NAME.velocity\", displacement = \"NAME.position\""),
      std::string::npos)
      << text.output;
  const Outcome json = ergon_here("inspect --json " + kit(version()));
  const auto parsed = nlohmann::json::parse(json.output);
  EXPECT_EQ(parsed["co_simulation"]["capabilities"]["save/restore"], true);
  EXPECT_EQ(parsed["feedthrough"]["twice_force"][0], "force");
  EXPECT_EQ(parsed["bond_proposals"][0]["effort"], "force");
  EXPECT_EQ(ergon_here("validate " + kit(version())).exit_code, 0);
  EXPECT_EQ(ergon_here("validate " + kit(version() + "_broken_description")).exit_code, 2);
  EXPECT_EQ(ergon_here("inspect " + kit(version() + "_xml_bomb")).exit_code, 2);
  EXPECT_EQ(ergon_here("inspect no-such.fmu").exit_code, 2);
  expect_nothing_left();
}

TEST_P(FmuCommand, RunsOneByItself) {
  const std::string input = folder_.write("input.csv", "time,force\n0,0\n1,10\n");
  const Outcome outcome =
      ergon_here("run-single " + kit(version()) + " --stop-time 0.5 --step-size 0.01 --input " + input +
                 " --set k=400 --set initial.x=0 --quiet --out " + (folder_ / "out").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  std::ifstream stream(folder_ / "out/results.csv");
  std::string heading;
  std::getline(stream, heading);
  EXPECT_EQ(heading.rfind("time,fmu.position", 0), 0U) << heading;
  EXPECT_EQ(rows(folder_ / "out/results.csv"), 52U);
  EXPECT_EQ(ergon_here("run-single " + kit(version()) + " --stop-time 1 --set nothing=1").exit_code, 2);
  // The description suggests steps of 0.01 s: more than this run has.
  EXPECT_EQ(
      ergon_here("run-single " + kit(version()) + " --stop-time 0.005 --out " + (folder_ / "short").string())
          .exit_code,
      0);
  EXPECT_EQ(rows(folder_ / "short/results.csv"), 3U);
  expect_nothing_left();
}

TEST_P(FmuCommand, WritesWhatFmusSayToTheirLog) {
  // Checked, the FMUs of the run at other steps speak, too.
  const Outcome outcome = run(one(version() + "_noisy"), "--quiet --check=off");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("(100 such messages)"), std::string::npos) << outcome.output;
  EXPECT_EQ(rows(folder_ / "out/fmu.log"), 200U);
}

TEST_P(FmuCommand, MistakesInKeysAreToldWithTheirLine) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"isolate = 1\n", "true or false"},
      {"parameters = { kk = 1.0 }\n", "kk"},
      {"outputs = [\"nobody\"]\n", "nobody"},
      {"feedthrough = { position = [\"nobody\"] }\n", "nobody"},
      {"energy = { dissipated = \"energy.dissipated\" }\n", "stored"},
      {"integrator = { method = \"rk4\" }\n", "integrator"},
      {"call_limit = 0\n", "call_limit"},
      {"model = \"oscillator.mass\"\n", "more than one model"}};
  for (const auto& [text, words] : mistakes) {
    const Outcome outcome = run(one(version(), text));
    EXPECT_EQ(outcome.exit_code, 2) << text << outcome.output;
    EXPECT_NE(outcome.output.find("system.toml:"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(words), std::string::npos) << outcome.output;
  }
}

}  // namespace
}  // namespace ergon::cli

// Solvers inside of FMUs: their errors are no matter of communication steps, and must not pass for right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

/// a' = −b − a, b' = a − b from a = 1, b = 0, so that a + ib = exp((i − 1) t). Both solve inside by explicit Euler.
std::string two_solvers(const std::string& fmu, const std::string& keys) {
  const std::string one = "\"\nfmu = \"" + std::string(ERGON_TEST_FMUS) + "/" + fmu + ".fmu\"\n" + keys;
  return "simulation = { stop_time = 2.0, step_size = 1e-3 }\n"
         "[[subsystem]]\nname = \"a" +
         one + "parameters = { start = 1.0 }\n[[subsystem]]\nname = \"b" + one +
         "parameters = { start = 0.0 }\n"
         "[[connection]]\nfrom = \"b.y\"\nto = \"a.u\"\ngain = -1.0\n"
         "[[connection]]\nfrom = \"a.y\"\nto = \"b.u\"\n";
}

class InnerSolverRuns : public testing::Test {
 protected:
  nlohmann::json run(const std::string& scenario, const std::string& arguments = "") {
    const Outcome outcome = ergon("run " + folder_.write("two.toml", scenario) + " --out " +
                                  (folder_ / "out").string() + " " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    output_ = outcome.output;
    return nlohmann::json::parse(read_file(folder_ / "out" / "summary.json"));
  }
  /// Largest errors against the exact solution.
  [[nodiscard]] std::map<std::string, double> errors() const {
    std::ifstream stream(folder_ / "out" / "results.csv");
    std::string line;
    std::getline(stream, line);
    EXPECT_EQ(line, "time,a.y,b.y");
    std::map<std::string, double> largest;
    while (std::getline(stream, line)) {
      double t = 0.0, a = 0.0, b = 0.0;
      EXPECT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf", &t, &a, &b), 3) << line;
      largest["a.y"] = std::max(largest["a.y"], std::abs(a - std::exp(-t) * std::cos(t)));
      largest["b.y"] = std::max(largest["b.y"], std::abs(b - std::exp(-t) * std::sin(t)));
    }
    return largest;
  }
  void expect_bars_to_be_bounds(const nlohmann::json& summary) const {
    for (const auto& [name, error] : errors())
      EXPECT_GE(summary["motion"]["variables"][name]["largest_error"].get<double>(), error) << name;
  }
  TemporaryDirectory folder_;
  std::string output_;
};
using InnerSolverOnce = InnerSolverRuns;
class InnerSolver : public InnerSolverRuns, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Fmi, InnerSolver, testing::Values("plain2_solver", "plain3_solver"));

// The description declares 0.01, which makes 8 % of half the range: a check run at other communication steps alone shows 0.1 %.
TEST_P(InnerSolver, ToleranceOfTheDescriptionIsVaried) {
  const auto summary = run(two_solvers(GetParam(), ""));
  EXPECT_GT(errors()["a.y"], 0.05 * 0.5);
  EXPECT_NE(summary["verdict"]["value"], "reliable") << output_;
  EXPECT_NE(summary["verdict"]["value"], "consistent") << output_;
  expect_bars_to_be_bounds(summary);
}

TEST_P(InnerSolver, ToleranceOfTheScenarioIsPassedAndVaried) {
  const auto coarse = run(two_solvers(GetParam(), "tolerance = 0.09\n"));
  EXPECT_GT(errors()["b.y"], 0.2 * 0.16) << "three times the step that its description makes it take";
  EXPECT_EQ(coarse["verdict"]["value"], "unreliable") << output_;
  expect_bars_to_be_bounds(coarse);
  EXPECT_NE(output_.find("--accuracy 5%)"), std::string::npos) << "a smaller step alone changes nothing\n"
                                                               << output_;

  const auto fine = run(two_solvers(GetParam(), "tolerance = 1e-5\n"));
  EXPECT_LT(errors()["a.y"], 0.01 * 0.5);
  EXPECT_EQ(fine["verdict"]["value"], "reliable") << output_;
  expect_bars_to_be_bounds(fine);
}

TEST_P(InnerSolver, ToleranceMustBePositive) {
  const Outcome outcome =
      ergon("run " + folder_.write("two.toml", two_solvers(GetParam(), "tolerance = 0.0\n")));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("two.toml:5:13: error: "), std::string::npos) << outcome.output;
}

// A run that is repeated for its accuracy needs a finer solver, too, and its scenario says which.
TEST_F(InnerSolverOnce, ToleranceFollowsTheAccuracyAskedFor) {
  const auto summary = run(two_solvers("plain2_solver", ""), "--accuracy 5% --step-size 1e-2");
  EXPECT_EQ(summary["verdict"]["value"], "reliable") << output_;
  EXPECT_LT(errors()["a.y"], 0.05 * 0.53);
  EXPECT_NE(read_file(folder_ / "out" / "scenario.toml").find("\ntolerance = "), std::string::npos);
}

// Its steps inside are 0.1 s at any communication step: 8 % that nothing can show.
TEST_F(InnerSolverOnce, DeclaredStepsMakeARunConsistentAtBest) {
  const auto summary = run(two_solvers("plain3_fixed_solver", ""));
  EXPECT_GT(errors()["a.y"], 0.05 * 0.5);
  EXPECT_EQ(summary["verdict"]["value"], "consistent") << output_;
  EXPECT_EQ(summary["motion"]["solvers_inside"], nlohmann::json({"a", "b"}));
  EXPECT_NE(output_.find("the internal steps of a, b are the same at all step sizes"), std::string::npos)
      << output_;
}

// One that can exist once per process gets a process of its own in the check run.
TEST_F(InnerSolverOnce, FmusThatExistOncePerProcessAreChecked) {
  for (const char* kit : {"kit2_only_once", "kit3_only_once"}) {
    const auto summary =
        run("simulation = { stop_time = 1.0, step_size = 1e-3 }\n[[subsystem]]\nname = "
            "\"body\"\nfmu = \"" +
            std::string(ERGON_TEST_FMUS) + "/" + kit + ".fmu\"\n");
    EXPECT_EQ(summary["motion"]["checked"], true) << output_;
  }
}

}  // namespace
}  // namespace ergon::cli

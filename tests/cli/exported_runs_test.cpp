// Native models and the same models out of FMUs, under the same engine: what a user sees must be the same.
#include <cmath>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "cli/exported_scenario.hpp"

namespace ergon::cli {
namespace {

const std::string exported_benchmarks = std::string(ERGON_SOURCE_DIR) + "/benchmarks/";

struct ExportCase {
  int fmi;
  std::string feedthrough;
  bool isolated;
};
void PrintTo(const ExportCase& c, std::ostream* stream) {
  *stream << "FMI " << c.fmi << ", " << c.feedthrough << (c.isolated ? ", isolated" : "");
}

class ExportedOscillator : public testing::TestWithParam<ExportCase> {
 protected:
  TemporaryDirectory folder_;
};

// [lim2021], force-displacement: 10 s, 10 000 steps.
TEST_P(ExportedOscillator, IsTheNativeOneBitForBit) {
  const std::string scenario = exported_benchmarks + "lim-oscillator/f-s.toml";
  const std::string fmus = with_fmus(scenario, {.fmi = GetParam().fmi}, folder_);
  const std::string mode = "--set bond.coupling.feedthrough=" + GetParam().feedthrough;
  auto native = results_of(scenario, mode, folder_ / "native");
  auto other = results_of(fmus, mode + (GetParam().isolated ? " --isolate" : ""), folder_ / "fmus");
  ASSERT_EQ(native["time"].size(), 10001U);
  expect_same(native, other,
              {"time", "left.position", "left.velocity", "left.force", "right.position", "right.velocity"});
}

std::vector<ExportCase> export_cases() {
  std::vector<ExportCase> all;
  for (const int fmi : {2, 3}) {
    for (const char* feedthrough : {"stale", "refresh"}) {
      for (const bool isolated : {false, true}) all.push_back({fmi, feedthrough, isolated});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Ways, ExportedOscillator, testing::ValuesIn(export_cases()));

class ExportedModels : public testing::TestWithParam<int> {
 protected:
  TemporaryDirectory folder_;
};

// [gonzalez2019, Table 2, m2 = 1]: what leaks, and what the corrections leave of it. The leak is computed from the accounts of both,
// which are outputs of the FMUs.
TEST_P(ExportedModels, GiveTheRowOfTheLeakTable) {
  const std::string scenario = exported_benchmarks + "leak-table2/f-s.toml";
  const std::string account =
      R"(energy = { stored = "energy.stored", dissipated = "energy.dissipated", supplied = "energy.supplied", through = ")";
  const std::string fmus = with_fmus(
      scenario,
      {.fmi = GetParam(), .added = {{"left", account + "velocity_in\" }"}, {"right", account + "force\" }"}}},
      folder_);
  for (const std::string correction :
       {R"({method="none"})", R"({method="energy-leak",limit=0.25})", R"({method="residual-power"})"}) {
    SCOPED_TRACE(correction);
    const std::string option = "--set 'bond.coupling.correction=" + correction + "'";
    auto native = results_of(scenario, option, folder_ / "native");
    auto other = results_of(fmus, option, folder_ / "fmus");
    expect_same(native, other,
                {"left.position", "left.velocity", "left.force", "right.position", "right.velocity"});
  }
}
// Both have two real inputs or more, and no line says what their energy comes through: energies, residuals of the bond and the
// correction that needs accounts are those of the native run.
TEST_P(ExportedModels, BringTheirAccountsAlong) {
  const std::string scenario = exported_benchmarks + "leak-table2/f-s.toml";
  const std::string fmus = with_fmus(scenario, {.fmi = GetParam()}, folder_);
  const std::string leak =
      "--stop-time 2 --set 'bond.coupling.correction={method=\"energy-leak\",limit=0.25}'";
  (void)results_of(scenario, leak, folder_ / "native");
  for (const std::string isolation : {"", " --isolate"}) {
    (void)results_of(fmus, leak + isolation, folder_ / "fmus");
    for (const char* file : {"energy.csv", "bonds.csv"}) {
      const std::string expected = read_file(folder_ / "native" / file);
      EXPECT_GT(expected.size(), 1000U) << file;
      EXPECT_EQ(read_file(folder_ / "fmus" / file), expected) << file << isolation;
    }
  }
}
// [rodriguez2022, Sect. 4.4] from pressures that are not in equilibrium: the cylinder as FMU between a native crane and a native valve,
// each with its own step. (Later the pressure falls below 0: there the native model ends the run, while the FMU discards the step and
// is given a shorter one.)
TEST_P(ExportedModels, HydraulicsBesideANativeCrane) {
  const std::string scenario =
      without_section(exported_benchmarks + "hydraulic-crane/crane.toml", "[initialization]", folder_);
  const std::string fmus =
      with_fmus(scenario, {.fmi = GetParam(), .added = {}, .only = {"hydraulics"}}, folder_);
  auto native = results_of(scenario, "--stop-time 1", folder_ / "native");
  auto other = results_of(fmus, "--stop-time 1", folder_ / "fmus");
  expect_same(native, other, {"mechanics.position", "mechanics.velocity", "hydraulics.force", "spool.value"});
}

// The log-handling crane from pressures that are not in equilibrium: its cylinders as FMUs between the native machine and native
// controllers, with what an interface model of the machine predicts as inputs.
TEST_P(ExportedModels, CylindersOfTheLogCraneBesideItsMachine) {
  const std::string scenario =
      without_section(exported_benchmarks + "log-crane/crane.toml", "[initialization]", folder_);
  const std::string fmus =
      with_fmus(scenario, {.fmi = GetParam(), .added = {}, .only = {"cylinder1", "cylinder2"}}, folder_);
  auto native = results_of(scenario, "--stop-time 4", folder_ / "native");
  auto other = results_of(fmus, "--stop-time 4", folder_ / "fmus");
  expect_same(native, other,
              {"crane.cylinder1_length", "crane.cylinder2_length", "crane.cylinder1_rate", "cylinder1.force",
               "cylinder2.force", "control1.spool"});
}

INSTANTIATE_TEST_SUITE_P(Versions, ExportedModels, testing::Values(2, 3));

struct Decomposition {
  const char* scenario;
  double error_m[3];  ///< at H = 1 ms, for k = 0, 1, 2
};
class ExportedSemiImplicit : public testing::TestWithParam<Decomposition> {
 protected:
  TemporaryDirectory folder_;
};

// [schweizer2014, Fig. 9] at H = 1 ms: largest error of both positions against the analytic solution (benchmark semi-convergence).
// Predictor and corrector repeat the step from a saved state of the FMUs, with inputs that are polynomials.
TEST_P(ExportedSemiImplicit, HasTheErrorsOfTheTable) {
  bench::TwoMassOscillator problem;
  problem.m2 = 2.0;
  problem.k1 = problem.kc = problem.k2 = 1000.0;
  problem.c1 = problem.cc = problem.c2 = 10.0;
  const auto exact = problem.sample_solution(1.0, 1e-3);
#ifdef __SANITIZE_ADDRESS__
  const std::vector<int> versions = {
      3};  // libraries of a hundred megabytes are packed and loaded anew for each
#else
  const std::vector<int> versions = {2, 3};
#endif
  for (const int fmi : versions) {
    const std::string fmus =
        with_fmus(exported_benchmarks + "semi-convergence/" + GetParam().scenario, {.fmi = fmi}, folder_);
    for (int k = 0; k <= 2; ++k) {
      auto results = results_of(fmus, "--set coupling.degree=" + std::to_string(k), folder_ / "fmus");
      ASSERT_EQ(results["left.position"].size(), exact.size());
      double worst = 0.0;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        worst = std::max({worst, std::abs(results["left.position"][i] - exact[i][0]),
                          std::abs(results["right.position"][i] - exact[i][1])});
      }
      EXPECT_NEAR(worst, GetParam().error_m[k], 0.02 * GetParam().error_m[k])
          << "FMI " << fmi << ", k = " << k;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Decompositions, ExportedSemiImplicit,
                         testing::Values(Decomposition{"f-f.toml", {2.75e-2, 3.00e-4, 9.39e-6}},
                                         Decomposition{"f-d.toml", {2.39e-2, 2.85e-4, 9.58e-6}},
                                         Decomposition{"d-d.toml", {3.42e-2, 1.58e-4, 3.89e-6}}));

TEST(ExportedFmu, IsValid) {
  TemporaryDirectory folder;
  for (const int fmi : {2, 3}) {
    const std::string file = (folder / ("mass" + std::to_string(fmi) + ".fmu")).string();
    ASSERT_EQ(ergon("export oscillator.force_output --fmi " + std::to_string(fmi) + " -o " + file).exit_code,
              0);
    const Outcome validated = ergon("validate " + file);
    EXPECT_EQ(validated.exit_code, 0) << validated.output;
    EXPECT_EQ(validated.output.find("warning"), std::string::npos) << validated.output;
    const Outcome inspected = ergon("inspect " + file);
    EXPECT_EQ(inspected.exit_code, 0) << inspected.output;
    EXPECT_NE(inspected.output.find("energy.stored"), std::string::npos) << inspected.output;
  }
}

}  // namespace
}  // namespace ergon::cli

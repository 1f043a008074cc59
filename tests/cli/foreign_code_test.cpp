// What code of others meets in this program, and what it cannot reach.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

std::string fmu_file(const std::string& name) {
  return std::string(ERGON_TEST_FMUS) + "/" + name + ".fmu";
}

struct Case {
  int version;
  bool isolate;
};
class ForeignCode : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] std::string kit(const std::string& variant) const {
    return fmu_file("kit" + std::to_string(GetParam().version) + "_" + variant);
  }
  [[nodiscard]] std::string isolation() const { return GetParam().isolate ? " --isolate" : ""; }
  Outcome run_single(const std::string& variant, const std::string& arguments = "") {
    return ergon("run-single " + kit(variant) + " -o " + (folder_ / "out").string() +
                 " --stop-time 0.5 --step-size 0.01" + isolation() + " " + arguments);
  }
  /// The last value of a column of a file.
  [[nodiscard]] double last(const std::string& file, const std::string& column) const {
    std::ifstream stream(folder_ / file);
    std::string line;
    std::getline(stream, line);
    std::size_t number = 0;
    std::istringstream names(line);
    for (std::string name; std::getline(names, name, ',') && name.find(column) != 0;) ++number;
    std::string row;
    while (std::getline(stream, line)) row = line;
    std::istringstream values(row);
    std::string value;
    for (std::size_t i = 0; i <= number; ++i) std::getline(values, value, ',');
    return value.empty() ? NAN : std::stod(value);
  }
  TemporaryDirectory folder_;
};
INSTANTIATE_TEST_SUITE_P(Fmi, ForeignCode,
                         testing::Values(Case{2, false}, Case{2, true}, Case{3, false}, Case{3, true}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.version) +
                                  (instance.param.isolate ? "Isolated" : "Here");
                         });

/// The law of the test FMUs (tests/fmus): x″ = −k·x, semi-implicit Euler.
double position_after(int steps, double h) {
  double x = 1.0;
  double v = 0.0;
  for (int i = 0; i < steps; ++i) {
    v += h * (-100.0 * x);
    x += h * v;
  }
  return x;
}

TEST_P(ForeignCode, AnFmuThatCommitsOnlyWhatStaysMovesAsByHand) {
  const Outcome outcome = run_single("commits");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_DOUBLE_EQ(last("out/results.csv", "fmu.position"), position_after(50, 0.01));
}

/// Where steps are repeated or first steps are tried out, the state is set back to the point at which a step begins, not before.
TEST_P(ForeignCode, AnFmuThatCommitsOnlyWhatStaysMovesAlsoWhereStepsAreRepeated) {
  const auto scenario = [&](const std::string& coupling) {
    return folder_.write("pair.toml",
                         "simulation = { stop_time = 0.5, step_size = 0.01, check = \"off\" }\n" + coupling +
                             "[[subsystem]]\nname = \"a\"\nfmu = \"" + kit("commits") +
                             "\"\n[[subsystem]]\nname = \"b\"\nmodel = \"source.constant\"\n"
                             "parameters = { value = 0.0 }\n"
                             "[[connection]]\nfrom = \"b.value\"\nto = \"a.force\"\n");
  };
  for (const std::string coupling :
       {"coupling = { scheme = \"jacobi\", extrapolation = \"linear\", starter = \"repeat\" }\n",
        "coupling = { scheme = \"implicit\" }\n"}) {
    const Outcome outcome =
        ergon("run " + scenario(coupling) + " --out " + (folder_ / "out").string() + isolation());
    ASSERT_EQ(outcome.exit_code, 0) << coupling << outcome.output;
    EXPECT_DOUBLE_EQ(last("out/results.csv", "a.position"), position_after(50, 0.01)) << coupling;
  }
}

TEST_P(ForeignCode, AnFmuWithItsOwnCopyOfCommonLibrariesCallsIt) {
  const Outcome outcome = run_single("own_symbols");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST_P(ForeignCode, ALibraryOutsideOfTheArchiveIsRefused) {
  for (const char* variant : {"identifier_2", "identifier_10", "identifier_16", "identifier_18"}) {
    const Outcome outcome = run_single(variant);
    EXPECT_EQ(outcome.exit_code, 2) << variant << outcome.output;
    EXPECT_NE(outcome.output.find("modelIdentifier"), std::string::npos) << outcome.output;
  }
}

/// What is claimed is kept; what is not claimed is said.
TEST_P(ForeignCode, ASandboxKeepsWhatItSays) {
  const Outcome outcome = run_single("curious", "--sandbox");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const auto says = [&](const std::string& text) { return outcome.output.find(text) != std::string::npos; };
  ASSERT_TRUE(says("Sandbox of 'fmu': ")) << outcome.output;
  const std::string kept = outcome.output.substr(outcome.output.find("Sandbox of 'fmu': "));
  const std::string claim = kept.substr(0, kept.find(". "));
  const auto claims = [&](const std::string& text) {
    return claim.substr(0, claim.find("cannot enforce")).find(text) != std::string::npos;
  };
  if (claims("no files but its own folder"))
    EXPECT_TRUE(says("read no, write no")) << outcome.output;
  else
    EXPECT_TRUE(says("cannot enforce")) << outcome.output;
  if (claims("no network"))
    EXPECT_TRUE(says("network no")) << outcome.output;
  else
    EXPECT_TRUE(says("cannot enforce")) << outcome.output;
  EXPECT_TRUE(says("resources yes")) << outcome.output;
  EXPECT_FALSE(fs::exists("written.txt"));
}

TEST_P(ForeignCode, WithoutASandboxItReadsAndWrites) {
  const Outcome outcome = run_single("curious");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("read yes, write yes"), std::string::npos) << outcome.output;
}

#ifndef __SANITIZE_ADDRESS__  // sanitizers need descriptors of their own, and bring libraries
TEST_P(ForeignCode, TooFewFileDescriptorsAreNoFaultOfTheFmu) {
  const std::string arguments = "run-single " + kit("commits") + " -o " + (folder_ / "out").string() +
                                " --stop-time 0.5 --step-size 0.01" + isolation();
  for (const int limit : {6, 8, 9, 12, 20}) {
    const Outcome outcome = shell("sh -c 'ulimit -n " + std::to_string(limit) + "; exec " + ERGON_COMMAND +
                                  " " + arguments + "'");
    if (outcome.exit_code == 0) continue;
    EXPECT_NE(outcome.output.find("Too many open files"), std::string::npos)
        << limit << ": " << outcome.output;
    for (const char* blame : {"no readable archive", "Make room", "TMPDIR", "validate", "exported anew"})
      EXPECT_EQ(outcome.output.find(blame), std::string::npos) << limit << ": " << outcome.output;
  }
}

TEST(Command, LinksNothingThatAnFmuCouldMeet) {
  const Outcome outcome = shell("readelf -d " ERGON_COMMAND " " ERGON_LIBRARY " | grep NEEDED");
  ASSERT_NE(outcome.output.find("libc.so"), std::string::npos) << outcome.output;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) {
    bool known = false;
    for (const char* name :
         {"[libergon.so", "[libc.so", "[libm.so", "[libstdc++.so", "[libgcc_s.so", "[ld-linux", "san.so"})
      known = known || line.find(name) != std::string::npos;
    EXPECT_TRUE(known) << line;
  }
  // The library shows its own interface alone (Install.LibraryShowsItsPublicInterfaceAlone has it name by name).
  const Outcome shown = shell("nm -D --defined-only " ERGON_LIBRARY " | grep -v '5ergon'");
  EXPECT_EQ(shown.output, "");
  EXPECT_EQ(shell("nm -D --defined-only " ERGON_LIBRARY " | grep Simulation4Impl").output, "");
  const Outcome of_command = shell("nm -D --defined-only " ERGON_COMMAND);
  for (const char* name : {"N_V", "CVode", "zip_", "pugi", "3fmt", "5ergon", "inflate"})
    EXPECT_EQ(of_command.output.find(name), std::string::npos) << name;
}

TEST(Command, IsHardened) {
  for (const std::string& program :
       {std::string(ERGON_COMMAND), std::string(ERGON_COMMAND) + "-worker", std::string(ERGON_LIBRARY)}) {
    const std::string headers = shell("readelf -W -l -d -s " + program).output;
    EXPECT_NE(headers.find("GNU_RELRO"), std::string::npos) << program;
    EXPECT_NE(headers.find("BIND_NOW"), std::string::npos) << program;
    const bool is_program = program != ERGON_LIBRARY;
    EXPECT_NE(headers.find(is_program ? "NOW PIE" : "Flags: NOW"), std::string::npos) << program;
    if (program == ERGON_COMMAND) continue;  // a call of the library, nothing else
    EXPECT_NE(headers.find("__stack_chk_fail"), std::string::npos) << program;
    EXPECT_NE(headers.find("_chk@GLIBC"), std::string::npos)
        << program << ": no checked call of the C library";
  }
}
#endif

TEST(Command, IsItsOwnWorkerWhereNothingElseWasCopied) {
  const TemporaryDirectory folder;
  fs::copy(ERGON_COMMAND, folder / "ergon");
  // Its library, without which it does not start.
  const std::string name =
      shell("readelf -d " ERGON_LIBRARY " | sed -n 's/.*SONAME.*\\[\\(.*\\)\\].*/\\1/p'").output;
  fs::copy(ERGON_LIBRARY, folder / name.substr(0, name.find('\n')));
  const Outcome outcome = shell((folder / "ergon").string() + " run-single " + fmu_file("kit2") + " -o " +
                                (folder / "out").string() + " --isolate --stop-time 0.1 --step-size 0.01");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

}  // namespace
}  // namespace ergon::cli

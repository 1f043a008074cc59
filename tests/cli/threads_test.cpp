// Threads that cannot be had: limits of memory stand in for those of processes, which do not hold for every user.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// So many masses on springs.
std::string chain_of_masses(int count) {
  std::string text = "simulation = { stop_time = 0.05, step_size = 1e-3 }\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        "[[subsystem]]\nname = \"m{}\"\nmodel = \"oscillator.mass\"\nparameters = {{ k = {} }}\n"
        "initial = {{ v = 1.0 }}\n",
        i, 100 + i);
  }
  return text;
}

Outcome run_limited(const std::string& limit, const std::string& scenario, const std::string& arguments) {
  return shell(fmt::format("bash -c '{} {} run {} {}'", limit, ERGON_COMMAND, scenario, arguments));
}

// The program ended with a signal (exit code 134).
TEST(Threads, ThatCannotBeMadeAreAWarning) {
  const TemporaryDirectory directory;
  const std::string scenario = directory.write("masses.toml", chain_of_masses(200));
  const Outcome limited =
      run_limited("ulimit -v 400000;", scenario, "--threads 1024 --out " + (directory / "limited").string());
  EXPECT_EQ(limited.exit_code, 0) << limited.output;
  EXPECT_NE(limited.output.find(" of 200 requested threads"), std::string::npos) << limited.output;
  const Outcome plain = run_limited("", scenario, "--out " + (directory / "plain").string());
  EXPECT_EQ(plain.exit_code, 0) << plain.output;
  EXPECT_EQ(read_file(directory / "limited" / "results.csv"), read_file(directory / "plain" / "results.csv"));
}

// Every stack of a thread is larger than all memory. The run ended with an exception of the check run.
TEST(Threads, ACheckRunWithoutAThreadFollowsTheRun) {
  const TemporaryDirectory directory;
  const std::string scenario = directory.write("masses.toml", chain_of_masses(3));
  const Outcome limited = run_limited("ulimit -s 4000000; ulimit -v 2000000;", scenario,
                                      "--out " + (directory / "limited").string());
  EXPECT_EQ(limited.exit_code, 0) << limited.output;
  const Outcome plain = run_limited("", scenario, "--out " + (directory / "plain").string());
  EXPECT_EQ(plain.exit_code, 0) << plain.output;
  for (const char* name : {"results.csv", "motion.csv"}) {
    const std::string rows = read_file(directory / "limited" / name);
    EXPECT_FALSE(rows.empty()) << name;
    EXPECT_EQ(rows, read_file(directory / "plain" / name)) << name;
  }
}

#endif

}  // namespace
}  // namespace ergon::cli

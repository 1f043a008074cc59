// FMUs that want to end more than themselves, leave processes behind, or change what belongs to the whole process.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>
#include <vector>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

class HostileFmu : public testing::TestWithParam<int> {
 protected:
  HostileFmu() { fs::create_directories(folder_ / "tmp"); }
  [[nodiscard]] static std::string file(const std::string& variant) {
    return std::string(ERGON_TEST_FMUS) + "/kit" + std::to_string(GetParam()) +
           (variant.empty() ? "" : "_" + variant) + ".fmu";
  }
  [[nodiscard]] static std::string subsystem(const std::string& name, const std::string& variant,
                                             const std::string& more = "") {
    return "[[subsystem]]\nname = \"" + name + "\"\nfmu = \"" + file(variant) + "\"\n" + more;
  }
  [[nodiscard]] std::string command(const std::string& arguments) const {
    return "TMPDIR=" + (folder_ / "tmp").string() + " " + ERGON_COMMAND + " " + arguments;
  }
  [[nodiscard]] std::string run_arguments(const std::string& subsystems,
                                          const std::string& out = "out") const {
    return "run " +
           folder_.write(out + ".toml", "simulation = { stop_time = 1.0, step_size = 0.01 }\n" + subsystems) +
           " --quiet --out " + (folder_ / out).string() + " ";
  }
  Outcome run(const std::string& subsystems, const std::string& more = "", const std::string& out = "out") {
    return shell(command(run_arguments(subsystems, out) + more));
  }
  [[nodiscard]] std::size_t rows(const std::string& out = "out") const {
    const std::string text = read_file(folder_ / out / "results.csv");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  /// Processes that were started with the folder for temporary files of this test.
  [[nodiscard]] std::size_t processes() const {
    std::size_t count = 0;
    std::error_code ignored;
    for (fs::directory_iterator it("/proc", ignored), end; it != end; it.increment(ignored)) {
      const std::string name = it->path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (read_file(it->path() / "environ").find((folder_ / "tmp").string()) != std::string::npos) ++count;
    }
    return count;
  }
  void expect_no_process() const {
    for (int i = 0; i < 500 && processes() > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(processes(), 0U);
  }
  void expect_failed_by_exit(const Outcome& outcome, const char* words) const {
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find(words), std::string::npos) << outcome.output;
    EXPECT_NE(read_file(folder_ / "out" / "summary.json").find("\"failed\""), std::string::npos);
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
  }
  TemporaryDirectory folder_;
};
INSTANTIATE_TEST_SUITE_P(Fmi, HostileFmu, testing::Values(2, 3));

TEST_P(HostileFmu, ThatCallsExitFailsAloneAndFilesAreWhole) {
  const Outcome in_step = run(subsystem("body", "exit"));
  expect_failed_by_exit(in_step, "'body' failed at t = 0.5 s: it called exit(0)");
  EXPECT_EQ(rows(), 52U);
  const Outcome in_library = run(subsystem("body", "exit_inside"));
  expect_failed_by_exit(in_library, "'body' failed at t = 0.5 s: it called exit(3)");
  EXPECT_EQ(rows(), 52U);
  const Outcome at_start = run(subsystem("body", "exit_in_init"));
  expect_failed_by_exit(at_start, "'body' failed at t = 0 s: it called exit(0)");
}

TEST_P(HostileFmu, ThatCallsExitInAThreadOfItsOwnFailsAtTheNextPoint) {
  const Outcome outcome = run(subsystem("body", "exit_from_thread") + subsystem("other", ""));
  expect_failed_by_exit(outcome, "'body' failed at t = 0.51 s: a thread of it called exit(0)");
  EXPECT_EQ(rows(), 53U);
}

TEST_P(HostileFmu, ThatCallsExitOnAPoolThreadOrInACheckRunFails) {
  const Outcome pool = run(subsystem("body", "exit") + subsystem("other", ""), "--threads 2");
  expect_failed_by_exit(pool, "'body' failed at t = 0.5 s: it called exit(0)");
  EXPECT_EQ(rows(), 52U);
  // The library calls it in the first step beyond those of the run: that is one of its check run.
  const Outcome check = run(subsystem("body", "exit_later"));
  EXPECT_EQ(check.exit_code, 1) << check.output;
  EXPECT_NE(check.output.find("exit_later.fmu) called exit(0)"), std::string::npos) << check.output;
  EXPECT_NE(read_file(folder_ / "out" / "summary.json").find("finished"), std::string::npos);
  EXPECT_EQ(rows(), 102U);
}

TEST_P(HostileFmu, ThatCallsExitIsReportedByCheckAndInspect) {
  const std::string scenario = folder_.write(
      "s.toml", "simulation = { stop_time = 1.0, step_size = 0.01 }\n" + subsystem("body", "exit_in_init"));
  const Outcome check = shell(command("check " + scenario));
  EXPECT_EQ(check.exit_code, 1) << check.output;
  EXPECT_NE(check.output.find("called exit(0)"), std::string::npos) << check.output;
  EXPECT_EQ(check.output.find("No problems found"), std::string::npos) << check.output;
  const Outcome tried = shell(command("inspect --try " + file("exit_in_init")));
  EXPECT_EQ(tried.exit_code, 1) << tried.output;
  EXPECT_NE(tried.output.find("exit_in_init.fmu) called exit(0)"), std::string::npos) << tried.output;
  const Outcome at_load = run(subsystem("body", "exit_at_load"));
  EXPECT_EQ(at_load.exit_code, 1) << at_load.output;
  EXPECT_NE(at_load.output.find("called exit(0) while it was loaded"), std::string::npos) << at_load.output;
}

TEST_P(HostileFmu, InAWorkerThatHangsHearsASignal) {
  const auto begin = std::chrono::steady_clock::now();
  // Until all rows before the step that hangs are there.
  const Outcome outcome =
      shell("(" + command(run_arguments(subsystem("body", "hang", "isolate = true\n"), "out")) + " & p=$!; " +
            "for i in $(seq 1000); do [ -e " + (folder_ / "out/results.csv").string() +
            " ] && break; sleep 0.01; done; sleep 0.3; kill -TERM $p; wait $p)");
  EXPECT_EQ(outcome.exit_code, 130) << outcome.output;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));  // the call limit is 60 s
  EXPECT_EQ(rows(), 52U);
  EXPECT_NE(read_file(folder_ / "out" / "summary.json").find("interrupted"), std::string::npos);
  expect_no_process();
}

TEST_P(HostileFmu, InAWorkerLeavesNoProcessBehind) {
  const Outcome finished = run(subsystem("body", "children", "isolate = true\n"));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  expect_no_process();
  const Outcome hung = run(subsystem("body", "children_hang", "isolate = true\ncall_limit = 0.3\n"));
  EXPECT_EQ(hung.exit_code, 1) << hung.output;
  expect_no_process();
}

TEST_P(HostileFmu, InAWorkerLeavesNoProcessBehindWhereTheRunIsKilled) {
  const std::string started = command(run_arguments(subsystem("body", "children_hang", "isolate = true\n")));
  shell("(" + started + " >/dev/null 2>&1 & echo $! > " + (folder_ / "pid").string() + ")");
  // The command, its line mender, guardian, worker and three children.
  for (int i = 0; i < 1000 && processes() < 6; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GE(processes(), 6U);
  shell("kill -9 $(cat " + (folder_ / "pid").string() + ")");
  expect_no_process();
}

/// The columns of `out` whose names begin with `prefix`.
std::string columns(const fs::path& file, const std::string& prefix) {
  std::istringstream table(read_file(file));
  std::string line;
  std::vector<bool> wanted;
  std::string text;
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    std::string cell;
    const bool is_heading = wanted.empty();
    for (std::size_t i = 0; std::getline(cells, cell, ','); ++i) {
      if (is_heading) wanted.push_back(cell.rfind(prefix, 0) == 0);
      if (i < wanted.size() && wanted[i]) text += cell + ",";
    }
    text += "\n";
  }
  return text;
}

TEST_P(HostileFmu, ThatRoundsUpwardDoesSoForItselfAlone) {
  const std::string others = subsystem("other", "");
  ASSERT_EQ(run(subsystem("body", "") + others, "--check off", "plain").exit_code, 0);
  const Outcome outcome = run(subsystem("body", "rounding") + others, "--check off", "out");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("'body'"), std::string::npos);
  EXPECT_NE(outcome.output.find("changed how floating-point numbers are rounded"), std::string::npos)
      << outcome.output;
  for (const char* column : {"time", "other."})
    EXPECT_EQ(columns(folder_ / "out/results.csv", column), columns(folder_ / "plain/results.csv", column));
  EXPECT_NE(columns(folder_ / "out/results.csv", "body."), columns(folder_ / "plain/results.csv", "body."));
}

TEST_P(HostileFmu, ThatChangesFolderLocaleOrUmaskIsNamedAndTheyAreRestored) {
  const std::pair<const char*, const char*> variants[] = {
      {"folder", "working folder"}, {"locale", "locale"}, {"umask", "umask"}};
  for (const auto& [variant, words] : variants) {
    (void)folder_.write("s.toml",
                        "simulation = { stop_time = 1.0, step_size = 0.01 }\n" + subsystem("body", variant));
    const std::string out = std::string("of ") + variant;
    const Outcome outcome = shell("cd " + (folder_ / "").string() + " && umask 022 && " +
                                  command("run s.toml --quiet --report --out '" + out + "'"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("'body'"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(words), std::string::npos) << outcome.output;
    for (const char* file : {"summary.json", "motion.csv", "report.html"}) {
      struct stat about {};
      EXPECT_EQ(::stat((folder_ / out / file).c_str(), &about), 0) << variant << file;
      EXPECT_EQ(about.st_mode & 0777U, 0644U) << variant << file;
    }
  }
}

}  // namespace
}  // namespace ergon::cli

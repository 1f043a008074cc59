// `ergon sweep` and `ergon converge` as a user meets them: tables, kills, parts, crashes, mistakes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

const std::string study_scenario = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";

class StudyCommand : public testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  [[nodiscard]] std::string table(const std::string& name) const {
    return read_file(folder_ / name / "runs.csv");
  }
  /// A thousand runs of 50 steps.
  [[nodiscard]] std::string thousand(const std::string& out) const {
    return "sweep " + study_scenario +
           " --end-time 0.05 --check off --no-report -q --vary 'right.m=log(0.1,10,1000)'" +
           " --measure 'peak=max(right.position)' --out " + at(out) + " ";
  }
  TemporaryDirectory folder_;
};

TEST_F(StudyCommand, TabulatesSettingsAndMeasures) {
  const Outcome outcome =
      ergon("sweep " + study_scenario +
            " --end-time 0.1 --vary right.m=1,2 --vary coupling.scheme=jacobi,gauss-seidel"
            " --measure 'peak=max(abs(left.position))' --bands left.position --out " +
            at("s"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("4 runs: 4 finished"), std::string::npos) << outcome.output;
  const std::string text = table("s");
  EXPECT_EQ(lines(text), 5U);
  EXPECT_EQ(text.rfind("run,right.m,coupling.scheme,status,verdict,", 0), 0U) << text;
  EXPECT_NE(text.find("\n3,2,gauss-seidel,finished,"), std::string::npos) << text;
  EXPECT_EQ(lines(read_file(folder_ / "s" / "bands.csv")), 102U);
  EXPECT_TRUE(fs::exists(folder_ / "s" / "study.json"));
}

TEST_F(StudyCommand, GivesTheSameTableKilledTenTimes) {
  ASSERT_EQ(ergon(thousand("whole")).exit_code, 0);
  int kills = 0;
  for (; kills < 10; ++kills) {
    const Outcome killed = shell("timeout -s KILL 0.04 " ERGON_COMMAND " " + thousand("killed"));
    if (killed.exit_code == 0) break;  // a quick machine
  }
  EXPECT_EQ(ergon(thousand("killed")).exit_code, 0);
  EXPECT_EQ(lines(table("whole")), 1001U);
  EXPECT_TRUE(table("whole") == table("killed")) << "after " << kills << " kills";
}

TEST_F(StudyCommand, MergesFourParts) {
  ASSERT_EQ(ergon(thousand("whole")).exit_code, 0);
  std::string folders;
  for (const char* part : {"1", "2", "3", "4"}) {
    ASSERT_EQ(ergon(thousand(std::string("part") + part) + "--part " + part + "/4").exit_code, 0);
    folders += " " + at(std::string("part") + part);
  }
  EXPECT_EQ(lines(table("part1")), 251U);
  const Outcome merged = ergon(thousand("merged") + "--merge" + folders);
  EXPECT_EQ(merged.exit_code, 0) << merged.output;
  EXPECT_TRUE(table("whole") == table("merged"));
  EXPECT_TRUE(read_file(folder_ / "whole" / "study.json") == read_file(folder_ / "merged" / "study.json"));
}

// The FMU follows a pointer to nowhere after 0.5 s: runs that end before are whole.
TEST_F(StudyCommand, KeepsARunThatCrashesAsOneRow) {
  const std::string scenario =
      folder_.write("crash.toml", std::string("simulation = { stop_time = 1.0, step_size = 0.01 }\n"
                                              "[[subsystem]]\nname = \"a\"\nfmu = \"") +
                                      ERGON_TEST_FMUS + "/kit2_segfault.fmu\"\n");
  const Outcome outcome =
      ergon("sweep " + scenario + " --check off --jobs 2 --vary simulation.stop_time=0.2,1,0.3,0.4 --out " +
            at("s"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("4 runs: 1 crashed, 3 finished"), std::string::npos) << outcome.output;
  EXPECT_NE(table("s").find("\n1,1,crashed,"), std::string::npos) << table("s");
#ifdef __SANITIZE_ADDRESS__  // it takes the signal, and ends the process
  EXPECT_NE(table("s").find("ended by itself with exit code 1"), std::string::npos) << table("s");
#else
  EXPECT_NE(table("s").find("signal 11"), std::string::npos) << table("s");
#endif
}

TEST_F(StudyCommand, KeepsFilesOfEveryRun) {
  const Outcome outcome = ergon("sweep " + study_scenario +
                                " --end-time 0.1 --vary right.m=1,2 --keep --no-report --out " + at("s"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(fs::exists(folder_ / "s" / "runs" / "000001" / "results.csv"));
  EXPECT_NE(read_file(folder_ / "s" / "runs" / "000001" / "scenario.toml").find("m = 2"), std::string::npos);
}

TEST_F(StudyCommand, ReadsAStudyFile) {
  (void)folder_.write("masses.csv", "mass,other\n1.5,0\n2.5,0\n");
  const std::string file = folder_.write(
      "study.toml", "[study]\nscenario = \"" + study_scenario +
                        "\"\nplan = \"zip\"\ncheck = \"off\"\nset = [\"simulation.stop_time=0.1\"]\n"
                        "[vary]\n\"right.m\" = \"csv(masses.csv,mass)\"\n\"left.k\" = [10, 20.5]\n"
                        "[measures]\npeak = \"max(left.position)\"\n");
  const Outcome outcome = ergon("sweep --study " + file + " --no-report --out " + at("s"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(table("s").find("\n1,20.5,2.5,finished"), std::string::npos) << table("s");
}

TEST_F(StudyCommand, RefusesMistakesBeforeItWrites) {
  struct Mistake {
    const char* options;
    const char* says;
  };
  const Mistake mistakes[] = {
      {"", "Nothing varies"},
      {"--vary right.m", "does not say which setting"},
      {"--vary right.mass=1,2", "right.mass"},
      {"--vary 'right.m=log(0,1,3)'", "log(first,last,count)"},
      {"--vary right.m=1,2 --measure 'max(right.place)'", "right.place"},
      {"--vary right.m=1,2 --measure 'largest(right.position)'", "largest"},
      {"--vary right.m=1,2 --bands nobody", "nobody"},
      {"--vary 'right.m=normal(1,0.1)'", "--samples"},
      {"--vary right.m=1,2 --part 5/4", "--part 2/4"},
      {"--vary right.m=1,2 --vary left.m=1 --plan zip", "cannot be zipped"},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = ergon("sweep " + study_scenario + " " + mistake.options + " --out " + at("s"));
    EXPECT_EQ(outcome.exit_code, 2) << mistake.options << outcome.output;
    EXPECT_NE(outcome.output.find(mistake.says), std::string::npos)
        << mistake.options << ": " << outcome.output;
    EXPECT_FALSE(fs::exists(folder_ / "s")) << mistake.options;
  }
  const std::string file = folder_.write("study.toml", "[study]\nscenario = \"x.toml\"\nplann = \"zip\"\n");
  const Outcome outcome = ergon("sweep --study " + file);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("study.toml:3:1: error: [study] has no key 'plann'. Did you mean 'plan'?"),
            std::string::npos)
      << outcome.output;
  // Another sweep in the folder of one.
  EXPECT_EQ(ergon("sweep " + study_scenario + " --end-time 0.05 --vary right.m=1,2 --no-report -q --out " +
                  at("one"))
                .exit_code,
            0);
  const std::string before = table("one");
  const Outcome other = ergon("sweep " + study_scenario +
                              " --end-time 0.05 --vary right.m=1,3 --no-report -q --out " + at("one"));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.output.find("another study"), std::string::npos) << other.output;
  EXPECT_EQ(table("one"), before);
}

TEST_F(StudyCommand, GoesOnAfterCtrlC) {
  const std::string arguments =
      "sweep " + study_scenario + " --check off --no-report -q --vary 'right.m=lin(1,2,200)' --out ";
  const Outcome stopped = shell("timeout -s INT 0.3 " ERGON_COMMAND " " + arguments + at("s"));
  const Outcome whole = ergon(arguments + at("whole"));
  ASSERT_EQ(whole.exit_code, 0);
  // The signal may come before there is something to keep, or when all is done.
  if (fs::exists(folder_ / "s" / "runs.csv") && lines(table("s")) < 201U) {
    EXPECT_NE(stopped.output.find("goes on from there"), std::string::npos) << stopped.output;
  }
  EXPECT_EQ(ergon(arguments + at("s")).exit_code, 0);
  EXPECT_TRUE(table("s") == table("whole"));
}

TEST_F(StudyCommand, ShowsOrdersAndSteps) {
  const Outcome outcome = ergon("converge " + study_scenario + " --end-time 0.3 --out " + at("c"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("right.position    1.00"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("for 1 %: a step of "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("whose step makes the error?"), std::string::npos) << outcome.output;
  EXPECT_NE(read_file(folder_ / "c" / "converge.json").find("\"order\": 1.0"), std::string::npos);
  EXPECT_EQ(ergon("converge " + study_scenario + " --accuracy 1mm").exit_code, 2);
  EXPECT_EQ(ergon("converge " + study_scenario + " --levels 2").exit_code, 2);
}

}  // namespace
}  // namespace ergon::cli

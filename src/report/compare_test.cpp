#include "ergon/report/compare.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "ergon/core/problem.hpp"
#include "ergon/core/result_format.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::report {
namespace {

Samples sampled(double (*function)(double), double step, int count) {
  Samples samples;
  for (int i = 0; i <= count; ++i) {
    samples.time_s.push_back(step * i);
    samples.values.push_back(function(step * i));
  }
  return samples;
}
double line(double t) {
  return 3.0 * t - 1.0;
}
double steeper_line(double t) {
  return 3.5 * t - 1.0;
}
double square(double t) {
  return t * t;
}

// The difference of both is ½t: largest at the end, its root mean square over 0, 0.25, … 2 is ½ √(Σ i²/16 / 9) with Σ i² = 204.
TEST(Compare, LinesOnTheSameGrid) {
  const VariableError error = error_of(sampled(steeper_line, 0.25, 8), sampled(line, 0.25, 8), false);
  EXPECT_DOUBLE_EQ(error.max_error, 1.0);
  EXPECT_DOUBLE_EQ(error.at_s, 2.0);
  EXPECT_DOUBLE_EQ(error.scale, 5.0);
  EXPECT_DOUBLE_EQ(error.relative(), 0.2);
  EXPECT_NEAR(error.rms_error, 0.5 * std::sqrt(204.0 / 16.0 / 9.0), 1e-15);
}

// A line stays the same when interpolated, whatever the grids.
TEST(Compare, OtherGridsAreInterpolated) {
  EXPECT_NEAR(error_of(sampled(line, 0.1, 20), sampled(line, 0.03, 70), false).max_error, 0.0, 1e-14);
  EXPECT_NEAR(error_of(sampled(line, 0.03, 70), sampled(line, 0.1, 20), false).max_error, 0.0, 1e-14);
}

// Linear interpolation of t² between points h apart is wrong by at most h²/4, in the middle. It is the finer one (0.3) that is
// interpolated, at the points of the coarser one.
TEST(Compare, TheFinerOneIsInterpolated) {
  const VariableError error = error_of(sampled(square, 0.5, 4), sampled(square, 0.3, 7), false);
  EXPECT_GT(error.max_error, 0.0);
  EXPECT_LE(error.max_error, 0.3 * 0.3 / 4.0 + 1e-12);
  EXPECT_EQ(error.points, 5U);
}

TEST(Compare, HeldValuesAreNotInterpolated) {
  Samples steps{{0.0, 1.0, 2.0}, {0.0, 1.0, 0.0}};
  Samples same{{0.0, 0.5, 1.0, 1.5, 2.0}, {0.0, 0.0, 1.0, 1.0, 0.0}};
  EXPECT_EQ(error_of(steps, same, true).max_error, 0.0);
}

TEST(Compare, WhatIsNoNumberNeverPasses) {
  Samples run = sampled(line, 0.25, 8);
  run.values[3] = std::numeric_limits<double>::quiet_NaN();
  const VariableError error = error_of(run, sampled(line, 0.25, 8), false);
  EXPECT_TRUE(std::isnan(error.max_error));
  EXPECT_FALSE(error.max_error <= 1e9);
}

class ComparedFolders : public testing::Test {
 protected:
  RunFolder folder(const std::string& name, const std::string& results) {
    std::filesystem::create_directory(directory_ / name);
    std::ofstream(directory_ / name / "results.csv") << results;
    return RunFolder(directory_ / name);
  }
  static Comparison compare_two(RunFolder run, const RunFolder& reference, const CompareOptions& options) {
    const std::vector<RunFolder> runs = {std::move(run)};
    return compare(runs, reference, options);
  }
  ScratchDirectory directory_;
};

TEST_F(ComparedFolders, AToleranceIsRelativeToTheLargestValuePlusAnAbsolutePart) {
  const RunFolder reference = folder("reference", "time,a.x\n0,10\n1,-20\n");
  const auto within = [&](std::optional<double> relative, double absolute) {
    CompareOptions options;
    options.tolerance = relative;
    options.absolute_tolerance = absolute;
    return compare_two(folder("run", "time,a.x\n0,10.5\n1,-20\n"), reference, options).runs[0].within();
  };
  EXPECT_TRUE(within(0.5 / 20.0, 0.0));
  EXPECT_FALSE(within(0.49 / 20.0, 0.0));
  EXPECT_TRUE(within(std::nullopt, 0.5));
  EXPECT_FALSE(within(std::nullopt, 0.49));
  EXPECT_TRUE(within(0.25 / 20.0, 0.25));
}

TEST_F(ComparedFolders, MissingVariablesAndEarlyEndsDoNotPass) {
  const RunFolder reference = folder("reference", "time,a.x,a.v\n0,1,2\n1,1,2\n2,1,2\n3,1,2\n");
  CompareOptions options;
  options.tolerance = 1.0;
  EXPECT_FALSE(
      compare_two(folder("fewer", "time,a.x\n0,1\n1,1\n2,1\n3,1\n"), reference, options).runs[0].within());
  EXPECT_FALSE(
      compare_two(folder("short", "time,a.x,a.v\n0,1,2\n1,1,2\n"), reference, options).runs[0].within());
  options.variables = {"a.x"};
  EXPECT_TRUE(
      compare_two(folder("fewer", "time,a.x\n0,1\n1,1\n2,1\n3,1\n"), reference, options).runs[0].within());
}

// It passed: all of the run that had a reference agreed with it.
TEST_F(ComparedFolders, AReferenceThatEndsEarlyDoesNotPass) {
  const RunFolder run = folder("run", "time,a.x\n0,1\n1,1\n2,1\n3,9\n");
  CompareOptions options;
  options.tolerance = 1.0;
  const Comparison early = compare_two(run, folder("early", "time,a.x\n0,1\n1,1\n"), options);
  EXPECT_FALSE(early.runs[0].within());
  ASSERT_EQ(early.runs[0].remarks.size(), 1U);
  EXPECT_NE(early.runs[0].remarks[0].find("The reference covers 2 s less"), std::string::npos);
  // Samples of a coarser reference lie up to a step of its own before the end.
  EXPECT_TRUE(compare_two(folder("fine", "time,a.x\n0,1\n0.5,1\n1,1\n1.5,1\n2,1\n2.5,1\n"),
                          folder("coarse", "time,a.x\n0,1\n1,1\n2,1\n"), options)
                  .runs[0]
                  .within());
}

TEST_F(ComparedFolders, ColumnsOfAnotherToolMayHaveOtherNames) {
  const RunFolder reference = folder("reference", "Time;x\n0;1\n1;2\n");
  CompareOptions options;
  options.tolerance = 0.0;
  EXPECT_THROW(compare_two(folder("run", "time,a.x\n0,1\n1,2\n"), reference, options), InputError);
  options.renamed = {"x=a.x"};
  EXPECT_TRUE(compare_two(folder("run", "time,a.x\n0,1\n1,2\n"), reference, options).runs[0].within());
  EXPECT_EQ(compare_two(folder("run", "time,a.x\n0,1\n1,2\n"), reference, options).renamed,
            (std::map<std::string, std::string>{{"a.x", "x"}}))
      << "plots find the reference by it";
  options.renamed = {"y=a.x"};
  EXPECT_THROW(compare_two(folder("run", "time,a.x\n0,1\n1,2\n"), reference, options), InputError);
}

TEST_F(ComparedFolders, TextsAreComparedByWhatTheySay) {
  const RunFolder reference = folder("reference", "time,a.state\n0,idle\n1,up\n");
  CompareOptions options;
  options.tolerance = 0.0;
  EXPECT_TRUE(
      compare_two(folder("same", "time,a.state\n0,idle\n1,up\n"), reference, options).runs[0].within());
  EXPECT_FALSE(
      compare_two(folder("other", "time,a.state\n0,up\n1,idle\n"), reference, options).runs[0].within());
}

// docs/compatibility.md: this format and the one before, which had no number.
TEST_F(ComparedFolders, AFolderOfALaterFormatIsRefusedAndTheOneBeforeIsRead) {
  const auto read = [&](const std::string& name, const std::string& summary) {
    std::filesystem::create_directory(directory_ / name);
    std::ofstream(directory_ / name / "summary.json") << summary;
    return folder(name, "time,a.x\n0,1\n1,1\n").summary();
  };
  EXPECT_NO_THROW(read("before", R"({"status":"finished"})"));
  EXPECT_NO_THROW(read("now", fmt::format(R"({{"format":{}}})", result_format)));
  for (const std::string format : {"2", "-1", "\"1\"", "1e300", "18446744073709551615"}) {
    try {
      read("refused", R"({"format":)" + format + "}");
      ADD_FAILURE() << format;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("format"), std::string::npos) << error.what();
    }
  }
}

// A subsystem with steps of 2 in rows of 1: what a row repeats is not a sample.
TEST_F(ComparedFolders, SamplesOfSlowSubsystemsLieAtTheirOwnPoints) {
  std::filesystem::create_directory(directory_ / "slow");
  std::ofstream(directory_ / "slow" / "system.json")
      << R"({"nodes":[{"name":"a","step_s":2.0}],"variables":[{"name":"a.x","node":"a","unit":"m"}]})";
  const RunFolder run = folder("slow", "time,a.x\n0,1\n1,1\n2,5\n3,5\n4,6\n");
  const Samples own = run.samples(run.column(0));
  EXPECT_EQ(own.time_s, (std::vector<double>{0.0, 2.0, 4.0}));
  EXPECT_EQ(own.values, (std::vector<double>{1.0, 5.0, 6.0}));
}

// Rows every 3: the sample that is seen at 3 is that of 2, at 9 that of 8.
TEST_F(ComparedFolders, RowsBetweenOwnPointsShowTheSampleBefore) {
  std::filesystem::create_directory(directory_ / "sparse");
  std::ofstream(directory_ / "sparse" / "system.json")
      << R"({"nodes":[{"name":"a","step_s":2.0}],"variables":[{"name":"a.x","node":"a","unit":"m"}]})";
  const RunFolder run = folder("sparse", "time,a.x\n0,0\n3,2\n6,6\n9,8\n");
  const Samples own = run.samples(run.column(0));
  EXPECT_EQ(own.time_s, (std::vector<double>{0.0, 2.0, 6.0, 8.0}));
}

TEST_F(ComparedFolders, FilesOfSlowerSubsystemsAreReadWithThem) {
  std::filesystem::create_directory(directory_ / "rates");
  std::ofstream(directory_ / "rates" / "system.json")
      << R"({"nodes":[{"name":"a","step_s":1.0},{"name":"b","step_s":2.0}],"variables":[)"
         R"({"name":"a.x","node":"a","unit":"m"},)"
         R"({"name":"b.y","node":"b","unit":"N","file":"results.every-2s.csv"},)"
         R"({"name":"b.z","node":"b","unit":"N","file":"../results.every-2s.csv"}]})";
  std::ofstream(directory_ / "rates" / "results.every-2s.csv") << "time,b.y\ns,N\n0,3\n2,4\n";
  const RunFolder run = folder("rates", "time,a.x\ns,m\n0,0\n1,1\n2,2\n");
  EXPECT_EQ(run.variables(), (std::vector<std::string>{"a.x", "b.y"}));
  const Samples own = run.samples(run.column(*run.find("b.y")));
  EXPECT_EQ(own.time_s, (std::vector<double>{0.0, 2.0}));
  EXPECT_EQ(own.values, (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(run.info("b.y").unit, "N");
  EXPECT_EQ(run.missing().back(), "../results.every-2s.csv") << "nothing outside of the folder is read";
  const RunFolder table = folder("table", "time,b.y\ns,N\n0,3\n1,3.5\n2,4\n");
  const Comparison comparison = compare({&table, 1}, run, {});
  EXPECT_EQ(comparison.runs[0].variables[0].name, "b.y");
  EXPECT_EQ(comparison.runs[0].variables[0].max_error, 0.0);
  EXPECT_EQ(table.info("b.y").unit, "N") << "the second line of a table of another tool";
}

}  // namespace
}  // namespace ergon::report

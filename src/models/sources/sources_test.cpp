#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "ergon/models/sources/table_source.hpp"
#include "ergon/models/sources/waveforms.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using List = std::vector<double>;

double value(Subsystem& source, double t) {
  return outputs(source, {}, t)[0];
}

TEST(Sources, GiveTheirWaveforms) {
  const auto constant = make_model("source.constant", {{"value", 2.5}});
  EXPECT_EQ(value(*constant, 17.0), 2.5);

  const auto step = make_model("source.step", {{"time_s", 0.5}, {"before", -1.0}, {"after", 3.0}});
  EXPECT_EQ(value(*step, std::nextafter(0.5, 0.0)), -1.0);
  EXPECT_EQ(value(*step, 0.5), 3.0);

  const auto ramp =
      make_model("source.ramp", {{"start_s", 1.0}, {"duration_s", 2.0}, {"before", 4.0}, {"after", 8.0}});
  EXPECT_EQ(value(*ramp, 0.0), 4.0);
  EXPECT_EQ(value(*ramp, 1.5), 5.0);
  EXPECT_EQ(value(*ramp, 3.0), 8.0);
  EXPECT_EQ(value(*ramp, 9.0), 8.0);

  const auto sine = make_model("source.sine", {{"amplitude", 3.0}, {"frequency_Hz", 0.25}, {"offset", 1.0}});
  EXPECT_EQ(value(*sine, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(value(*sine, 1.0), 4.0);
  const auto cosine = make_model("source.sine", {{"phase_rad", std::numbers::pi / 2}});
  EXPECT_DOUBLE_EQ(value(*cosine, 0.0), 1.0);
}

// 0.1 + 0.2 > 0.3 in doubles, but not on the clock: what is over at 0.3 s is over there.
TEST(Sources, EndWhenTheWrittenTimesSaySo) {
  const auto ramp = make_model("source.ramp", {{"start_s", 0.1}, {"duration_s", 0.2}, {"after", 3.0}});
  EXPECT_EQ(value(*ramp, 0.3), 3.0);
  const auto burst = make_model("source.sine_burst", {{"start_s", 0.1},
                                                      {"rise_s", 0.2},
                                                      {"end_s", 1.0},
                                                      {"amplitude", 0.1},
                                                      {"frequency_Hz", 0.0},
                                                      {"phase_rad", std::numbers::pi / 2}});
  EXPECT_EQ(value(*burst, 0.3), 1.1);
}

TEST(Sources, CarryTheUnitTheyAreGiven) {
  EXPECT_TRUE(make_model("source.sine")->describe().outputs[0].unit.is_unspecified());
  EXPECT_EQ(make_model("source.sine", {{"unit", "kN"}})->describe().outputs[0].unit.factor, 1000.0);
  EXPECT_NE(refusal("source.sine", {{"unit", "furlong"}}).find("'furlong' is no unit"), std::string::npos);
}

TEST(TableSource, InterpolatesAndKeepsItsEndValuesOutside) {
  const Values points = {{"times", List{1.0, 2.0, 4.0}}, {"values", List{10.0, 20.0, 0.0}}};
  const auto linear = make_model("source.table", points);
  EXPECT_EQ(value(*linear, 0.0), 10.0);
  EXPECT_EQ(value(*linear, 1.25), 12.5);
  EXPECT_EQ(value(*linear, 2.0), 20.0);
  EXPECT_EQ(value(*linear, 3.0), 10.0);
  EXPECT_EQ(value(*linear, 9.0), 0.0);
  Values held = points;
  held.push_back({"interpolation", "hold"});
  const auto hold = make_model("source.table", held);
  EXPECT_EQ(value(*hold, 0.0), 10.0);
  EXPECT_EQ(value(*hold, 1.999), 10.0);
  EXPECT_EQ(value(*hold, 2.0), 20.0);
  EXPECT_EQ(value(*hold, 9.0), 0.0);
}

TEST(TableSource, ListsThatAreNoTableAreRefused) {
  EXPECT_NE(refusal("source.table", {{"times", List{0, 1, 2}}}).find("'times' has 3"), std::string::npos);
  EXPECT_NE(refusal("source.table", {{"times", List{0, 0}}}).find("0 follows 0"), std::string::npos);
  EXPECT_NE(refusal("source.table", {{"times", List{}}, {"values", List{}}}).find("at least one"),
            std::string::npos);
  EXPECT_NE(refusal("source.table", {{"column", "f"}}).find("without 'file'"), std::string::npos);
  EXPECT_NE(refusal("source.table", {{"file", "t.csv"}, {"times", List{0, 1}}}).find("both"),
            std::string::npos);
}

class CsvTable : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("ergon_csv_table_") + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Subsystem> table(const std::string& content, const Values& parameters = {}) {
    std::ofstream(folder_ / "t.csv", std::ios::binary) << content;
    Values all = parameters;
    all.push_back({"file", "t.csv"});
    problems_ = ProblemList();
    return make_model("source.table", given(all), {}, {}, problems_, folder_.string());
  }
  std::string findings(const std::string& content, const Values& parameters = {}) {
    EXPECT_EQ(table(content, parameters), nullptr);
    return text_of(problems_);
  }

  std::filesystem::path folder_;
  ProblemList problems_;
};

TEST_F(CsvTable, ReadsTheColumnsThatAreNamed) {
  const std::string content =
      "\xEF\xBB\xBF# measured\r\n\"force\", time ,x\r\n\r\n 5.0,0,+1e1\r\n7.0,2,20\r\n# end\n9.0,3,30";
  const auto first = table(content);
  ASSERT_NE(first, nullptr) << text_of(problems_);
  EXPECT_EQ(value(*first, 1.0), 6.0);
  EXPECT_EQ(value(*first, 3.0), 9.0);
  const auto named = table(content, {{"column", "x"}});
  ASSERT_NE(named, nullptr) << text_of(problems_);
  EXPECT_EQ(value(*named, 1.0), 15.0);
}

TEST_F(CsvTable, SemicolonsAndTabsSeparateCellsToo) {
  for (const char* content :
       {"time;f\n0;1\n1;3\n", "time\tf\n0\t1\n1\t3\n", "time;\"a;b\"\n0;\"1\"\n1;3\n"}) {
    const auto source = table(content);
    ASSERT_NE(source, nullptr) << text_of(problems_);
    EXPECT_EQ(value(*source, 0.5), 2.0) << content;
  }
}

TEST_F(CsvTable, ReadsNothingAsSomethingElse) {
  const std::pair<const char*, const char*> wrong[] = {
      {"0,1\n1,2\n2,3\n", "t.csv:1:1: error: The header is missing: the first line holds numbers."},
      {"t,f\n0,1\n", "t.csv:1:1: error: There is no column 'time' among t, f."},
      {"time,f,f\n0,1,2\n", "t.csv:1:8: error: Two columns are called 'f'."},
      {"time,f,\n0,1,\n", "t.csv:1:8: error: Column 3 has no name."},
      {"time,f\n0,1\n1,2,3\n", "t.csv:3:5: error: This row has 3 cells, the header names 2 columns."},
      {"time,f\n0,0,1,5\n", "t.csv:2:5: error: This row has 4 cells, the header names 2 columns."},
      {"time,f,g\n0,1\n", "t.csv:2:4: error: This row has 2 cells, the header names 3 columns."},
      {"time;f\n0;1\n0,5;2\n", "t.csv:3:1: error: '0,5' in column 'time' is no number."},
      {"\xFF\xFEt\0i\0", "t.csv:1:1: error: This is no UTF-8 text"},
  };
  for (const auto& [content, message] : wrong) {
    EXPECT_NE(findings(content).find(message), std::string::npos) << content << text_of(problems_);
  }
  std::filesystem::remove(folder_ / "t.csv");
  std::filesystem::create_directory(folder_ / "t.csv");
  EXPECT_NE(findings("").find("is a folder"), std::string::npos) << text_of(problems_);
}

TEST_F(CsvTable, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(findings("time,f\n0,1\n1,abc\n").find("t.csv:3:3: error: 'abc' in column 'f' is no number"),
            std::string::npos)
      << text_of(problems_);
  EXPECT_NE(findings("time,f\n0,1\n1\n").find("t.csv:3"), std::string::npos);
  EXPECT_NE(findings("time,f\n0,nan\n").find("is no number"), std::string::npos);
  EXPECT_NE(findings("time,f\n0,1\n0.5,2\n\n0.5,3\n").find("t.csv:5:1: error: Time 0.5 follows 0.5"),
            std::string::npos);
  EXPECT_NE(findings("time,force\n0,1\n", {{"column", "forse"}}).find("Did you mean 'force'?"),
            std::string::npos);
  EXPECT_NE(findings("time\n1\n").find("fewer than two columns"), std::string::npos);
  EXPECT_NE(findings("").find("is empty"), std::string::npos);
  EXPECT_NE(findings("time,f\n").find("no rows"), std::string::npos);
}

TEST_F(CsvTable, AMissingFileIsReportedAtTheScenario) {
  ProblemList problems;
  EXPECT_EQ(make_model("source.table", given({{"file", "none.csv"}}), {}, {}, problems, folder_.string()),
            nullptr);
  const std::string text = text_of(problems);
  EXPECT_NE(text.find("scenario.toml:5"), std::string::npos) << text;
  EXPECT_NE(text.find("none.csv' cannot be opened"), std::string::npos) << text;
}

// The spool of [rodriguez2022, (33)].
TEST(SineBurst, RisesHoldsAndFades) {
  const auto spool = make_model(
      "source.sine_burst",
      {{"amplitude", -0.1}, {"frequency_Hz", 2.0}, {"rise_s", 1.0}, {"end_s", 9.0}, {"fall_s", 1.0}},
      {{"mean", 0.45}});
  const auto published = [](double t) {
    const double A = t < 1.0 ? 0.1 * t : t < 8.0 ? 0.1 : t < 9.0 ? 0.1 * (9.0 - t) : 0.0;
    return 0.45 * (1.0 - A * std::sin(2.0 * std::numbers::pi * 2.0 * t));
  };
  for (const double t : {0.0, 0.1, 0.9, 1.0, 4.3, 7.9, 8.0, 8.6, 9.0, 12.0})
    EXPECT_NEAR(outputs(*spool, {}, t)[0], published(t), 1e-15) << t;
  EXPECT_NE(refusal("source.sine_burst", {{"rise_s", 1.5}}, {}).find("begins to end at"), std::string::npos)
      << "it ends after 1 s";
}

}  // namespace
}  // namespace ergon

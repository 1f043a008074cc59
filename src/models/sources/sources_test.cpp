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
  EXPECT_NE(refusal("source.sine", {{"unit", "furlong"}}).find("'furlong' is not a unit"), std::string::npos);
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
  EXPECT_NE(refusal("source.table", {{"times", List{1, 0}}}).find("0 follows 1"), std::string::npos);
  EXPECT_NE(refusal("source.table", {{"type", "boolean"}, {"values", List{0, 2}}})
                .find("2 in 'values' is not of type"),
            std::string::npos);
  EXPECT_NE(refusal("source.table", {{"type", "enumeration"}, {"items", "off,"}}).find("not a list of items"),
            std::string::npos);
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
      {"s,f\n0,1\n", "t.csv:1:1: error: There is no column 'time' among s, f."},
      {"time,f,f\n0,1,2\n", "t.csv:1:8: error: Two columns are called 'f'."},
      {"time,f,\n0,1,\n", "t.csv:1:8: error: Column 3 has no name."},
      {"time,f\n0,1\n1,2,3\n", "t.csv:3:5: error: This row has 3 cells, the header names 2 columns."},
      {"time,f\n0,0,1,5\n", "t.csv:2:5: error: This row has 4 cells, the header names 2 columns."},
      {"time,f,g\n0,1\n", "t.csv:2:4: error: This row has 2 cells, the header names 3 columns."},
      {"time;f\n0;1\n0,5;2\n", "t.csv:3:1: error: Column 'time': '0,5' is not a number."},
      {"\xFF\xFEt\0i\0", "t.csv:1:1: error: This is not UTF-8 text"},
  };
  for (const auto& [content, message] : wrong) {
    EXPECT_NE(findings(content).find(message), std::string::npos) << content << text_of(problems_);
  }
  std::filesystem::remove(folder_ / "t.csv");
  std::filesystem::create_directory(folder_ / "t.csv");
  EXPECT_NE(findings("").find("is a folder"), std::string::npos) << text_of(problems_);
}

TEST_F(CsvTable, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(findings("time,f\n0,1\n1,abc\n").find("t.csv:3:3: error: Column 'f': 'abc' is not a number"),
            std::string::npos)
      << text_of(problems_);
  EXPECT_NE(findings("time,f\n0,1\n1\n").find("t.csv:3"), std::string::npos);
  EXPECT_NE(findings("time,f\n0,nan\n").find("is not a number"), std::string::npos);
  EXPECT_NE(findings("time,f\n0,1\n0.5,2\n\n0.4,3\n").find("t.csv:5:1: error: Time 0.4 follows 0.5"),
            std::string::npos);
  EXPECT_NE(findings("time,force\n0,1\n", {{"column", "forse"}}).find("Did you mean 'force'?"),
            std::string::npos);
  EXPECT_NE(findings("time\n1\n").find("fewer than two columns"), std::string::npos);
  EXPECT_NE(findings("").find("is empty"), std::string::npos);
  EXPECT_NE(findings("time,f\n").find("no rows"), std::string::npos);
}

// Left limit, right limit, and of three rows the outer two.
TEST_F(CsvTable, ARepeatedTimeIsAJump) {
  for (const char* content : {"time,f\n0,0\n1,2\n1,10\n2,20\n", "time,f\n0,0\n1,2\n1,-7\n1,10\n2,20\n"}) {
    const auto source = table(content);
    ASSERT_NE(source, nullptr) << text_of(problems_);
    EXPECT_EQ(value(*source, 0.5), 1.0);
    EXPECT_NEAR(value(*source, std::nextafter(1.0, 0.0)), 2.0, 1e-12);
    EXPECT_EQ(value(*source, 1.0), 10.0);
    EXPECT_EQ(value(*source, 1.5), 15.0);
  }
  const auto listed =
      make_model("source.table", {{"times", List{0, 1, 1, 2}}, {"values", List{0, 2, 10, 20}}});
  EXPECT_EQ(value(*listed, 0.5), 1.0);
  EXPECT_EQ(value(*listed, 1.0), 10.0);
}

TEST_F(CsvTable, TheTimeHasOtherNamesToo) {
  for (const char* name : {"time", "Time", "t", "TIME", "time [s]", "\"Time (s)\"", "T"}) {
    const auto source = table("f," + std::string(name) + "\n1,0\n3,1\n");
    ASSERT_NE(source, nullptr) << name << text_of(problems_);
    EXPECT_EQ(value(*source, 0.5), 2.0) << name;
  }
  const auto named = table("duration,f\n0,1\n1,3\n", {{"time_column", "duration"}});
  ASSERT_NE(named, nullptr) << text_of(problems_);
  EXPECT_EQ(value(*named, 0.5), 2.0);
  // Of a column t and a column time the latter is the time.
  const auto both = table("t,time\n5,0\n7,1\n");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(value(*both, 0.5), 6.0);
}

TEST_F(CsvTable, ColumnsMayHoldOtherThingsThanReals) {
  const std::string content =
      "time,count,on,gear,said\n0,-3,false,low,\"a, b\"\n1,1e3,TRUE,2,\"\"\n1,9007199254740993,1,high,c\n";
  const auto at = [&](const char* column, const char* type, double t, const Values& more = {}) {
    Values parameters = more;
    parameters.push_back({"column", column});
    parameters.push_back({"type", type});
    const auto source = table(content, parameters);
    std::pair<std::int64_t, std::string> value;
    EXPECT_NE(source, nullptr) << text_of(problems_);
    if (source) source->discrete_ports()->discrete_outputs(t, nullptr, {&value.first, &value.second});
    return value;
  };
  EXPECT_EQ(at("count", "integer", 0.9).first, -3);
  EXPECT_EQ(at("count", "integer", 1.0).first, 9007199254740993);  // 2⁵³ + 1, which is not a double
  EXPECT_EQ(at("on", "boolean", 0.0).first, 0);
  EXPECT_EQ(at("on", "boolean", 5.0).first, 1);
  EXPECT_EQ(at("said", "text", -1.0).second, "a, b");
  EXPECT_EQ(at("said", "text", 1.0).second, "c");
  const Values items = {{"items", "low, middle, high = 7"}};
  EXPECT_EQ(at("gear", "enumeration", 0.5, items).first, 1);
  EXPECT_EQ(at("gear", "enumeration", 1.0, items).first, 7);
  EXPECT_NE(findings(content, {{"column", "on"}, {"type", "integer"}})
                .find("Column 'on': 'false' is not a whole number"),
            std::string::npos);
  EXPECT_NE(findings(content, {{"column", "count"}, {"type", "boolean"}}).find("is not true, false, 1 or 0"),
            std::string::npos);
  EXPECT_NE(findings("time,g\n0,5\n", {{"type", "enumeration"}, {"items", "a,b"}}).find("is not an item"),
            std::string::npos);
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

#include "ergon/report/csv_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "ergon/core/problem.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::report {
namespace {

class CsvFiles : public testing::Test {
 protected:
  CsvFile read(const std::string& text) {
    std::ofstream(directory_ / "table.csv", std::ios::binary) << text;
    return read_csv(directory_ / "table.csv");
  }
  std::string refusal(const std::string& text) {
    try {
      static_cast<void>(read(text));
    } catch (const InputError& error) {
      return to_string(error.problems().all().front());
    }
    return {};
  }
  ScratchDirectory directory_;
};

TEST_F(CsvFiles, NumbersComeBackToTheBit) {
  const CsvFile file = read("time,a.x,b.v\n0,0.1,-1e-300\n0.30000000000000004,2,nan\n");
  ASSERT_EQ(file.columns.size(), 3U);
  EXPECT_EQ(file.columns[1].name, "a.x");
  EXPECT_EQ(file.columns[0].values[1], 0.1 + 0.2);
  EXPECT_EQ(file.columns[2].values[0], -1e-300);
  EXPECT_TRUE(std::isnan(file.columns[2].values[1]));
}

TEST_F(CsvFiles, EmptyFieldsAreNoNumbers) {
  const CsvFile file = read("time,a,b\n0,,2\n1,3,\n");
  EXPECT_TRUE(std::isnan(file.columns[1].values[0]));
  EXPECT_EQ(file.columns[1].values[1], 3.0);
  EXPECT_TRUE(std::isnan(file.columns[2].values[1]));
}

TEST_F(CsvFiles, ColumnsOfTextAreKeptByWhatTheySay) {
  const CsvFile file = read("time,state,on\n0,idle,true\n1,\"up, fast\",false\n2,idle,true\n");
  const CsvColumn& state = file.columns[1];
  ASSERT_TRUE(state.is_text());
  EXPECT_EQ(state.texts, (std::vector<std::string>{"idle", "up, fast"}));
  EXPECT_EQ(state.values, (std::vector<double>{0.0, 1.0, 0.0}));
  EXPECT_TRUE(file.columns[2].is_text());
}

TEST_F(CsvFiles, TablesOfOtherToolsAreRead) {
  const CsvFile file = read("\"Time\";\"x \"\"in\"\" m\"\r\n0;+1.5\r\n 1 ; 2e3 \r\n");
  ASSERT_EQ(file.columns.size(), 2U);
  EXPECT_EQ(file.columns[1].name, "x \"in\" m");
  EXPECT_EQ(file.columns[1].values, (std::vector<double>{1.5, 2000.0}));
  EXPECT_EQ(read("t\tx\n0\t1\n").columns[1].values[0], 1.0);
}

TEST_F(CsvFiles, TheLineThatAKilledRunDidNotFinishIsLeftOut) {
  EXPECT_EQ(read("time,a,b\n0,1,2\n1,2,3\n2,3").rows(), 2U);
  EXPECT_EQ(read("time,a,b\n0,1,2\n\n").rows(), 1U);
  EXPECT_EQ(read("time,a,b\n").rows(), 0U);
}

TEST_F(CsvFiles, WhatIsNoTableIsRefusedWithItsLine) {
  EXPECT_NE(refusal("time,a\n0,1\n1,2,3\n2,3\n").find("table.csv:3:1: error: There are 3 fields"),
            std::string::npos);
  EXPECT_NE(refusal("0,1\n1,2\n").find("no names"), std::string::npos);
  EXPECT_NE(refusal("").find("no names"), std::string::npos);
  EXPECT_NE(refusal("a,b\nx,1\n").find("holds text"), std::string::npos);
  EXPECT_THROW(static_cast<void>(read_csv(directory_ / "none.csv")), InputError);
}

}  // namespace
}  // namespace ergon::report

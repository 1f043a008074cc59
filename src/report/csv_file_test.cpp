#include "ergon/report/csv_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "ergon/core/problem.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::report {
namespace {

class CsvFiles : public testing::Test {
 protected:
  CsvFile read(const std::string& text, std::size_t buffered_values = CsvFile::usual_buffer) {
    std::ofstream(directory_ / "table.csv", std::ios::binary) << text;
    return CsvFile(directory_ / "table.csv", buffered_values);
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
  ASSERT_EQ(file.names().size(), 3U);
  EXPECT_EQ(file.names()[1], "a.x");
  EXPECT_EQ(file.column(0).values[1], 0.1 + 0.2);
  EXPECT_EQ(file.column(2).values[0], -1e-300);
  EXPECT_TRUE(std::isnan(file.column(2).values[1]));
}

// As tables that sources read: what is in quotes separates nothing, and names may hold commas.
TEST_F(CsvFiles, SemicolonsAndTabsSeparateFieldsToo) {
  for (const char* text : {"time;force [N,m]\n0;1\n1;2\n", "time\tforce [N,m]\n0\t1\n1\t2\n",
                           "time,\"force [N,m]\"\n0,1\n1,2\n"}) {
    const CsvFile file = read(text);
    ASSERT_EQ(file.names().size(), 2U) << text;
    EXPECT_EQ(file.names()[1], "force [N,m]");
    EXPECT_EQ(file.column(1).values[1], 2.0);
  }
  EXPECT_EQ(read("time,\"a;b;c\"\n0,1\n").names()[1], "a;b;c");
}

TEST_F(CsvFiles, ASecondLineMayHoldUnits) {
  for (const std::size_t buffered : {std::size_t{1}, CsvFile::usual_buffer}) {
    const CsvFile file = read("time,a,b\ns,N,\"kg*m^2\"\n0,1,2\n1,3,4\n", buffered);
    EXPECT_EQ(file.units(), (std::vector<std::string>{"s", "N", "kg*m^2"}));
    EXPECT_EQ(file.rows(), 2U);
    EXPECT_FALSE(file.is_text(1));
    EXPECT_EQ(file.column(2).values, (std::vector<double>{2.0, 4.0}));
  }
  EXPECT_NE(refusal("time,a\n0,1\ns,N\n1,2\n").find("must be the time"), std::string::npos)
      << "a line of units is the second, or none";
}

TEST_F(CsvFiles, EmptyFieldsAreNoNumbers) {
  const CsvFile file = read("time,a,b\n0,,2\n1,3,\n");
  EXPECT_TRUE(std::isnan(file.column(1).values[0]));
  EXPECT_EQ(file.column(1).values[1], 3.0);
  EXPECT_TRUE(std::isnan(file.column(2).values[1]));
}

TEST_F(CsvFiles, ColumnsOfTextAreKeptByWhatTheySay) {
  const CsvFile file = read("time,state,on\n0,idle,true\n1,\"up, fast\",false\n2,idle,true\n");
  const CsvColumn state = file.column(1);
  ASSERT_TRUE(state.is_text());
  EXPECT_EQ(state.texts, (std::vector<std::string>{"idle", "up, fast"}));
  EXPECT_EQ(state.values, (std::vector<double>{0.0, 1.0, 0.0}));
  EXPECT_TRUE(file.column(2).is_text());
}

TEST_F(CsvFiles, TablesOfOtherToolsAreRead) {
  const CsvFile file = read("\"Time\";\"x \"\"in\"\" m\"\r\n0;+1.5\r\n 1 ; 2e3 \r\n");
  ASSERT_EQ(file.names().size(), 2U);
  EXPECT_EQ(file.names()[1], "x \"in\" m");
  EXPECT_EQ(file.column(1).values, (std::vector<double>{1.5, 2000.0}));
  EXPECT_EQ(read("t\tx\n0\t1\n").column(1).values[0], 1.0);
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
  EXPECT_THROW(CsvFile(directory_ / "none.csv"), InputError);
}

/// Rows and columns that do not fit into the buffer: the field is row·1000 + column, but for a column of texts and quoted fields.
std::string large_table(std::size_t rows, std::size_t columns) {
  std::string text = "time";
  for (std::size_t i = 1; i < columns; ++i) text += fmt::format(",c{}", i);
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("\n{}", row);
    for (std::size_t i = 1; i < columns; ++i) {
      if (i == 7)
        text += fmt::format(",\"mode \"\"{}\"\", or so\"", row % 3);
      else
        text += fmt::format(",{}", row * 1000 + i);
    }
  }
  return text + '\n';
}

TEST_F(CsvFiles, ColumnsBeyondTheBufferAreReadInAnyOrder) {
  constexpr std::size_t columns = 30;
  constexpr std::size_t rows = 10000;  // a megabyte: more than is in memory of the file at a time
  const CsvFile file = read(large_table(rows, columns), 4 * rows);
  EXPECT_EQ(file.rows(), rows);
  for (const std::size_t number : {0U, 1U, 2U, 7U, 8U, 29U, 3U, 7U, 12U, 11U}) {
    const CsvColumn column = file.column(number);
    EXPECT_EQ(column.name, number == 0 ? "time" : fmt::format("c{}", number));
    ASSERT_EQ(column.values.size(), rows);
    EXPECT_EQ(column.is_text(), number == 7);
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t expected = number == 0 ? row : number == 7 ? row % 3 : row * 1000 + number;
      wrong += column.values[row] == static_cast<double>(expected) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0U) << number;
    if (number == 7) {
      EXPECT_EQ(column.texts,
                (std::vector<std::string>{"mode \"0\", or so", "mode \"1\", or so", "mode \"2\", or so"}));
    }
  }
}

TEST_F(CsvFiles, AFileThatChangesBetweenTwoColumnsIsRefused) {
  const CsvFile file = read(large_table(1000, 4), 2000);
  static_cast<void>(file.column(1));
  // A run that goes on writing does no harm.
  std::ofstream(directory_ / "table.csv", std::ios::app) << "1,2,3,4\n5,6";
  EXPECT_EQ(file.column(3).values.size(), file.rows());
  static_cast<void>(read("time,c1,c2,c3\n0,1,2,3\n"));
  EXPECT_THROW(static_cast<void>(file.column(1)), InputError);
  static_cast<void>(read(large_table(1000, 5)));
  EXPECT_THROW(static_cast<void>(file.column(1)), InputError);
}

}  // namespace
}  // namespace ergon::report

#include "ergon/core/csv_fields.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/scratch_directory.hpp"

namespace ergon {
namespace {

TEST(CsvSeparator, IsASemicolonOrATabWhereTheHeaderHasOneOutsideOfQuotes) {
  EXPECT_EQ(csv_separator("time,force"), ',');
  EXPECT_EQ(csv_separator("time;force"), ';');
  EXPECT_EQ(csv_separator("time\tforce"), '\t');
  EXPECT_EQ(csv_separator("time,\"a;b;c\""), ',');
  EXPECT_EQ(csv_separator("time,\"say \"\"a;b\"\"\",x"), ',');
  EXPECT_EQ(csv_separator("time;force [N,m]"), ';');
  EXPECT_EQ(csv_separator("time\tforce [N,m,s]"), '\t');
  EXPECT_EQ(csv_separator("time;force [N,m,s]"), ';');
  EXPECT_EQ(csv_separator("time"), ',');
  EXPECT_EQ(csv_separator(""), ',');
}

class CsvFieldsOfAFile : public testing::Test {
 protected:
  using Rows = std::vector<std::vector<std::string>>;
  CsvFields open(const std::string& text, CsvFields::Comments comments = CsvFields::Comments::kept) {
    std::ofstream(directory_ / "table.csv", std::ios::binary) << text;
    return CsvFields(directory_ / "table.csv", comments);
  }
  Rows rows(const std::string& text, CsvFields::Comments comments = CsvFields::Comments::kept) {
    CsvFields fields = open(text, comments);
    Rows all;
    while (!fields.at_end()) {
      all.emplace_back();
      do all.back().emplace_back(fields.next());
      while (!fields.line_ended());
    }
    return all;
  }
  ScratchDirectory directory_;
};

TEST_F(CsvFieldsOfAFile, BlanksEmptyLinesAndAByteOrderMarkDoNotCount) {
  const Rows expected = {{"time", "x y"}, {"0", ""}, {"", "1"}};
  EXPECT_EQ(rows("time,x y\n0,\n,1\n"), expected);
  EXPECT_EQ(rows("\xEF\xBB\xBF\r\n  \n time , x y \r\n\r\n0,\r\n,1"), expected);
  EXPECT_EQ(rows("\n\ntime\tx y\n0\t\n\t1\n \n"), expected);
  EXPECT_EQ(rows(""), Rows{});
  EXPECT_EQ(rows("\n \r\n"), Rows{});
}

TEST_F(CsvFieldsOfAFile, QuotesHoldSeparatorsQuotesAndLineBreaks) {
  EXPECT_EQ(rows("a, \"b,\n\"\"c\"\"\" ,\"\"\nd"), (Rows{{"a", "b,\n\"c\"", ""}, {"d"}}));
  EXPECT_EQ(rows("a,\"b"), (Rows{{"a", "b"}})) << "a quote that nobody closes ends with the file";
}

TEST_F(CsvFieldsOfAFile, CommentsAreSkippedWhereTheyAreExpected) {
  const std::string text = "# made by hand\n#x,y\n  # in between\n1,#2\n#";
  EXPECT_EQ(rows(text, CsvFields::Comments::skipped), (Rows{{"1", "#2"}}));
  EXPECT_EQ(rows(text)[1], (std::vector<std::string>{"#x", "y"}));
}

TEST_F(CsvFieldsOfAFile, PlacesAreThoseOfTheFile) {
  CsvFields fields = open("\n# c\na, b\n\n\"1\n2\",3  \n4", CsvFields::Comments::skipped);
  struct Place {
    std::string text;
    std::size_t line, column, end_column;
    bool line_ended, line_break_seen;
  };
  for (const Place& place : {Place{"a", 3, 1, 2, false, false},
                             {"b", 3, 4, 5, true, true},
                             {"1\n2", 5, 1, 3, false, false},
                             {"3", 6, 4, 7, true, true},
                             {"4", 7, 1, 2, true, false}}) {
    ASSERT_FALSE(fields.at_end());
    EXPECT_EQ(fields.next(), place.text);
    EXPECT_EQ(fields.line(), place.line) << place.text;
    EXPECT_EQ(fields.column(), place.column) << place.text;
    EXPECT_EQ(fields.end_column(), place.end_column) << place.text;
    EXPECT_EQ(fields.line_ended(), place.line_ended) << place.text;
    EXPECT_EQ(fields.line_break_seen(), place.line_break_seen) << place.text;
  }
  EXPECT_TRUE(fields.at_end());
}

// Fields, quoted ones and empty lines across the pieces of which one is in memory at a time.
TEST_F(CsvFieldsOfAFile, FilesOfAnySizeGiveTheSameFields) {
  Rows expected;
  std::string text;
  for (int i = 0; i < 40000; ++i) {
    const std::string quoted = "q" + std::to_string(i) + ", and so on";
    text += std::to_string(i) + ",\"" + quoted + "\"" + (i % 7 == 0 ? "\n\n" : "\n");
    expected.push_back({std::to_string(i), quoted});
  }
  ASSERT_GT(text.size(), std::size_t{1} << 19U);
  EXPECT_TRUE(rows(text) == expected);
}

TEST_F(CsvFieldsOfAFile, AFileThatIsNotThereIsNotOpen) {
  EXPECT_FALSE(CsvFields(directory_ / "none.csv").is_open());
  EXPECT_TRUE(open("").is_open());
}

}  // namespace
}  // namespace ergon

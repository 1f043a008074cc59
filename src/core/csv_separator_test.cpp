#include "ergon/core/csv_separator.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ergon

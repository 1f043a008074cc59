#include "ergon/core/literal_place.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_directory.hpp"

namespace ergon {
namespace {

/// Where the q of the text is, if the file is as given and its string begins at line and column.
std::string place_of_q(const std::string& file, int line, int column, const std::string& text) {
  const ScratchDirectory folder;
  const std::string path = (folder / "file.toml").string();
  std::ofstream(path, std::ios::binary) << file;
  const auto place = place_in_literal({path, line, column}, text, text.find('q'));
  if (!place) return "none";
  EXPECT_EQ(place->file, path);
  return std::to_string(place->line) + ":" + std::to_string(place->column);
}

TEST(PlaceInLiteral, CountsLinesAndCharactersOfTheFile) {
  EXPECT_EQ(place_of_q("a = 1\nx = \"1 + q\"\n", 2, 5, "1 + q"), "2:10");
  EXPECT_EQ(place_of_q("x = \"\"\"\na\n  b*q\n\"\"\"\n", 1, 5, "a\n  b*q\n"), "3:5");
  EXPECT_EQ(place_of_q("x = \"\"\"a\nq\"\"\"\n", 1, 5, "a\nq"), "2:1");
  EXPECT_EQ(place_of_q("x = '''\r\na\r\nq'''\r\n", 1, 5, "a\r\nq"), "3:1");
  EXPECT_EQ(place_of_q("x = 'a\\n + q'\n", 1, 5, "a\\n + q"), "1:12");
  EXPECT_EQ(place_of_q("ä = \"ω² + q\"\n", 1, 5, "ω² + q"), "1:11");
}

TEST(PlaceInLiteral, FollowsEscapes) {
  EXPECT_EQ(place_of_q("x = \"a\\tb\\nq\"\n", 1, 5, "a\tb\nq"), "1:12");
  EXPECT_EQ(place_of_q("x = \"\"\"a + \\\n    q\"\"\"\n", 1, 5, "a + q"), "2:5");
}

TEST(PlaceInLiteral, GivesNothingWhereTheFileHoldsSomethingElse) {
  EXPECT_EQ(place_of_q("x = \"1 + q\"\n", 1, 5, "1 - q"), "none");
  EXPECT_EQ(place_of_q("x = [\"1 + q\"]\n", 1, 5, "1 + q"), "none");
  EXPECT_EQ(place_of_q("x = \"a\\u0041q\"\n", 1, 5, "aAq"), "none");
  EXPECT_EQ(place_of_q("x = \"1", 1, 5, "1 + q"), "none");
  EXPECT_FALSE(place_in_literal({"no such file", 1, 1}, "q", 0));
  EXPECT_FALSE(place_in_literal({"--set left.equations=q", 0, 0}, "q", 0));
}

}  // namespace
}  // namespace ergon

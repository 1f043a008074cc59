#include "ergon/core/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ergon {
namespace {

TEST(Utf8, TellsWhereATextIsNoUtf8) {
  EXPECT_EQ(first_byte_that_is_no_utf8(""), std::nullopt);
  EXPECT_EQ(first_byte_that_is_no_utf8("N·m, 20 °C, λ̃, 𝄞"), std::nullopt);
  EXPECT_EQ(first_byte_that_is_no_utf8("20 \xB0"
                                       "C"),
            3U);                                                  // Latin-1
  EXPECT_EQ(first_byte_that_is_no_utf8("a\xC3"), 1U);             // cut short
  EXPECT_EQ(first_byte_that_is_no_utf8("\xC0\xAF"), 0U);          // "/" in two bytes
  EXPECT_EQ(first_byte_that_is_no_utf8("\xE0\x80\xAF"), 0U);      // … in three
  EXPECT_EQ(first_byte_that_is_no_utf8("x\xED\xA0\x80"), 1U);     // half of a pair of UTF-16
  EXPECT_EQ(first_byte_that_is_no_utf8("\xF4\x90\x80\x80"), 0U);  // beyond U+10FFFF
  EXPECT_EQ(first_byte_that_is_no_utf8("\xF4\x8F\xBF\xBF"), std::nullopt);
}

// Every character of one and two bytes, made from its code.
TEST(Utf8, TakesAllCharactersAndNoByteMore) {
  for (unsigned code = 0; code < 0x800; ++code) {
    std::string text;
    if (code < 0x80) {
      text = {static_cast<char>(code)};
    } else {
      text = {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3FU))};
    }
    EXPECT_EQ(first_byte_that_is_no_utf8(text), std::nullopt) << code;
    EXPECT_EQ(first_byte_that_is_no_utf8(text + "\x80"), text.size()) << code;
  }
}

}  // namespace
}  // namespace ergon
